import type { Database } from 'better-sqlite3';
import type { StateId } from '../../shared/contract/identifiers.ts';
import { readAll, readOne } from './connection.ts';
import { findRun } from './rows.ts';
import type { RunRecord } from './rows.ts';

/** A visit of a branching state. */
export interface BranchingPlace {
  readonly runId: string;
  readonly stateId: StateId;
  readonly stateVisit: number;
}

/** The branches that one visit began, in their order. */
export function branchesOf(db: Database, place: BranchingPlace): readonly RunRecord[] {
  return readAll<RunRecord>(
    db,
    'SELECT * FROM runs WHERE parent_run_id = ? AND parent_state_id = ? AND parent_state_visit = ? ORDER BY run_number',
    place.runId,
    place.stateId,
    place.stateVisit,
  );
}

/** Whether any branch of a run has not ended. */
export function hasOpenBranches(db: Database, runId: string): boolean {
  return readOne(db, 'SELECT 1 FROM runs WHERE parent_run_id = ? AND ending IS NULL LIMIT 1', runId) !== null;
}

/** A run and all that goes on inside it, the innermost first. */
export function withBranches(db: Database, run: RunRecord): readonly RunRecord[] {
  const inner = readAll<RunRecord>(db, 'SELECT * FROM runs WHERE parent_run_id = ? ORDER BY run_number', run.run_id);
  return [...inner.flatMap((branch) => withBranches(db, branch)), run];
}

/** How many runs a run is inside of. */
export function branchDepth(db: Database, run: RunRecord): number {
  const parent = run.parent_run_id === null ? null : findRun(db, run.parent_run_id);
  return parent === null ? 0 : branchDepth(db, parent) + 1;
}
