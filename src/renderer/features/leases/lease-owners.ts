import type { LeaseView } from '../../../shared/contract/views.ts';

export interface Owner {
  /** `null` is nobody. */
  readonly name: string | null;
  readonly count: number;
}

/** The device that may act, or nobody: a right that ran out or was let go belongs to no device. */
export function holderOf(lease: LeaseView): string | null {
  return lease.state === 'free' || lease.state === 'expired' ? null : lease.holderName;
}

/** How many agents each device may act for; this device first, nobody last. */
export function ownersOf(leases: readonly LeaseView[]): Owner[] {
  const counts = new Map<string | null, number>();
  const here = new Set(leases.filter((lease) => lease.isHere).map((lease) => lease.holderName));
  for (const lease of leases) counts.set(holderOf(lease), (counts.get(holderOf(lease)) ?? 0) + 1);
  const rank = (name: string | null) => (name === null ? 2 : here.has(name) ? 0 : 1);
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .toSorted((one, other) => rank(one.name) - rank(other.name) || other.count - one.count);
}
