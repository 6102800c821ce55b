import type { ActivityRow } from '../../shared/contract/activity-views.ts';
import { actOf } from '../../shared/contract/acts.ts';
import type { EventPayloads, RecordedEvent } from '../../shared/contract/events.ts';
import { devicesText } from './control-words.ts';
import { eventSentence } from './event-words.ts';
import type { EventNames, EventSentence } from './event-words.ts';
import type { ViewSource } from './view-source.ts';
import { missedWords } from './schedule-words.ts';
import { countText, exactTimeText, opening } from './words.ts';

type Said = Pick<ActivityRow, 'sentence' | 'measure' | 'mark'>;

/** What the sentences of entries need to know besides the entry. */
export interface ActivityNames extends EventNames {
  readonly source: Pick<ViewSource, 'device' | 'peerName'>;
}

/** One entry in one plain sentence, also of the kinds that the timeline of a run leaves out. */
export function activitySentence(event: RecordedEvent, names: ActivityNames): Said {
  if (actOf(event.kind) === null) {
    return plain('A later version of Fencepost wrote this. Its facts show it as it was written.');
  }
  try {
    return ownSentence(event, names) ?? ofTimeline(eventSentence(event, names));
  } catch {
    // What another device wrote may be of a shape that this version does not expect. One such entry must not hide the rest.
    return plain('This entry can’t be put into words here. Its facts show it as it was written.');
  }
}

function plain(sentence: string, measure = ''): Said {
  return { sentence, measure, mark: 'plain' };
}

const MARKS: Readonly<Partial<Record<NonNullable<EventSentence>['mark'], ActivityRow['mark']>>> = {
  done: 'done',
  failed: 'failed',
  refused: 'refused',
  unclear: 'unclear',
};

function ofTimeline(said: EventSentence): Said {
  if (said === null) return plain('Written down.');
  return { sentence: said.sentence, measure: said.measure, mark: MARKS[said.mark] ?? 'plain' };
}

/** The kinds of which a run’s timeline says nothing, or too little without the run around it. */
function ownSentence(event: RecordedEvent, names: ActivityNames): Said | null {
  const device = names.deviceName(event.deviceId);
  switch (event.kind) {
    case 'agent.saved':
      return plain(`A version of ${event.payload.name} was saved on ${device}`);
    case 'grant.given':
      return plain(grantText(event.payload, names));
    case 'grant.revoked':
      return plain(`${opening(event.payload.by)} took the permission back`);
    case 'grant.expired':
      return plain('The permission had run out', exactTimeText(event.payload.expiresAtMs));
    case 'approval.standing-given':
      return plain(
        `${opening(event.payload.by)} allowed this and others like it`,
        `until ${exactTimeText(event.payload.expiresAtMs)}`,
      );
    case 'approval.standing-revoked':
      return plain(`${opening(event.payload.by)} took a standing permission back`);
    case 'trigger.fired':
      return plain(`“${event.payload.title}” was started by ${event.payload.by}`);
    case 'trigger.armed':
      return plain(armedText(event.payload.triggers.length));
    case 'trigger.missed': {
      const { slotCount, isMore, reason, detail } = event.payload;
      const times = slotCount > 1 || isMore ? `${slotCount}${isMore ? ' or more' : ''} times` : '';
      return plain(missedWords(reason, detail), times);
    }
    case 'trigger.skipped':
      return plain(`${opening(event.payload.by)} skipped what was missed. Nothing was sent.`);
    case 'claim.extended':
      return plain(`${device} kept what it had taken for longer`);
    case 'run.entered':
      return plain(`Came to “${names.stateTitle(event.payload.stateId)}”`);
    case 'successor.released':
      return plain(`Next step: “${names.stateTitle(event.payload.toStateId)}”`);
    case 'lease.observed':
      return plain(`${device} saw that another device has the right to act`);
    default:
      return deviceSentence(event, names);
  }
}

function deviceSentence(event: RecordedEvent, names: ActivityNames): Said | null {
  switch (event.kind) {
    case 'sync.device-joined':
      return plain(`${event.payload.name} shares its record`, `version ${event.payload.version}`);
    case 'sync.device-let-go':
      return plain(
        `${opening(event.payload.by)} let ${names.deviceName(event.payload.deviceId)} go`,
        `up to its entry ${event.payload.upToSeq}`,
      );
    case 'sync.keys-rotated':
      return plain('New keys were made for the devices that remain');
    default:
      return null;
  }
}

function grantText({ by, devices, expiresAtMs }: EventPayloads['grant.given'], names: ActivityNames): string {
  const where = devices === undefined || devices === '*' ? '' : `, ${devicesText(names.source, devices)}`;
  const until = expiresAtMs === undefined || expiresAtMs === null ? '' : `, until ${exactTimeText(expiresAtMs)}`;
  return `${opening(by)} permitted this version of the agent${where}${until}`;
}

function armedText(count: number): string {
  return count === 0
    ? 'Nothing starts it by itself'
    : `From now on ${countText(count, 'trigger')} ${count === 1 ? 'counts' : 'count'}`;
}
