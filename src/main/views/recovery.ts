import type { EventPayloads, RecordedEvent } from '../../shared/contract/events.ts';
import type { RecoveryView } from '../../shared/contract/decision-views.ts';
import { recoveryOptions } from '../../shared/core/recovery/recovery-options.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import { doubtCodeOf } from '../store/recovery-now.ts';
import { claimOf, findAttempt, findRun, intentOf } from '../store/rows.ts';
import type { AttemptRecord, RunRecord } from '../store/rows.ts';
import { recoveryFacts } from '../store/transactions/decide-recovery.ts';
import { plainly } from './failure-words.ts';
import { decidedView } from './recovery-decided.ts';
import { knownFacts, reachedStrip } from './recovery-facts.ts';
import { checkLabel, doubtText, probeText, unknownSentences } from './recovery-words.ts';
import { elsewhereUnknown, outlookOf, waitView } from './recovery-wait.ts';
import { runEvents } from './run-events.ts';
import { runRow } from './run-row.ts';
import { whereOf } from './run-status.ts';
import { stateTitle } from './steps.ts';
import { sharedNameOf } from './sync-names.ts';
import { textView } from './text.ts';
import { eventNames } from './timeline.ts';
import { deviceNameOf, sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';
import { exactTimeText, opening } from './words.ts';

/** Everything known about one unclear effect; `null` if there is no such attempt. */
export function recoveryView(source: ViewSource, attemptToken: string): RecoveryView | null {
  const { db } = source.connection;
  const attempt = findAttempt(db, attemptToken);
  const run = attempt === null ? null : findRun(db, attempt.run_id);
  if (attempt === null || run === null) return null;
  const strategy = source.strategyOf(run.revision_digest);
  const intent = intentOf(attempt);
  const events = runEvents(db, run);
  const names = eventNames(source, events, (stateId) =>
    stateTitle(stateId, strategy === null ? undefined : ownMember(strategy.states, stateId)),
  );
  const ownerId = claimOf(attempt)?.owner.deviceId ?? null;
  const facts = strategy === null ? null : recoveryFacts(attempt, run, strategy, source.nowMs);
  const check = checkOf(attempt, intent);
  const code = doubtCodeOf(source.connection, attempt);
  const { holder } = whereOf(source, attempt.agent_id);
  return {
    sequence: sequenceOf(source),
    attemptToken,
    inputDigest: attempt.input_digest,
    epoch: attempt.epoch,
    run: runRow(source, run),
    title: intent.title,
    target: intent.target,
    tool: intent.tool,
    effectKind: intent.effectKind,
    isDestructive: intent.isDestructive,
    input: textView(db, intent.input),
    inDoubtSinceMs: attempt.in_doubt_at_ms ?? attempt.started_at_ms ?? source.nowMs,
    cause: code === null ? '' : doubtText(code, { device: deviceNameOf(source, ownerId), tool: intent.tool }),
    reached: reachedStrip({ attempt, events, intent, names, ownerName: deviceNameOf(source, ownerId) }),
    known: knownFacts(events, { attempt, names, coordinatorName: source.coordinatorName }),
    unknown: unknownOf(source, { attempt, intent, check, ownerId }),
    check,
    wait: waitView(source, attempt),
    dedupeUntilMs: intent.dedupeUntilMs,
    lateEvidence: lateEvidenceOf(attempt),
    nextStep: facts?.nextOnSuccess ?? null,
    sendsFrom: holder === null ? null : sharedNameOf(source, holder),
    options: facts === null ? [] : recoveryOptions(facts),
    decided: decidedView(source, attempt),
    numbers: numbersOf({ attempt, run, intent, events }),
  };
}

function checkOf(attempt: AttemptRecord, intent: EventPayloads['intent.recorded']): RecoveryView['check'] {
  const probe = attempt.probe === null ? null : (JSON.parse(attempt.probe) as EventPayloads['recovery.probed']);
  const isOpen = attempt.decision === null && attempt.progress !== 'settled';
  return {
    isOffered: isOpen && (intent.tool === 'file.write' || intent.effectKind === 'verifiable'),
    label: checkLabel(intent.tool),
    lastAtMs: attempt.probed_at_ms,
    lastAnswer: probe === null ? null : `${opening(probeText(probe.answer))}. ${plainly(probe.summary)}`,
  };
}

function unknownOf(
  source: ViewSource,
  of: {
    attempt: AttemptRecord;
    intent: EventPayloads['intent.recorded'];
    check: RecoveryView['check'];
    ownerId: string | null;
  },
): string[] {
  const { attempt, intent, check, ownerId } = of;
  if (attempt.progress === 'settled' || attempt.evidence !== null) return [];
  const answer = attempt.probe === null ? null : (JSON.parse(attempt.probe) as EventPayloads['recovery.probed']).answer;
  if (answer === 'happened' || answer === 'did-not-happen') return [];
  const isOwnerHere = ownerId === null || ownerId === source.device.deviceId;
  return unknownSentences({
    tool: intent.tool,
    target: intent.target,
    effectKind: intent.effectKind,
    isCheckOffered: check.isOffered,
    isCheckSilent: answer === 'silent',
    dedupeUntilMs: intent.dedupeUntilMs,
    nowMs: source.nowMs,
    elsewhere: isOwnerHere ? '' : elsewhereUnknown(outlookOf(source, attempt), deviceNameOf(source, ownerId)),
  });
}

function lateEvidenceOf(attempt: AttemptRecord): string | null {
  if (attempt.evidence === null) return null;
  return plainly((JSON.parse(attempt.evidence) as { summary: string }).summary);
}

function numbersOf(of: {
  attempt: AttemptRecord;
  run: RunRecord;
  intent: EventPayloads['intent.recorded'];
  events: readonly RecordedEvent[];
}): RecoveryView['numbers'] {
  const { attempt, run, intent, events } = of;
  const owner = claimOf(attempt)?.owner ?? null;
  const started = events.find(
    (event) => event.kind === 'effect.started' && event.payload.attemptToken === attempt.attempt_token,
  );
  const key = started?.kind === 'effect.started' ? started.payload.idempotencyKey : null;
  return [
    { name: 'Run', value: run.run_id },
    { name: 'Step', value: attempt.effect_key },
    { name: 'Attempt', value: `${attempt.attempt_number} (${attempt.attempt_token})` },
    { name: 'Epoch', value: String(attempt.epoch) },
    { name: 'Host', value: owner === null || owner.hostId === '' ? 'not known' : owner.hostId },
    { name: 'Device', value: owner?.deviceId ?? 'not known' },
    { name: 'Input fingerprint', value: attempt.input_digest },
    { name: 'Version of the agent', value: run.revision_digest },
    { name: 'Permission', value: intent.grantDigest ?? 'none' },
    { name: 'Key sent along', value: key ?? 'none' },
    { name: 'Unclear since', value: attempt.in_doubt_at_ms === null ? 'never' : exactTimeText(attempt.in_doubt_at_ms) },
  ];
}
