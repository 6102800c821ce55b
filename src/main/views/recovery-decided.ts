import type { EventPayloads } from '../../shared/contract/events.ts';
import type { RecoveryView } from '../../shared/contract/decision-views.ts';
import { readOne } from '../store/connection.ts';
import { decisionOf, intentOf, outcomeOf } from '../store/rows.ts';
import type { AttemptRecord } from '../store/rows.ts';
import { canReopen } from '../store/transactions/decide-recovery.ts';
import { sharedNameOf } from './sync-names.ts';
import type { ViewSource } from './view-source.ts';
import { choiceText, durationText, toolWords } from './words.ts';

/** Who decided about an unclear step, where and when; `null` while it is open. */
export function decidedView(source: ViewSource, attempt: AttemptRecord): RecoveryView['decided'] {
  const decision = decisionOf(attempt);
  if (decision !== null) {
    const deviceId = decision.choice === 'repeat' ? null : answeredOn(source, attempt);
    return {
      choice: decision.choice,
      by: decision.by,
      deviceName: deviceId === null ? null : sharedNameOf(source, deviceId),
      isHere: deviceId === source.device.deviceId,
      atMs: attempt.decided_at_ms ?? 0,
      canReopen: canReopen(source.connection, attempt),
    };
  }
  const outcome = outcomeOf(attempt);
  if (attempt.progress !== 'settled' || outcome === null) return null;
  const by =
    attempt.settled_by === 'probe'
      ? 'A read-only check'
      : attempt.settled_by === 'tail'
        ? 'The record'
        : 'The answer itself';
  return {
    choice: outcome.kind === 'success' ? 'it-happened' : 'it failed',
    by,
    deviceName: null,
    isHere: false,
    atMs: attempt.probed_at_ms ?? attempt.in_doubt_at_ms ?? 0,
    canReopen: false,
  };
}

/** A late click is told: `Already decided on iPad 12 s ago: it was sent.` `null` where no decision is known here. */
export function alreadyDecidedText(source: ViewSource, attempt: AttemptRecord): string | null {
  const decided = decidedView(source, attempt);
  if (decided === null) return null;
  const { tool } = intentOf(attempt);
  const when = `${durationText(source.nowMs - decided.atMs)} ago`;
  const what = decided.choice === 'it-happened' ? `it was ${toolWords(tool).done}` : choiceText(decided.choice, tool);
  if (decided.deviceName === null) return `Already settled ${when}: ${what}.`;
  return `Already decided on ${decided.isHere ? 'this device' : decided.deviceName} ${when}: ${what}.`;
}

/**
 * The device on which a person answered: the one that handed the answer over, where it was carried out by another; else the
 * one that wrote the decision down.
 */
function answeredOn({ connection }: ViewSource, attempt: AttemptRecord): string | null {
  const { db } = connection;
  const token = attempt.attempt_token;
  const decided = readOne<{ device_id: string; payload: string }>(
    db,
    `SELECT device_id, payload FROM ops WHERE run_id = ? AND kind = 'recovery.decided'
       AND json_extract(payload, '$.attemptToken') = ? ORDER BY seq DESC LIMIT 1`,
    attempt.run_id,
    token,
  );
  if (decided === null) return null;
  const { choice, by, reason } = JSON.parse(decided.payload) as EventPayloads['recovery.decided'];
  const handedOver = readOne<{ device_id: string }>(
    db,
    `SELECT device_id FROM answers WHERE subject_id = ? AND kind = 'recovery.answered' AND json_extract(payload, '$.choice') = ?
       AND json_extract(payload, '$.by') = ? AND json_extract(payload, '$.reason') = ? ORDER BY place LIMIT 1`,
    token,
    choice,
    by,
    reason,
  );
  return handedOver?.device_id ?? decided.device_id;
}
