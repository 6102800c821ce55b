import type { LeaseOwner, LeaseView } from '../../shared/contract/lease-views.ts';

/** How many agents each device may act for; this device first, then the others, what is not known, and nobody last. */
export function ownersOf(leases: readonly Pick<LeaseView, 'holder' | 'isHere'>[]): readonly LeaseOwner[] {
  const owners = new Map<string, LeaseOwner & { readonly rank: number }>();
  for (const { holder, isHere } of leases) {
    const key = holder.kind === 'device' ? `device ${holder.deviceId}` : holder.kind;
    const rank = holder.kind === 'nobody' ? 3 : holder.kind === 'unknown' ? 2 : isHere ? 0 : 1;
    owners.set(key, { holder, rank, count: (owners.get(key)?.count ?? 0) + 1 });
  }
  return [...owners.values()]
    .toSorted((one, other) => one.rank - other.rank || other.count - one.count)
    .map(({ holder, count }) => ({ holder, count }));
}
