import type { TailEntry } from '../../src/shared/core/lease/register.ts';
import { attemptOf } from './names.ts';
import type { Setting } from './time.ts';

/** The entry that stands in the way of an attempt, found as the store finds it. */
export function blockingEntry(
  setting: Setting,
  tail: readonly TailEntry[],
  of: { effect: number; token: string },
): TailEntry | null {
  if (tail.length === 0) return null;
  return setting.rules.standingEntry(tail, attemptOf(of.effect, of.token));
}
