import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { projectAgent } from './agents.ts';
import { projectApproval } from './approvals.ts';
import { projectAttempt } from './attempts.ts';
import { projectRefusal } from './refusals.ts';
import { projectRun } from './runs.ts';

/** Applies one event to every projection, in the transaction that wrote it or while the projections are made again. */
export function projectEvent(db: Database, event: RecordedEvent): void {
  projectAgent(db, event);
  projectRun(db, event);
  projectAttempt(db, event);
  projectApproval(db, event);
  projectRefusal(db, event);
}
