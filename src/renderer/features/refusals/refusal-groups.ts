import type { RefusalGroup, RefusalsView } from '../../../shared/contract/refusal-views.ts';
import { dayName } from '../../ui/time-words.ts';
import { text } from './strings.ts';

export interface RefusalDay {
  readonly name: string;
  readonly groups: readonly RefusalGroup[];
}

/** Groups by the day of their last time, the newest first. */
export function byDay(groups: readonly RefusalGroup[], nowMs: number): RefusalDay[] {
  const days = new Map<string, RefusalGroup[]>();
  for (const group of groups.toSorted((one, other) => other.lastAtMs - one.lastAtMs)) {
    const name = dayName(group.lastAtMs, nowMs);
    days.set(name, [...(days.get(name) ?? []), group]);
  }
  return [...days].map(([name, of]) => ({ name, groups: of }));
}

/** How often each reason came up, in words, the most frequent first. */
export function byReason(reasons: RefusalsView['reasons']): { readonly words: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { word, reason, count } of reasons) {
    const words = text.reasons[reason] ?? text.words[word] ?? text.other;
    counts.set(words, (counts.get(words) ?? 0) + count);
  }
  return [...counts].map(([words, count]) => ({ words, count })).toSorted((one, other) => other.count - one.count);
}

/** How many of the times need a person. */
export function needing(groups: readonly RefusalGroup[]): number {
  return groups.reduce((total, group) => total + (group.needsPerson ? group.count : 0), 0);
}
