import { describe, expect, it } from 'vitest';
import { judgeCondensing } from './condensing.ts';
import type { FamilyFacts } from './condensing.ts';

const ENDED: FamilyFacts = {
  openRuns: 0,
  openAttempts: 0,
  openQuestions: 0,
  isStale: false,
  isAwaited: false,
  evidenceCount: 0,
  entriesAboveCut: 0,
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
    { hazard: 'is condensed a moment too early', facts: {}, nowMs: 149, reason: 'recent' },
    { hazard: 'is condensed by a calendar that cannot be read', facts: {}, nowMs: Number.NaN, reason: 'recent' },
    { hazard: 'is condensed without an end', facts: { endedAtMs: Number.NaN }, reason: 'recent' },
  ])('$hazard', ({ facts, nowMs = 150, reason }) => {
    const verdict = judgeCondensing({ ...ENDED, ...facts }, { nowMs, retentionMs: 50 });
    expect(verdict).toEqual(reason === null ? { kind: 'condense' } : { kind: 'keep', reason });
  });
});
