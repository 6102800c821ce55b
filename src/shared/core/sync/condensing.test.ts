import { describe, expect, it } from 'vitest';
import { judgeCondensing, wasHeldOutside } from './condensing.ts';
import type { RegisterView } from '../lease/lease.ts';
import type { FamilyFacts } from './condensing.ts';

const ENDED: FamilyFacts = {
  openRuns: 0,
  openAttempts: 0,
  openQuestions: 0,
  isStale: false,
  isAwaited: false,
  evidenceCount: 0,
  entriesAboveCut: 0,
  isHeldOutside: false,
  endedAtMs: 100,
};

describe('a run that ended long ago', () => {
  it.each<{ hazard: string; facts: Partial<FamilyFacts>; nowMs?: number; reason: string | null }>([
    { hazard: 'is kept for ever', facts: {}, reason: null },
    { hazard: 'is condensed while a branch goes on', facts: { openRuns: 1 }, reason: 'open' },
    { hazard: 'is condensed while it is unclear what happened', facts: { openAttempts: 1 }, reason: 'open' },
    { hazard: 'is condensed while a question is open', facts: { openQuestions: 1 }, reason: 'open' },
    { hazard: 'is condensed as it was before late entries', facts: { isStale: true }, reason: 'stale' },
    { hazard: 'is condensed before what follows it was started', facts: { isAwaited: true }, reason: 'awaited' },
    { hazard: 'is condensed with what shows that it happened twice', facts: { evidenceCount: 1 }, reason: 'evidence' },
    { hazard: 'is condensed although not everybody has it', facts: { entriesAboveCut: 1 }, reason: 'not-everywhere' },
    {
      hazard: 'is condensed although a stranger may have a part',
      facts: { isHeldOutside: true },
      reason: 'held-outside',
    },
    { hazard: 'is condensed a moment too early', facts: {}, nowMs: 149, reason: 'recent' },
    { hazard: 'is condensed by a calendar that cannot be read', facts: {}, nowMs: Number.NaN, reason: 'recent' },
    { hazard: 'is condensed without an end', facts: { endedAtMs: Number.NaN }, reason: 'recent' },
  ])('$hazard', ({ facts, nowMs = 150, reason }) => {
    const verdict = judgeCondensing({ ...ENDED, ...facts }, { nowMs, retentionMs: 50 });
    expect(verdict).toEqual(reason === null ? { kind: 'condense' } : { kind: 'keep', reason });
  });
});

describe('a stranger who held the right to act', () => {
  const known = new Set(['one', 'two']);
  const lease = (holder: string) => ({ holder }) as RegisterView['lease'];
  const tail = (deviceId: string) => [{ deviceId }] as unknown as RegisterView['tail'];

  it.each<{ where: string; view: Partial<RegisterView>; isOutside: boolean }>([
    { where: 'nowhere', view: {}, isOutside: false },
    {
      where: 'among those that are known',
      view: { lease: lease('one'), tail: tail('two'), frontier: { one: 0 } },
      isOutside: false,
    },
    { where: 'as the holder', view: { lease: lease('three') }, isOutside: true },
    { where: 'by an effect', view: { tail: tail('three') }, isOutside: true },
    { where: 'as one that held it once', view: { frontier: { one: 4, three: 0 } }, isOutside: true },
  ])('is named $where and passed over, or seen where nobody is', ({ view, isOutside }) => {
    expect(wasHeldOutside({ lease: null, tail: [], frontier: {}, ...view }, known)).toBe(isOutside);
  });
});
