import type { Database } from 'better-sqlite3';
import type { StateId } from '../../../shared/contract/identifiers.ts';
import { change, readOne } from '../connection.ts';

/** One visit of a state of a run. */
interface VisitPlace {
  readonly runId: string;
  readonly stateId: StateId;
  readonly stateVisit: number;
}

interface VisitRow {
  readonly place: number;
  readonly is_aside: number;
  readonly from_state: StateId | null;
  readonly from_visit: number | null;
}

/*
 * The way of a run is the list of visits that it came to, one after the other; the number of a visit says how often the way had
 * come to that state. Devices that did not know of each other took ways of their own. The way of the one that went on last
 * counts; visits off it are put aside with their numbers. A number that rose because of them would make a new effect of one
 * that was done.
 */

/** A run comes to a state from where it is. A later holder that does not know the first one's journal may begin a visit anew. */
export function enterVisit(db: Database, visit: VisitPlace): void {
  const known = findVisit(db, visit);
  if (known?.is_aside === 0) return putAsideAfter(db, visit.runId, known.place);
  if (known === null) return insertVisit(db, visit);
  const last = lastOf(db, visit.runId);
  change(
    db,
    `UPDATE visits SET is_aside = 0, is_released = 0, output = NULL, output_digest = NULL, place = ?, from_state = ?, from_visit = ?
       WHERE run_id = ? AND state_id = ? AND visit = ?`,
    last.place + 1,
    last.state_id,
    last.visit,
    visit.runId,
    visit.stateId,
    visit.stateVisit,
  );
}

/**
 * A run is at a visit that it had left, or that its way did not lead over: what follows is owed once more, and is come to anew
 * under the same numbers. Where it was put aside, the way that led there is the one that counts.
 */
export function goBackTo(db: Database, visit: VisitPlace): void {
  const known = findVisit(db, visit);
  if (known === null) return insertVisit(db, visit);
  if (known.is_aside === 0) return putAsideAfter(db, visit.runId, known.place);
  const { way, fromPlace } = wayTo(db, visit);
  putAsideAfter(db, visit.runId, fromPlace);
  const put = 'UPDATE visits SET is_aside = 0, place = ? WHERE run_id = ? AND state_id = ? AND visit = ?';
  for (const [index, each] of way.entries())
    change(db, put, fromPlace + index + 1, each.runId, each.stateId, each.stateVisit);
}

/** A run leaves a visit, so it has been there, whatever another holder went on to from there or instead. */
export function leaveVisit(db: Database, visit: VisitPlace): void {
  goBackTo(db, visit);
  const left = 'UPDATE visits SET is_released = 1 WHERE run_id = ? AND state_id = ? AND visit = ?';
  change(db, left, visit.runId, visit.stateId, visit.stateVisit);
}

/**
 * A run that has not begun comes to its first step: what another device told of later ones before this is come to anew, under
 * the same numbers.
 */
export function forgetBeforeBegin(db: Database, runId: string): void {
  const notBegun = readOne(db, 'SELECT 1 FROM runs WHERE run_id = ? AND state_visit = 0', runId);
  if (notBegun !== null) change(db, 'DELETE FROM visits WHERE run_id = ?', runId);
}

/**
 * A run goes back to its question, since the yes does not count any more. What it came to after the yes is come to anew, under
 * the same numbers: another device may have done it, and a new number would hide that. The step that was asked about keeps the
 * number of an earlier round of a loop; where another device has brought the run to since, in whichever round, says nothing of it. Of a question that only the
 * journal of a lost device told of, the step is known that the run was at.
 */
export function goBackToQuestion(db: Database, { runId, approvalId }: { runId: string; approvalId: string }): void {
  const asked = readOne<{ stateId: StateId; stateVisit: number }>(
    db,
    `SELECT visits.state_id AS stateId, visits.visit AS stateVisit FROM approvals JOIN runs USING (run_id)
       JOIN visits ON visits.run_id = runs.run_id AND visits.state_id = approvals.state_id
         AND visits.visit = approvals.state_visit AND is_aside = 1
       WHERE approval_id = ? AND approvals.state_id <> runs.state_id`,
    approvalId,
  );
  // It was asked on a way that is not the one that the run is seen on: on that way it goes on.
  if (asked !== null) return goBackTo(db, { runId, ...asked });
  change(
    db,
    `UPDATE visits SET is_aside = 1 WHERE run_id = ? AND is_aside = 0 AND place > (
       SELECT max(coalesce(asked.place, here.place - 1), coalesce(earlier.place, 0)) FROM runs
         LEFT JOIN approvals ON approval_id = ?
         LEFT JOIN visits AS here ON here.run_id = runs.run_id AND here.is_aside = 0 AND here.place = (
           SELECT max(place) FROM visits AS of
             WHERE of.run_id = runs.run_id AND of.state_id = coalesce(of_state_id, runs.state_id) AND of.is_aside = 0)
         LEFT JOIN visits AS asked ON asked.run_id = runs.run_id AND asked.state_id = approvals.state_id
           AND asked.visit = approvals.state_visit AND asked.is_aside = 0
         LEFT JOIN visits AS earlier ON earlier.run_id = runs.run_id AND earlier.state_id = here.state_id
           AND earlier.visit = here.visit - 1 AND earlier.is_aside = 0
       WHERE runs.run_id = ? AND approvals.state_id IS NOT runs.state_id)`,
    runId,
    approvalId,
    runId,
  );
}

interface LastVisit {
  readonly place: number;
  readonly state_id: StateId | null;
  readonly visit: number | null;
}

/** The end of a run's way; place 0 where it has none. */
function lastOf(db: Database, runId: string): LastVisit {
  const sql = `SELECT place, state_id, visit FROM visits WHERE run_id = (SELECT ?) AND is_aside = 0 ORDER BY place DESC LIMIT 1`;
  return readOne<LastVisit>(db, sql, runId) ?? { place: 0, state_id: null, visit: null };
}

function findVisit(db: Database, { runId, stateId, stateVisit }: VisitPlace): VisitRow | null {
  const sql = `SELECT place, is_aside, from_state, from_visit FROM visits WHERE run_id = ? AND state_id = ? AND visit = ?`;
  return readOne<VisitRow>(db, sql, runId, stateId, stateVisit);
}

function insertVisit(db: Database, { runId, stateId, stateVisit }: VisitPlace): void {
  const last = lastOf(db, runId);
  change(
    db,
    'INSERT INTO visits (run_id, state_id, visit, place, from_state, from_visit) VALUES (?,?,?,?,?,?)',
    runId,
    stateId,
    stateVisit,
    last.place + 1,
    last.state_id,
    last.visit,
  );
}

function putAsideAfter(db: Database, runId: string, place: number): void {
  change(db, 'UPDATE visits SET is_aside = 1 WHERE run_id = ? AND place > ? AND is_aside = 0', runId, place);
}

/** The visits that are aside on the way to one that is, in their order, and the place that they begin behind; 0: nowhere. */
function wayTo(db: Database, visit: VisitPlace): { readonly way: readonly VisitPlace[]; readonly fromPlace: number } {
  const { runId } = visit;
  const way: VisitPlace[] = [];
  const seen = new Set<string>();
  for (let at = visit; ;) {
    const row = findVisit(db, at);
    if (row === null) return { way, fromPlace: 0 };
    if (row.is_aside === 0) return { way, fromPlace: row.place };
    const name = `${at.stateId}#${at.stateVisit}`;
    // Ways that were mixed may lead in a circle.
    if (seen.has(name)) return { way, fromPlace: 0 };
    seen.add(name);
    way.unshift(at);
    if (row.from_state === null || row.from_visit === null) return { way, fromPlace: 0 };
    at = { runId, stateId: row.from_state, stateVisit: row.from_visit };
  }
}
