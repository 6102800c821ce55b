import type { Database } from 'better-sqlite3';
import type { EventPayloads, RecordedEvent } from '../../../shared/contract/events.ts';
import type { StoredText } from '../../../shared/contract/stored-text.ts';
import type { AttemptToken, EffectIdentity, StateId } from '../../../shared/contract/identifiers.ts';
import { isPartKey, isUndoKey } from '../../../shared/core/run/effect-key.ts';
import { change } from '../connection.ts';
import { isUnclearAt } from './unclear.ts';
import { goBackTo, goBackToQuestion, leaveVisit } from './visits.ts';

/** How far a run has got, from the events of its effects and questions. */
export function projectRunProgress(db: Database, event: RecordedEvent): void {
  projectEffect(db, event);
  projectQuestion(db, event);
}

function move(db: Database, runId: string, phase: string, text: string): void {
  change(
    db,
    `UPDATE runs SET phase = CASE WHEN ending IS NULL THEN ? ELSE phase END, last_event = ? WHERE run_id = ?`,
    phase,
    text,
    runId,
  );
}

/** What an event makes of its run; `ends`: the attempt that is over with it, which is marked so after the run is moved. */
interface Move {
  readonly phase: string;
  readonly text: string;
  readonly ends: AttemptToken | null;
}

/**
 * The same for what is about one effect. One of a step that the run has left, told late, is not where the run is now; and an
 * attempt that is unclear, or a question that is still open, is what the run waits for, whatever became of another attempt or
 * another call of the same step.
 */
function moveAt(db: Database, effect: EffectIdentity, to: Move): void {
  const { stateId, visit } = placeOf(effect.effectKey);
  change(
    db,
    `UPDATE runs SET phase = CASE WHEN ending IS NOT NULL OR state_id <> ? OR state_visit <> ? THEN phase
         WHEN ? <> 'ready' THEN ?
         WHEN ${isUnclearAt('AND attempt_token IS NOT ?')} THEN 'needs-recovery'
         WHEN EXISTS (SELECT 1 FROM approvals WHERE approvals.run_id = runs.run_id AND state = 'open'
           AND approvals.state_id = runs.state_id AND approvals.state_visit = runs.state_visit) THEN 'needs-approval'
         ELSE 'ready' END, last_event = ? WHERE run_id = ?`,
    stateId,
    visit,
    to.phase,
    to.phase,
    stateId,
    visit,
    to.ends,
    to.text,
    effect.runId,
  );
}

function projectEffect(db: Database, event: RecordedEvent): void {
  switch (event.kind) {
    case 'effect.started':
      moveAt(db, event.payload.effect, { phase: 'acting', text: 'Left this device', ends: null });
      change(db, 'UPDATE runs SET is_refused = 0 WHERE run_id = ?', event.payload.effect.runId);
      return;
    case 'effect.withheld': {
      const { effect, attemptToken } = event.payload;
      return moveAt(db, effect, { phase: 'ready', text: 'Held back: nothing was sent', ends: attemptToken });
    }
    case 'settle.recorded':
      projectSettlement(db, event.payload);
      return;
    case 'intent.refused': {
      const { effect, message } = event.payload;
      keepPart(db, { effect, summary: message, output: null });
      return moveAt(db, effect, { phase: 'ready', text: message, ends: null });
    }
    case 'run.concluded':
      keepOutput(db, event.payload);
      return move(db, event.payload.runId, 'ready', event.payload.summary);
    case 'successor.released': {
      const { runId, fromStateId, fromStateVisit } = event.payload;
      return leaveVisit(db, { runId, stateId: fromStateId, stateVisit: fromStateVisit });
    }
    case 'recovery.reclaimed':
      // One that is unclear is not over by that: it may have been sent by whoever had it before.
      moveAt(db, event.payload.effect, { phase: 'ready', text: 'Taken up again: nothing had been sent', ends: null });
      return;
    case 'recovery.in-doubt':
      projectDoubt(db, event.payload);
      return;
    case 'recovery.repeated': {
      const { effect, attemptToken } = event.payload;
      return moveAt(db, effect, { phase: 'ready', text: 'Repeated safely', ends: attemptToken });
    }
    case 'recovery.decided': {
      const { choice, effect, attemptToken } = event.payload;
      const phase = choice === 'send-again' || choice === 'undo-then-send' ? 'ready' : 'acting';
      return moveAt(db, effect, { phase, text: 'You decided', ends: attemptToken });
    }
    case 'recovery.reopened':
      projectReopening(db, event.payload);
      return;
    default:
      return;
  }
}

/**
 * The run rests at that step. What an earlier holder had gone on to from there, and did not tell before it was asked about, is
 * not where the run is now; and where a later holder has taken the run another way, it is at that step again. It may have left: a run that fails later cannot say that nothing was sent.
 */
function projectDoubt(db: Database, { effect, attemptToken }: EventPayloads['recovery.in-doubt']): void {
  move(db, effect.runId, 'needs-recovery', 'No answer was recorded');
  change(
    db,
    `UPDATE runs SET has_sent = 1, phase = 'needs-recovery', ending = NULL, ended_at_ms = NULL, wait_until_ms = NULL,
       state_id = coalesce((SELECT state_id FROM attempts WHERE attempt_token = ?), state_id),
       state_visit = coalesce((SELECT state_visit FROM attempts WHERE attempt_token = ?), state_visit) WHERE run_id = ?`,
    attemptToken,
    attemptToken,
    effect.runId,
  );
  const { stateId, visit } = placeOf(effect.effectKey);
  goBackTo(db, { runId: effect.runId, stateId, stateVisit: visit });
}

function projectSettlement(db: Database, payload: EventPayloads['settle.recorded']): void {
  const { effect, attemptToken, outcome, output, summary } = payload;
  const isUndo = isUndoKey(effect.effectKey);
  const hasSent = outcome.kind !== 'failure' || outcome.wasSent ? 1 : 0;
  change(
    db,
    `UPDATE runs SET steps_done = steps_done + iif(EXISTS (SELECT 1 FROM oracle WHERE agent_id = ? AND run_id = ? AND
       effect_key = ?), 0, ?), has_sent = max(has_sent, ?), last_event = ? WHERE run_id = ?`,
    effect.agentId,
    effect.runId,
    effect.effectKey,
    outcome.kind === 'success' && !isUndo ? 1 : 0,
    hasSent,
    summary,
    effect.runId,
  );
  // An undo is not the step itself: that is still to be done.
  if (isUndo) return moveAt(db, effect, { phase: 'ready', text: summary, ends: attemptToken });
  // A part is not the step: the step goes on, and what it gives is known when it is over.
  if (isPartKey(effect.effectKey)) {
    keepPart(db, { effect, summary, output });
    return moveAt(db, effect, { phase: 'ready', text: summary, ends: attemptToken });
  }
  const { stateId, visit } = placeOf(effect.effectKey);
  keepOutput(db, { runId: effect.runId, stateId, stateVisit: visit, output });
}

function keepPart(db: Database, part: { effect: EffectIdentity; summary: string; output: StoredText | null }): void {
  change(
    db,
    'INSERT OR REPLACE INTO parts (run_id, effect_key, summary, output, digest) VALUES (?,?,?,?,?)',
    part.effect.runId,
    part.effect.effectKey,
    part.summary,
    part.output?.inline ?? null,
    part.output?.digest ?? null,
  );
}

function keepOutput(
  db: Database,
  of: Pick<EventPayloads['run.concluded'], 'runId' | 'stateId' | 'stateVisit' | 'output'>,
): void {
  const { runId, stateId, stateVisit, output } = of;
  change(
    db,
    'UPDATE visits SET output = ?, output_digest = ? WHERE run_id = ? AND state_id = ? AND visit = ?',
    output.inline,
    output.digest,
    runId,
    stateId,
    stateVisit,
  );
}

/** The step is unclear again: the run goes back to it, and what followed it is owed once more. */
function projectReopening(db: Database, payload: EventPayloads['recovery.reopened']): void {
  const { runId, effectKey } = payload.effect;
  const { stateId, visit } = placeOf(effectKey);
  change(
    db,
    `UPDATE runs SET phase = 'needs-recovery', ending = NULL, ended_at_ms = NULL, state_id = ?, state_visit = ?, wait_until_ms = NULL,
       last_event = 'Reopened' WHERE run_id = ?`,
    stateId,
    visit,
    runId,
  );
  goBackTo(db, { runId, stateId, stateVisit: visit });
  change(
    db,
    'UPDATE visits SET output = NULL, output_digest = NULL WHERE run_id = ? AND state_id = ? AND visit = ?',
    runId,
    stateId,
    visit,
  );
}

function placeOf(effectKey: string): { stateId: StateId; visit: number } {
  const [stateId = '', visit = ''] = effectKey.split('#');
  return { stateId: stateId as StateId, visit: Number.parseInt(visit, 10) };
}

/** A question of a step that the run has left is not what it waits for. */
function askAt(db: Database, { runId, stateId, stateVisit }: EventPayloads['approval.requested']): void {
  change(
    db,
    `UPDATE runs SET phase = iif(ending IS NULL AND state_id = ? AND state_visit = ?, 'needs-approval', phase),
       last_event = 'Asked you' WHERE run_id = ?`,
    stateId,
    stateVisit,
    runId,
  );
}

/** An answer lets the run go on that waited for it; what it has come to without it is left as it is. */
function goOn(db: Database, { runId, approvalId }: { runId: string; approvalId: string }, text: string): void {
  change(
    db,
    `UPDATE runs SET phase = CASE WHEN phase <> 'needs-approval' OR EXISTS (SELECT 1 FROM approvals AS other
         WHERE other.run_id = runs.run_id AND other.state = 'open' AND other.approval_id <> ?
           AND other.state_id = runs.state_id AND other.state_visit = runs.state_visit) THEN phase ELSE 'ready' END,
       last_event = ? WHERE run_id = ?`,
    approvalId,
    text,
    runId,
  );
}

function answerText({ isAllowed, standingId }: EventPayloads['approval.decided']): string {
  if (standingId !== undefined) return 'Allowed by your standing permission';
  return isAllowed ? 'You allowed it' : 'You did not allow it';
}

function projectQuestion(db: Database, event: RecordedEvent): void {
  switch (event.kind) {
    case 'approval.requested':
      askAt(db, event.payload);
      return;
    case 'approval.decided':
      goOn(db, event.payload, answerText(event.payload));
      return;
    case 'approval.stale':
      goBackToQuestion(db, event.payload);
      move(db, event.payload.runId, 'ready', 'Your answer did not count any more: asking again');
      return;
    case 'approval.expired':
      goOn(db, event.payload, 'Nobody answered in time');
      return;
    default:
      return;
  }
}
