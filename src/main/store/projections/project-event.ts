import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { payloadText } from '../../../shared/core/sync/operation.ts';
import type { Json } from '../../../shared/lib/canonical-json.ts';
import { projectAgent } from './agents.ts';
import { projectApproval } from './approvals.ts';
import { projectAttempt } from './attempts.ts';
import { projectGrant } from './grants.ts';
import { projectHold } from './holds.ts';
import { projectRefusal } from './refusals.ts';
import { projectRun } from './runs.ts';
import { projectStanding } from './standing.ts';
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
  projectAgent(db, event);
  projectGrant(db, event);
  projectRun(db, event);
  projectAttempt(db, event, text);
  projectApproval(db, event, text);
  projectStanding(db, event);
  projectHold(db, event);
  projectRefusal(db, event, text);
  projectTrigger(db, event);
}
