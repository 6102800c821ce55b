import type { TriggerRow } from '../../../shared/contract/schedule-views.ts';

/** How many of the next times are listed together. */
const NEXT_LIMIT = 6;

/** The next times over all agents, the soonest first. */
export function soonest(
  triggers: readonly TriggerRow[],
): readonly { readonly trigger: TriggerRow; readonly atMs: number }[] {
  return triggers
    .flatMap((trigger) => (trigger.nextAtMs === null ? [] : [{ trigger, atMs: trigger.nextAtMs }]))
    .toSorted((one, other) => one.atMs - other.atMs)
    .slice(0, NEXT_LIMIT);
}
