import type { LeaseView } from '../../../shared/contract/lease-views.ts';

/** Who may act: a device, nobody, or somebody that cannot be told from here. */
export type Holder =
  | { readonly kind: 'device'; readonly name: string }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'unknown' };

export interface Owner {
  readonly holder: Holder;
  readonly count: number;
}

const NOBODY: Holder = { kind: 'nobody' };
const UNKNOWN: Holder = { kind: 'unknown' };

/**
 * Who may act. A right that ran out or was let go belongs to no device; where the register cannot be asked, or its answer
 * is not to be believed, it may well be somebody's.
 */
export function holderOf(lease: LeaseView): Holder {
  switch (lease.state) {
    case 'free':
    case 'expired':
    case 'waits-for-person':
      return NOBODY;
    case 'moved':
    case 'went-back':
    case 'unreachable':
    case 'held':
    case 'hold-off':
    case 'doubtful':
      return lease.holderName === null ? UNKNOWN : { kind: 'device', name: lease.holderName };
    default:
      return lease.state satisfies never;
  }
}

/** How many agents each device may act for; this device first, then the others, what is not known, and nobody last. */
export function ownersOf(leases: readonly LeaseView[]): Owner[] {
  const here = new Set(leases.filter((lease) => lease.isHere).map((lease) => lease.holderName));
  const owners = new Map<string, { readonly holder: Holder; count: number }>();
  for (const lease of leases) {
    const holder = holderOf(lease);
    const key = holder.kind === 'device' ? `device ${holder.name}` : holder.kind;
    const owner = owners.get(key) ?? { holder, count: 0 };
    owner.count += 1;
    owners.set(key, owner);
  }
  const rank = ({ holder }: Owner): number =>
    holder.kind === 'nobody' ? 3 : holder.kind === 'unknown' ? 2 : here.has(holder.name) ? 0 : 1;
  return [...owners.values()].toSorted((one, other) => rank(one) - rank(other) || other.count - one.count);
}
