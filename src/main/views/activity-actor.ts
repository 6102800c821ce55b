import type { ActivityActor } from '../../shared/contract/activity-views.ts';
import type { EventKind, RecordedEvent } from '../../shared/contract/events.ts';
import { opening } from './words.ts';

/** What the host signs its own acts with. */
const HOST_NAME = 'Fencepost';
const HOST: ActivityActor = { kind: 'host', name: HOST_NAME };

/** What an agent does at its work, as opposed to what the host checks and keeps. */
const WORK: ReadonlySet<EventKind> = new Set<EventKind>([
  'intent.recorded',
  'intent.refused',
  'effect.started',
  'settle.recorded',
  'settle.late-evidence',
  'approval.requested',
  'run.entered',
  'run.waiting',
  'run.branching',
  'run.branched',
  'run.concluded',
  'run.ended',
]);

/** Who did what an entry tells. */
export function actorOf(event: RecordedEvent, agentName: string): ActivityActor {
  switch (event.kind) {
    case 'approval.decided':
      // A standing permission answered: nobody was asked.
      if (event.payload.standingId !== undefined) return HOST;
      break;
    case 'trigger.fired':
      if (event.payload.source !== undefined && event.payload.source.by !== 'person') return HOST;
      break;
    case 'settle.recorded':
      if (event.payload.settledBy === 'person') return { kind: 'person', name: 'You' };
      if (event.payload.settledBy !== 'executor') return HOST;
      break;
    default:
  }
  // An outcome names whoever settled it above; a branch begins because its run goes on.
  const isWork = WORK.has(event.kind);
  if (!isWork && 'by' in event.payload && typeof event.payload.by === 'string') {
    const { by } = event.payload;
    return by === HOST_NAME ? HOST : { kind: 'person', name: opening(by) };
  }
  return isWork && agentName !== '' ? { kind: 'agent', name: agentName } : HOST;
}
