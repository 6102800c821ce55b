import type { NeedsYouItem, NeedsYouView, RecoveryView } from '../../src/shared/contract/decision-views.ts';
import { recoveryOptions } from '../../src/shared/core/recovery/recovery-options.ts';
import { agentIdOf } from './window-rows.ts';

const MINUTE = 60_000;

/** A queue with these items and no others. */
export function needsWith(change: Partial<NeedsYouView>): NeedsYouView {
  return { sequence: 1, unclear: [], waiting: [], approvals: [], settled: [], finishedSinceYesterday: 3, ...change };
}

/** An unclear step that another device made. */
export function unclearItem(number: number): NeedsYouItem {
  return {
    kind: 'unclear',
    id: `unclear-${number}`,
    title: 'Email “Weekly numbers” to 3 people',
    sentence: 'We can’t tell whether it was sent.',
    runId: `run-${number}`,
    runNumber: number,
    runTitle: 'Monday numbers to the team',
    agentName: 'Morning report',
    deviceName: 'Work-PC',
    sinceMs: Date.now() - 42 * MINUTE,
    alike: null,
  };
}

/** What is known about it; the answers are what the host would work out from the rest. */
export function recoveryView(nowMs: number, change: Partial<RecoveryView> = {}): RecoveryView {
  const at = (minutesAgo: number, seq: number, sentence: string, source = 'Work-PC') => ({
    seq,
    atMs: nowMs - minutesAgo * MINUTE,
    sentence,
    source,
  });
  return {
    sequence: 1,
    attemptToken: 'unclear-142',
    inputDigest: 'd'.repeat(64),
    epoch: 41,
    run: {
      runId: 'run-142',
      number: 142,
      status: 'needs-recovery',
      title: 'Email “Weekly numbers” to 3 people',
      agentId: agentIdOf('Morning report'),
      agentName: 'Morning report',
      deviceName: 'Work-PC',
      startedAtMs: nowMs - 43 * MINUTE,
      endedAtMs: null,
      stepsDone: 3,
      stepsTotal: 6,
      lastEvent: 'No answer was recorded',
    },
    title: 'Email “Weekly numbers” to 3 people',
    target: 'ana@example.com, li@example.com and 1 more',
    tool: 'mail.send',
    effectKind: 'blind',
    isDestructive: false,
    input: { text: 'Dear all, the numbers.', bytes: 22, digest: 'e'.repeat(64), isCut: false },
    inDoubtSinceMs: nowMs - 42 * MINUTE,
    cause: 'no answer arrived in time.',
    reached: [
      { label: 'Written down', detail: '07:00:03, Work-PC', isKnown: true },
      { label: 'Left Work-PC', detail: '07:00:03, first attempt', isKnown: true },
      { label: 'Accepted by the mail server?', detail: 'Nobody can tell yet', isKnown: false },
      { label: 'Answer', detail: 'None was recorded', isKnown: false },
    ],
    known: [
      at(42, 1, 'Work-PC took this step, attempt 1'),
      at(42, 2, 'The mail left Work-PC'),
      at(41, 3, 'No answer arrived in time'),
      at(20, 4, 'This Mac got the right to act', 'Attic'),
    ],
    unknown: [
      'Whether the mail server accepted the mail.',
      'Whether Work-PC holds an answer that has not arrived here.',
    ],
    check: { isOffered: true, label: 'Look in the Sent folder', lastAtMs: null, lastAnswer: null },
    wait: null,
    dedupeUntilMs: null,
    lateEvidence: null,
    nextStep: 'Archive the report',
    sendsFrom: null,
    options: optionsOf(change, nowMs),
    decided: null,
    numbers: [{ name: 'Epoch', value: '41' }],
    ...change,
  };
}

function optionsOf(change: Partial<RecoveryView>, nowMs: number): RecoveryView['options'] {
  const { effectKind = 'blind', isDestructive = false, dedupeUntilMs = null } = change;
  return recoveryOptions({
    effectKind,
    attemptNumber: 1,
    isDecided: false,
    isRunStopped: false,
    nextOnSuccess: 'Archive the report',
    nextOnUnclear: null,
    laterSteps: ['Archive the report', 'Tell the team'],
    hasUndo: false,
    isDestructive,
    dedupeUntilMs,
    nowMs,
    evidence: null,
  });
}
