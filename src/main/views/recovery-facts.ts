import type { EventPayloads, RecordedEvent } from '../../shared/contract/events.ts';
import type { RecoveryView } from '../../shared/contract/decision-views.ts';
import type { AttemptRecord } from '../store/rows.ts';
import { eventSentence } from './event-words.ts';
import type { EventNames } from './event-words.ts';
import { plainly } from './failure-words.ts';
import { leaseSentence } from './lease-words.ts';
import { doubtText, probeText } from './recovery-words.ts';
import { effectKeyOfEvent, repeatsDecision } from './run-events.ts';
import { clockText, countText, toolWords, opening } from './words.ts';

type Known = RecoveryView['known'][number];

/** The most known facts that are shown, newest kept. */
const KNOWN_LIMIT = 40;

/** What is known about an effect, each fact with its time and where it comes from. */
export function knownFacts(
  events: readonly RecordedEvent[],
  of: { readonly attempt: AttemptRecord; readonly names: EventNames; readonly coordinatorName: string },
): Known[] {
  const { attempt, names, coordinatorName } = of;
  const from =
    events.find((event) => event.kind === 'intent.recorded' && event.payload.effect.effectKey === attempt.effect_key)
      ?.seq ?? 0;
  const known: Known[] = [];
  for (const event of events) {
    const sentence = factSentence(event, attempt, names);
    if (sentence === null || event.seq < from || repeatsDecision(event)) continue;
    const source = event.kind.startsWith('lease.') ? coordinatorName : names.deviceName(event.deviceId);
    known.push({ seq: event.seq, atMs: event.atMs, sentence, source });
  }
  return known.slice(-KNOWN_LIMIT);
}

function factSentence(event: RecordedEvent, attempt: AttemptRecord, names: EventNames): string | null {
  switch (event.kind) {
    case 'lease.acquired':
    case 'lease.released':
    case 'lease.lost':
    case 'lease.doubtful':
    case 'lease.went-back':
    case 'lease.moved':
    case 'lease.moved-away':
    case 'lease.bumped':
      return leaseSentence(event, names)?.sentence ?? null;
    case 'run.stop-requested':
      return eventSentence(event, names)?.sentence ?? null;
    default:
      return effectKeyOfEvent(event) === attempt.effect_key ? effectSentence(event, names) : null;
  }
}

function effectSentence(event: RecordedEvent, names: EventNames): string | null {
  const device = names.deviceName(event.deviceId);
  switch (event.kind) {
    case 'intent.recorded':
      return `${device} wrote the step down, before anything left`;
    case 'claim.decided':
      if (event.payload.verdict !== 'granted') return null;
      return `${device} took this step, attempt ${names.attempt(event.payload.attemptToken)?.number ?? 1}`;
    case 'recovery.in-doubt': {
      const { code, previousOwner, attemptToken } = event.payload;
      const owner = names.deviceName(previousOwner?.deviceId ?? event.deviceId);
      const text = doubtText(code, { device: owner, tool: names.attempt(attemptToken)?.tool ?? '' });
      return text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/u, '');
    }
    case 'recovery.probed':
      return `${opening(event.payload.by)} looked: ${probeText(event.payload.answer)}. ${plainly(event.payload.summary)}`;
    case 'gate.decided':
    case 'fence.decided':
    case 'effect.withheld': {
      const said = eventSentence(event, names);
      return said?.mark === 'refused' ? said.sentence : null;
    }
    default:
      return eventSentence(event, names)?.sentence ?? null;
  }
}

/** How far it got: certain as far as it is written down, unknown from where nobody can know. */
export function reachedStrip(of: {
  readonly attempt: AttemptRecord;
  readonly events: readonly RecordedEvent[];
  readonly intent: EventPayloads['intent.recorded'];
  readonly names: EventNames;
  readonly ownerName: string;
}): RecoveryView['reached'] {
  const { attempt, events, intent, names, ownerName } = of;
  const own = events.filter(
    (event) => 'attemptToken' in event.payload && event.payload.attemptToken === attempt.attempt_token,
  );
  const written = own.find((event) => event.kind === 'intent.recorded');
  const started = own.find((event) => event.kind === 'effect.started');
  const probe = attempt.probe === null ? null : (JSON.parse(attempt.probe) as EventPayloads['recovery.probed']);
  const isProbed = probe !== null && probe.answer !== 'silent';
  const late = attempt.evidence === null ? null : (JSON.parse(attempt.evidence) as { summary: string });
  const sender = started === undefined ? ownerName : names.deviceName(started.deviceId);
  const isGone = names.mayNotHaveLeft(attempt.attempt_token);
  return [
    {
      label: 'Written down',
      detail: written === undefined ? '' : `${clockText(written.atMs)}, ${names.deviceName(written.deviceId)}`,
      isKnown: true,
    },
    {
      label: `Left ${sender === 'Another device' ? 'another device' : sender}${isGone ? '?' : ''}`,
      detail: leftDetail(started, isGone, attempt),
      isKnown: started !== undefined && !isGone,
    },
    {
      label: toolWords(intent.tool).reached,
      detail: isProbed
        ? `The check says: ${probeText(probe.answer)}`
        : late === null
          ? unknownDetail(attempt)
          : 'It answered late',
      isKnown: isProbed || late !== null,
    },
    { label: 'Answer', detail: late === null ? 'None was recorded' : plainly(late.summary), isKnown: late !== null },
  ];
}

/** A decision does not make known what happened; it only ends the waiting for it. */
function unknownDetail(attempt: AttemptRecord): string {
  return attempt.decision === null ? 'Nobody can tell yet' : 'Nobody could tell';
}

/** A device that was gone before it said anything may have been stopped just before the send. */
function leftDetail(started: RecordedEvent | undefined, isGone: boolean, attempt: AttemptRecord): string {
  if (started === undefined) return 'It had been announced';
  return isGone
    ? `${clockText(started.atMs)}, it was about to`
    : `${clockText(started.atMs)}, ${ordinal(attempt.attempt_number)} attempt`;
}

function ordinal(number: number): string {
  return ['first', 'second', 'third', 'fourth', 'fifth'][number - 1] ?? countText(number, 'th', 'th').replace(' ', '');
}
