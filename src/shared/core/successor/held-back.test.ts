import { describe, expect, it } from 'vitest';
import { hasLeft, heldBackResult } from './held-back.ts';
import type { StepAttempt } from './held-back.ts';

const plain: StepAttempt = {
  progress: 'settled',
  choice: null,
  outcome: { kind: 'success' },
  isAnswered: true,
  isPart: false,
  isUndo: false,
};
const unsent: StepAttempt = {
  ...plain,
  outcome: { kind: 'failure', class: 'transient', code: 'lease_expired_before_start', wasSent: false },
  isAnswered: false,
};
const failed: StepAttempt = {
  ...plain,
  outcome: { kind: 'failure', class: 'permanent', code: 'refused', wasSent: true },
};
const open: StepAttempt = { ...plain, progress: 'in-flight', outcome: null, isAnswered: false };
const stopped: StepAttempt = { ...open, choice: 'stop-here' };
const sentAgain: StepAttempt = { ...open, choice: 'send-again' };

describe('a step that nothing was released for', () => {
  it.each<{ of: string; attempts: readonly StepAttempt[]; result: string | null }>([
    { of: 'no attempt', attempts: [], result: null },
    { of: 'one that worked', attempts: [plain], result: 'success' },
    { of: 'one that failed', attempts: [failed], result: 'failure' },
    { of: 'one that never left', attempts: [unsent], result: null },
    { of: 'one without an answer', attempts: [open], result: null },
    { of: 'a new try behind one that failed', attempts: [open, failed], result: null },
    { of: 'an old one without an answer', attempts: [plain, open], result: null },
    { of: 'stop here', attempts: [stopped], result: 'unclear' },
    { of: 'stop here, and a try of another device that never left', attempts: [unsent, stopped], result: 'unclear' },
    { of: 'stop here behind send again', attempts: [sentAgain, stopped], result: 'unclear' },
    { of: 'stop here, and a later answer', attempts: [plain, stopped], result: 'success' },
    { of: 'stop here, and a later one without an answer', attempts: [open, stopped], result: null },
    { of: 'send again', attempts: [sentAgain], result: null },
    { of: 'one whose answer was taken back', attempts: [{ ...plain, outcome: null }], result: null },
    {
      of: 'an answer that says nothing',
      attempts: [{ ...plain, outcome: { kind: 'unclear', code: 'cut' } }],
      result: null,
    },
    { of: 'a part', attempts: [{ ...plain, isPart: true }], result: null },
    { of: 'an undo that worked', attempts: [{ ...plain, isUndo: true }], result: null },
    { of: 'an undo that failed', attempts: [{ ...failed, isUndo: true }], result: 'failure' },
  ])('goes the wrong way, or for ever nowhere: $of', ({ attempts, result }) => {
    expect(heldBackResult(attempts)?.kind ?? null).toBe(result);
  });

  it('takes a try that was never sent for one that was', () => {
    expect([plain, failed, open, stopped, unsent].map(hasLeft)).toEqual([true, true, true, true, false]);
    expect(hasLeft({ ...open, progress: 'never-started' })).toBe(false);
  });
});
