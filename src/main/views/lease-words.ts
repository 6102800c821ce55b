import type { RecordedEvent } from '../../shared/contract/events.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import type { EventNames, EventSentence } from './event-words.ts';
import { refusalWords } from './refusal-words.ts';
import { durationText } from './words.ts';

type LeaseEvent = Extract<RecordedEvent, { kind: `lease.${string}` }>;

/** Whether an event is about the right to act. */
export function isLeaseEvent(event: RecordedEvent): event is LeaseEvent {
  return event.kind.startsWith('lease.');
}

/** What happened to the right to act. */
export function leaseSentence(event: LeaseEvent, names: Pick<EventNames, 'deviceName'>): EventSentence {
  const device = names.deviceName(event.deviceId);
  const key = (sentence: string, measure = ''): EventSentence => ({ word: 'lease', sentence, measure, mark: 'key' });
  switch (event.kind) {
    case 'lease.observed':
      return null;
    case 'lease.acquired': {
      const { holdOffMs, previousHolder, by } = event.payload;
      const isTakeover = previousHolder !== null && previousHolder !== event.deviceId;
      if (by !== undefined) return key(`${device} took the right to act over, by ${by}`, waits(holdOffMs));
      const sentence = isTakeover
        ? `${device} took over the right to act from ${lower(names.deviceName(previousHolder))}`
        : `${device} got the right to act`;
      return key(sentence, waits(holdOffMs));
    }
    case 'lease.released':
      return key(`${device} gave the right to act back`);
    case 'lease.lost': {
      const { holder } = event.payload;
      const to = holder === null ? '' : ` to ${lower(names.deviceName(holder))}`;
      return key(`${device} lost the right to act${to}. Nothing more is sent from ${device}.`);
    }
    case 'lease.doubtful': {
      const { reason, gapMs } = event.payload;
      const measure = durationText(gapMs);
      return reason === 'suspended'
        ? {
            word: 'lease',
            sentence: `${device} was asleep or held up. Nothing is sent until the right to act is confirmed.`,
            measure,
            mark: 'gap',
          }
        : {
            word: 'lease',
            sentence: `The clocks of ${device} disagree. Nothing is sent until the right to act is confirmed.`,
            measure,
            mark: 'gap',
          };
    }
    case 'lease.went-back':
      return heldBack('went-back', device);
    case 'lease.moved-away':
      return heldBack('moved-away', device);
    case 'lease.moved':
      return key(`The right to act is kept by ${event.payload.name} from now on, by ${event.payload.by}`);
    case 'lease.bumped':
      return key(`The right to act was raised above everything that was seen before, by ${event.payload.by}`);
    case 'lease.takeover-set':
      return key(
        event.payload.takeover === 'by-person'
          ? `Other devices take over only by hand from now on, by ${event.payload.by}`
          : `Other devices may take over by themselves from now on, by ${event.payload.by}`,
      );
    default:
      return assertNever(event);
  }
}

function heldBack(reason: 'went-back' | 'moved-away', device: string): EventSentence {
  const { headline, meaning } = refusalWords('lease', reason, { device, holder: null, done: 'sent' });
  return { word: 'lease', sentence: `${headline} ${meaning}`, measure: `nothing left ${device}`, mark: 'refused' };
}

function waits(holdOffMs: number): string {
  return holdOffMs > 0 ? `waits ${durationText(holdOffMs)}` : '';
}

function lower(name: string): string {
  return name === 'Another device' ? 'another device' : name;
}
