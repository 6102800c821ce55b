import type { RefusalGroup } from '../../../shared/contract/views.ts';
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

/** How often each reason came up, the most frequent first. */
export function byReason(groups: readonly RefusalGroup[]): { readonly words: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const group of groups) {
    const words = reasonWords(group);
    counts.set(words, (counts.get(words) ?? 0) + group.count);
  }
  return [...counts].map(([words, count]) => ({ words, count })).toSorted((one, other) => other.count - one.count);
}

/** Everything that was held back, and how much of it needs a person. */
export function totals(groups: readonly RefusalGroup[]): { readonly all: number; readonly quiet: number } {
  const sum = (some: readonly RefusalGroup[]) => some.reduce((total, group) => total + group.count, 0);
  return { all: sum(groups), quiet: sum(groups.filter((group) => !group.needsPerson)) };
}

function reasonWords(group: RefusalGroup): string {
  return text.reasons[group.reason] ?? text.words[group.word] ?? text.other;
}
