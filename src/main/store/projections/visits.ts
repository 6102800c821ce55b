import type { Database } from 'better-sqlite3';
import type { StateId } from '../../../shared/contract/identifiers.ts';
import { change, readOne } from '../connection.ts';

/** One visit of a state of a run. */
interface VisitPlace {
  readonly runId: string;
  readonly stateId: StateId;
  readonly stateVisit: number;
}

/** A run comes to a state. A later holder that does not know the first one's journal may begin a visit anew. */
export function enterVisit(db: Database, visit: VisitPlace): void {
  const { runId, stateId, stateVisit } = visit;
  const known = 'SELECT 1 FROM visits WHERE run_id = ? AND state_id = ? AND visit = ?';
  if (readOne(db, known, runId, stateId, stateVisit) !== null) return goBackTo(db, visit);
  change(
    db,
    `INSERT INTO visits (run_id, state_id, visit, place)
       VALUES (?, ?, ?, coalesce((SELECT max(place) FROM visits WHERE run_id = (SELECT ?)), 0) + 1)`,
    runId,
    stateId,
    stateVisit,
    runId,
  );
}

/**
 * A run leaves a visit, so it has been there, and whatever an earlier holder went on to from there is come to anew, under the
 * same numbers, also where this one's way leads elsewhere. One that a later holder had not known of is where it was left.
 */
export function leaveVisit(db: Database, visit: VisitPlace): void {
  enterVisit(db, visit);
  const left = 'UPDATE visits SET is_released = 1 WHERE run_id = ? AND state_id = ? AND visit = ?';
  change(db, left, visit.runId, visit.stateId, visit.stateVisit);
}

/**
 * A run that has not begun comes to its first step: what another device told of later ones before this is come to anew, under
 * the same numbers.
 */
export function forgetBeforeBegin(db: Database, runId: string): void {
  const hasNotBegun = 'EXISTS (SELECT 1 FROM runs WHERE run_id = ? AND state_visit = 0)';
  change(db, `DELETE FROM visits WHERE run_id = ? AND ${hasNotBegun}`, runId, runId);
}

/**
 * A run is at a visit again that it had left: what follows is owed once more. What an earlier holder went on to from there is
 * come to anew, under the same numbers: a number that rose would make a new effect of one that was done.
 */
export function goBackTo(db: Database, { runId, stateId, stateVisit }: VisitPlace): void {
  change(
    db,
    `DELETE FROM visits WHERE run_id = ? AND place >
       (SELECT place FROM visits WHERE run_id = ? AND state_id = ? AND visit = ?)`,
    runId,
    runId,
    stateId,
    stateVisit,
  );
}

/**
 * A run goes back to its question, since the yes does not count any more. What it came to after the yes is come to anew, under
 * the same numbers: another device may have done it, and a new number would hide that. A step that was passed before, in a
 * round of a loop, keeps its own.
 */
export function goBackToQuestion(db: Database, { runId, approvalId }: { runId: string; approvalId: string }): void {
  change(
    db,
    `DELETE FROM visits WHERE run_id = ? AND place > (
       SELECT max(coalesce(asked.place, here.place - 1), coalesce(earlier.place, 0)) FROM runs
         JOIN approvals ON approval_id = ? AND approvals.state_id <> runs.state_id
         JOIN visits AS here ON here.run_id = runs.run_id AND here.state_id = runs.state_id AND here.visit = runs.state_visit
         LEFT JOIN visits AS asked ON asked.run_id = runs.run_id AND asked.state_id = approvals.state_id
           AND asked.visit = approvals.state_visit
         LEFT JOIN visits AS earlier ON earlier.run_id = runs.run_id AND earlier.state_id = runs.state_id
           AND earlier.visit = runs.state_visit - 1
       WHERE runs.run_id = ?)`,
    runId,
    approvalId,
    runId,
  );
}
