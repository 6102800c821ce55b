import type { EventPayloads, RecordedEvent } from '../../shared/contract/events.ts';
import type { TimelineRow } from '../../shared/contract/views.ts';
import type { RunEnding } from '../../shared/core/run/run-state.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { branchSentence } from './branch-words.ts';
import { controlSentence } from './control-words.ts';
import { plainly } from './failure-words.ts';
import { isLeaseEvent, leaseSentence } from './lease-words.ts';
import { doubtText, probeText, repeatText } from './recovery-words.ts';
import { refusalWords } from './refusal-words.ts';
import { choiceText, durationText, toolWords, opening } from './words.ts';

/** What the sentences of a run's events need to know besides the event. */
export interface EventNames {
  readonly deviceName: (deviceId: string | null) => string;
  readonly stateTitle: (stateId: string) => string;
  /** The intent of an attempt: its tool, title and number. */
  readonly attempt: (
    attemptToken: string,
  ) => { readonly tool: string; readonly title: string; readonly number: number } | null;
  /** Whether an attempt has an outcome, or is known to have none. */
  readonly isOver: (attemptToken: string) => boolean;
  /** Whether it was held back at the last moment, or its device was gone before it said anything about it. */
  readonly mayNotHaveLeft: (attemptToken: string) => boolean;
}

/** A timeline row without its place: `null` for an event that the compact timeline leaves out. */
export type EventSentence = Pick<TimelineRow, 'word' | 'sentence' | 'measure' | 'mark'> | null;

function dot(word: string, sentence: string, measure = ''): EventSentence {
  return { word, sentence, measure, mark: 'dot' };
}

/** One event in one plain sentence that names its device. */
export function eventSentence(event: RecordedEvent, names: EventNames): EventSentence {
  if (isLeaseEvent(event)) return leaseSentence(event, names);
  const device = names.deviceName(event.deviceId);
  switch (event.kind) {
    case 'agent.saved':
    case 'grant.given':
    case 'grant.revoked':
    case 'grant.expired':
    case 'approval.standing-given':
    case 'approval.standing-revoked':
    case 'claim.extended':
    case 'run.entered':
    case 'trigger.armed':
    case 'trigger.missed':
    case 'trigger.skipped':
      return null;
    case 'trigger.fired':
      return dot('trigger', `Started by ${event.payload.by} on ${device}`);
    case 'intent.recorded': {
      const { title, attemptNumber } = event.payload;
      return dot(
        'intent',
        `${title}: written down before anything left`,
        attemptNumber > 1 ? `attempt ${attemptNumber}` : '',
      );
    }
    case 'gate.decided':
    case 'claim.decided':
    case 'fence.decided':
    case 'effect.withheld':
      return checkSentence(event, names);
    case 'effect.started':
      return startSentence(event.payload.attemptToken, device, names);
    case 'settle.recorded': {
      const { outcome, summary, tookMs } = event.payload;
      return {
        word: 'settle',
        sentence: plainly(summary),
        measure: tookMs === null ? '' : durationText(tookMs),
        mark: outcome.kind === 'success' ? 'done' : 'failed',
      };
    }
    case 'agent.stop-requested':
    case 'agent.pause-requested':
    case 'agent.resumed':
    case 'approval.stale':
      return { ...controlSentence(event), measure: '', mark: 'dot' };
    case 'run.branching':
    case 'run.branched':
    case 'run.concluded':
    case 'run.retrying':
    case 'intent.refused':
      return branchSentence(event, { device, stateTitle: names.stateTitle });
    case 'settle.late-evidence':
      return dot('recovery', `A late answer arrived: ${plainly(event.payload.summary)}`);
    case 'successor.released':
      return dot('successor', names.stateTitle(event.payload.toStateId));
    case 'sync.device-joined':
    case 'sync.device-let-go':
    case 'sync.keys-rotated':
      // They belong to the devices, and to no run.
      return null;
    case 'successor.refused':
      return refused('successor', event.payload.reason, { device, holder: null, done: 'started' });
    default:
      return personSentence(event, names);
  }
}

/** The mark is durable before anything leaves: whether it did is only known from what came after. */
function startSentence(attemptToken: string, device: string, names: EventNames): EventSentence {
  const words = toolWords(names.attempt(attemptToken)?.tool ?? '');
  const sentence = names.mayNotHaveLeft(attemptToken) ? words.about(device) : words.left(device);
  return { word: 'effect', sentence, measure: '', mark: names.isOver(attemptToken) ? 'dot' : 'running' };
}

function refused(word: string, reason: string, names: Parameters<typeof refusalWords>[2]): EventSentence {
  const { headline, meaning } = refusalWords(word, reason, names);
  return { word, sentence: `${headline} ${meaning}`, measure: `nothing left ${names.device}`, mark: 'refused' };
}

type CheckEvent = Extract<
  RecordedEvent,
  { kind: 'gate.decided' | 'claim.decided' | 'fence.decided' | 'effect.withheld' }
>;

function checkSentence(event: CheckEvent, names: EventNames): EventSentence {
  const device = names.deviceName(event.deviceId);
  const attempt = names.attempt(event.payload.attemptToken);
  const who = { device, holder: null, done: toolWords(attempt?.tool ?? '').done };
  switch (event.kind) {
    case 'gate.decided':
      if (event.payload.decision.kind === 'refuse') return refused('gate', event.payload.decision.reason, who);
      return dot('gate', 'Your permission covers it, and the run goes on');
    case 'claim.decided':
      if (event.payload.verdict !== 'granted') return refused('claim', event.payload.verdict, who);
      return dot('claim', `${device} took it, attempt ${attempt?.number ?? 1}`);
    case 'fence.decided': {
      const { decision, facts } = event.payload;
      if (decision.kind === 'proceed')
        return dot('fence', `Not ${who.done} before, and ${device} still has the right to act`);
      const isElsewhere = facts.registerHolder !== null && facts.registerHolder !== event.deviceId;
      return refused('fence', decision.kind, {
        ...who,
        holder: isElsewhere ? names.deviceName(facts.registerHolder) : null,
      });
    }
    case 'effect.withheld':
      return refused('fence', event.payload.reason, who);
    default:
      return assertNever(event);
  }
}

type PersonEvent = Extract<RecordedEvent, { kind: `recovery.${string}` | `approval.${string}` | `run.${string}` }>;
type OtherEvent = Exclude<
  PersonEvent,
  {
    kind:
      | 'run.entered'
      | 'run.branching'
      | 'run.branched'
      | 'run.concluded'
      | 'run.retrying'
      | 'approval.stale'
      | 'approval.standing-given'
      | 'approval.standing-revoked';
  }
>;

function personSentence(event: OtherEvent, names: EventNames): EventSentence {
  switch (event.kind) {
    case 'recovery.reclaimed':
      return dot(
        'recovery',
        `${names.deviceName(event.payload.previousOwner.deviceId)} had not started it. Nothing was sent, so it is taken up again.`,
      );
    case 'recovery.in-doubt': {
      const owner = event.payload.previousOwner?.deviceId ?? event.deviceId;
      return {
        word: 'recovery',
        sentence: `Unclear whether it happened: ${doubtText(event.payload.code, { device: names.deviceName(owner), tool: names.attempt(event.payload.attemptToken)?.tool ?? '' })}`,
        measure: '',
        mark: 'unclear',
      };
    }
    case 'recovery.probed':
      return dot('recovery', `${opening(event.payload.by)} looked: ${probeText(event.payload.answer)}`);
    case 'recovery.repeated':
      return dot('recovery', repeatText(event.payload.reason));
    case 'recovery.decided': {
      const { by, choice, attemptToken } = event.payload;
      const sentence = `${opening(by)} decided: ${choiceText(choice, names.attempt(attemptToken)?.tool ?? '')}`;
      return { word: 'recovery', sentence, measure: '', mark: choice === 'it-happened' ? 'done' : 'dot' };
    }
    case 'recovery.reopened':
      return {
        word: 'recovery',
        sentence: `${opening(event.payload.by)} reopened it. It is unclear again.`,
        measure: '',
        mark: 'unclear',
      };
    case 'approval.requested':
      return dot('approval', `Asked you: ${event.payload.question}`);
    case 'approval.decided':
      return event.payload.isAllowed
        ? { word: 'approval', sentence: allowedText(event.payload), measure: '', mark: 'done' }
        : {
            word: 'approval',
            sentence: `${opening(event.payload.by)} did not allow it. It was not sent.`,
            measure: '',
            mark: 'refused',
          };
    case 'approval.expired':
      return {
        word: 'approval',
        sentence: 'Nobody answered in time, so it was not sent',
        measure: '',
        mark: 'refused',
      };
    case 'approval.answered':
      return dot('sync', `${opening(event.payload.by)} answered on ${names.deviceName(event.deviceId)}`);
    case 'recovery.answered':
      return dot('sync', `${opening(event.payload.by)} decided on ${names.deviceName(event.deviceId)}`);
    case 'run.waiting':
      return dot('run', 'Waits', durationText(event.payload.untilMs - event.atMs));
    case 'run.stop-requested':
      return dot('run', `${opening(event.payload.by)} stopped the run. Nothing further is sent.`);
    case 'run.pause-requested':
      return dot('run', `${opening(event.payload.by)} paused the run`);
    case 'run.resumed':
      return dot('run', `${opening(event.payload.by)} resumed the run`);
    case 'run.ended':
      return { word: 'run', ...ENDINGS[event.payload.ending](plainly(event.payload.summary)), measure: '' };
    default:
      event satisfies never;
      return dot('sync', 'Another device wrote down something that this version does not know yet');
  }
}

function allowedText({ by, standingId }: EventPayloads['approval.decided']): string {
  return standingId === undefined ? `${opening(by)} allowed it once` : 'Your standing permission allowed it';
}

const ENDINGS: Readonly<Record<RunEnding, (summary: string) => Pick<TimelineRow, 'sentence' | 'mark'>>> = {
  done: (summary) => ({ sentence: summary, mark: 'done' }),
  stopped: (summary) => ({ sentence: summary, mark: 'dot' }),
  'failed-nothing-sent': (summary) => ({ sentence: withNothingSent(summary), mark: 'failed' }),
  'failed-was-sent': (summary) => ({ sentence: summary, mark: 'failed' }),
};

function withNothingSent(summary: string): string {
  return summary.includes('Nothing was') ? summary : `${summary.replace(/\.$/u, '')}. Nothing was sent.`;
}
