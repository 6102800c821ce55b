import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { payloadText } from '../../../shared/core/sync/operation.ts';
import type { Json } from '../../../shared/lib/canonical-json.ts';
import { aboutOf } from '../journal-rows.ts';
import { projectAgent } from './agents.ts';
import { projectAnswer } from './answers.ts';
import { projectApproval } from './approvals.ts';
import { projectAttempt } from './attempts.ts';
import { projectGrant } from './grants.ts';
import { projectHold } from './holds.ts';
import { projectRefusal } from './refusals.ts';
import { projectRun } from './runs.ts';
import { projectStanding } from './standing.ts';
import { projectSyncDevice } from './sync-devices.ts';
import { projectTrigger } from './triggers.ts';

/**
 * Applies one event to every projection, in the transaction that wrote it or while the projections are made again. `text`
 * is the payload as the journal keeps it: what is stored of it is the same text both times, whatever the order of members.
 */
export function projectEvent(
  db: Database,
  event: RecordedEvent,
  text: string = payloadText(event.payload as unknown as Json),
): void {
  projectOnAgent(db, event, text);
  projectOnRun(db, event, text);
}

/** What an event changes of its agent: all that stands in no run. A run that a trigger started changes that trigger. */
export function projectOnAgent(db: Database, event: RecordedEvent, text: string): void {
  projectAgent(db, event);
  projectGrant(db, event);
  projectStanding(db, event);
  projectHold(db, event);
  projectTrigger(db, event);
  projectSyncDevice(db, event);
  if (aboutOf(event.payload).runId === null) projectRefusal(db, event, text);
}

/** What an event changes of its run and of the runs that this one is a branch of. */
export function projectOnRun(db: Database, event: RecordedEvent, text: string): void {
  if (aboutOf(event.payload).runId === null) return;
  projectRun(db, event);
  projectAttempt(db, event, text);
  projectApproval(db, event, text);
  projectAnswer(db, event, text);
  projectRefusal(db, event, text);
}
