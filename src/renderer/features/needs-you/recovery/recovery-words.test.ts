import { describe, expect, it } from 'vitest';
import type { RecoveryView } from '../../../../shared/contract/decision-views.ts';
import { recoveryOptions, type RecoveryFacts } from '../../../../shared/core/recovery/recovery-options.ts';
import { answerWords, evidenceMark, newEvidence } from './recovery-words.ts';

const facts: RecoveryFacts = {
  effectKind: 'blind',
  attemptNumber: 1,
  isDecided: false,
  isRunStopped: false,
  nextOnSuccess: 'archive',
  nextOnUnclear: null,
  laterSteps: ['archive the report', 'tell the team'],
  hasUndo: true,
  isDestructive: false,
  dedupeUntilMs: null,
  nowMs: 1_000,
  evidence: null,
};

function view(more: Partial<RecoveryFacts> = {}, fields: Partial<RecoveryView> = {}): RecoveryView {
  const all = { ...facts, ...more };
  return {
    sequence: 1,
    attemptToken: 't',
    inputDigest: 'd'.repeat(64),
    epoch: 42,
    run: {
      runId: 'r',
      number: 142,
      status: 'needs-recovery',
      title: '',
      agentId: 'a',
      agentName: 'A',
      deviceName: 'D',
      startedAtMs: 0,
      endedAtMs: null,
      stepsDone: 0,
      stepsTotal: 0,
      lastEvent: '',
    },
    title: 'Email',
    target: 'x',
    tool: 'http.request',
    effectKind: all.effectKind,
    isDestructive: all.isDestructive,
    input: { text: '', bytes: 0, digest: 'd', isCut: false },
    inDoubtSinceMs: 0,
    cause: '',
    reached: [],
    known: [],
    unknown: [],
    check: { isOffered: false, label: '', lastAtMs: null, lastAnswer: null },
    wait: null,
    dedupeUntilMs: all.dedupeUntilMs,
    lateEvidence: null,
    nextStep: 'Archive report',
    sendsFrom: null,
    options: recoveryOptions(all),
    decided: null,
    numbers: [],
    ...fields,
  };
}

const words = (one: RecoveryView) => answerWords(one, () => '08:00', 1_000);

describe('answerWords', () => {
  it('names each button after what it does, so that none can be pressed by habit', () => {
    expect(words(view()).map((answer) => answer.button)).toEqual([
      'Carry on',
      'Send it now from this device',
      'Undo it, then send from this device',
      'Stop here',
    ]);
  });

  it('warns of a second time, and not where the target recognises a repeat', () => {
    expect(words(view())[1]?.warning).toContain('happens twice');
    expect(words(view({ dedupeUntilMs: 2_000 }))[1]?.warning).toContain('Safe until 08:00');
    expect(words(view({ dedupeUntilMs: 500 }))[1]?.warning).toContain('happens twice');
  });

  it('never says that stopping sends anything, and names what it cancels', () => {
    const stop = words(view()).at(-1);
    expect(stop?.sends).toBe('Nothing');
    expect(stop?.happens).toBe('2 later steps are cancelled: archive the report, tell the team.');
  });

  it('says that a send has no undo', () => {
    expect(words(view())[1]?.reopenWarning).toBe('No undo');
    expect(words(view())[0]?.reopen).toBe('Until “Archive report” starts');
  });

  it('shows the options that it was given and no others', () => {
    expect(words(view({ isRunStopped: true })).map((answer) => answer.choice)).toEqual(['it-happened', 'stop-here']);
    expect(words(view({ isDecided: true }))).toEqual([]);
  });

  it('speaks of a program as run, not as sent', () => {
    expect(words(view({}, { tool: 'shell' }))[1]?.button).toBe('Run it now on this device');
  });
});

describe('late evidence', () => {
  const row = (seq: number) => ({ seq, atMs: seq, sentence: '', source: '' });

  it('marks what came after the panel was opened', () => {
    expect([...newEvidence(new Set([1, 2]), [row(1), row(2), row(3)])]).toEqual([3]);
  });

  it('stops a countdown when a fact, an answer or a decision arrives', () => {
    const before = evidenceMark(view({}, { known: [row(1)] }));
    expect(evidenceMark(view({}, { known: [row(1)], sequence: 99 }))).toBe(before);
    expect(evidenceMark(view({}, { known: [row(1), row(2)] }))).not.toBe(before);
    expect(evidenceMark(view({}, { known: [row(1)], lateEvidence: 'It was sent.' }))).not.toBe(before);
    expect(
      evidenceMark(
        view(
          {},
          {
            known: [row(1)],
            decided: { choice: 'stop-here', by: 'x', deviceName: 'D', isHere: true, atMs: 1, canReopen: true },
          },
        ),
      ),
    ).not.toBe(before);
  });
});
