import type { EventPayloads, RecordedEvent } from '../../shared/contract/events.ts';
import type { TryView } from '../../shared/contract/run-views.ts';
import type { LaneView, StepRow } from '../../shared/contract/views.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { plainly } from './failure-words.ts';
import { toolWords } from './words.ts';

type Intent = EventPayloads['intent.recorded'];
type Settled = EventPayloads['settle.recorded'];

/** What became of one effect, over all its attempts. */
export interface EffectStory {
  readonly effectKey: string;
  /** The newest intent. */
  readonly intent: Intent;
  readonly attempts: number;
  readonly marks: LaneView['marks'];
  readonly status: StepRow['status'];
  readonly settled: Settled | null;
  readonly summary: string;
  /** Each attempt, oldest first. */
  readonly tries: readonly TryView[];
}

interface Draft {
  intent: Intent;
  attempts: number;
  marks: LaneView['marks'][number][];
  status: StepRow['status'];
  settled: Settled | null;
  summary: string;
  tries: TryView[];
}

/** The effects of a run in the order in which they were first written down. */
export function effectStories(events: readonly RecordedEvent[]): ReadonlyMap<string, EffectStory> {
  const drafts = new Map<string, Draft>();
  for (const event of events) {
    if (event.kind === 'intent.recorded') begin(drafts, event.payload, event.atMs);
    else if (event.kind === 'run.retrying') retry(drafts, event.payload);
    else if ('effect' in event.payload) {
      const draft = drafts.get(event.payload.effect.effectKey);
      if (draft === undefined) continue;
      tell(draft, event);
      change(draft, event.kind === 'settle.recorded' ? { summary: plainly(event.payload.summary) } : {});
    }
  }
  return new Map([...drafts].map(([effectKey, draft]) => [effectKey, { effectKey, ...draft }]));
}

function begin(drafts: Map<string, Draft>, intent: Intent, atMs: number): void {
  const { effectKey } = intent.effect;
  const attempt: TryView = { number: intent.attemptNumber, atMs, status: 'waiting', summary: '', retryAfterMs: null };
  const known = drafts.get(effectKey);
  if (known !== undefined) {
    Object.assign(known, { intent, attempts: known.attempts + 1, status: 'waiting' });
    known.tries.push(attempt);
    return;
  }
  drafts.set(effectKey, {
    intent,
    attempts: 1,
    marks: [],
    status: 'waiting',
    settled: null,
    summary: '',
    tries: [attempt],
  });
}

/** The event names the step: of its effects it is about the one whose newest attempt failed last. */
function retry(drafts: ReadonlyMap<string, Draft>, of: EventPayloads['run.retrying']): void {
  const draft = [...drafts.values()].findLast(
    ({ intent, status }) =>
      status === 'failed' &&
      intent.stateId === of.stateId &&
      intent.stateVisit === of.stateVisit &&
      intent.attemptNumber === of.attemptNumber,
  );
  if (draft === undefined) return;
  change(draft, { retryAfterMs: of.delayMs });
  draft.status = 'waiting';
}

/** The newest attempt stands as its effect does. */
function change(draft: Draft, more: Partial<TryView>): void {
  const last = draft.tries.at(-1);
  if (last !== undefined) draft.tries[draft.tries.length - 1] = { ...last, status: draft.status, ...more };
}

function mark(draft: Draft, event: RecordedEvent, kind: Draft['marks'][number]['kind']): void {
  draft.marks.push({ atMs: event.atMs, kind });
}

function refuse(draft: Draft, event: RecordedEvent): void {
  mark(draft, event, 'refused');
  draft.status = 'refused';
}

function tell(draft: Draft, event: RecordedEvent): void {
  switch (event.kind) {
    case 'gate.decided':
      if (event.payload.decision.kind === 'refuse') refuse(draft, event);
      return;
    case 'claim.decided':
      if (event.payload.verdict !== 'granted') refuse(draft, event);
      return;
    case 'fence.decided':
      if (event.payload.decision.kind !== 'proceed') refuse(draft, event);
      return;
    case 'effect.withheld':
      // The mark was made, and then nothing left.
      if (draft.marks.at(-1)?.kind === 'sent') draft.marks.pop();
      refuse(draft, event);
      return;
    case 'effect.started':
      mark(draft, event, 'sent');
      draft.status = 'running';
      return;
    case 'recovery.in-doubt':
    case 'recovery.reopened':
      mark(draft, event, 'unclear');
      draft.status = 'unclear';
      return;
    case 'recovery.reclaimed':
    case 'recovery.repeated':
      draft.status = 'waiting';
      return;
    case 'recovery.decided':
      draft.status = event.payload.choice === 'stop-here' ? 'stopped' : 'waiting';
      return;
    case 'settle.recorded':
      draft.settled = event.payload;
      draft.summary = plainly(event.payload.summary);
      draft.status = event.payload.outcome.kind === 'success' ? 'done' : 'failed';
      return;
    default:
      return;
  }
}

/** How an effect came out, in two or three words. */
function outcomeText(story: EffectStory): string {
  const words = toolWords(story.intent.tool);
  const sent = story.marks.filter((each) => each.kind === 'sent').length;
  switch (story.status) {
    case 'done':
      if (story.settled?.settledBy === 'tail') return 'Had happened before';
      if (story.settled?.settledBy === 'person') return `It was ${words.done}, you said`;
      if (story.intent.effectKind === 'read-only') return 'Looked';
      return sent <= 1 ? words.once : `${words.once.split(' ')[0] ?? ''} in ${sent} attempts`;
    case 'failed':
      return story.settled?.outcome.kind === 'failure' && !story.settled.outcome.wasSent
        ? `Not ${words.done}`
        : 'An error was answered';
    case 'unclear':
      return 'Unclear';
    case 'refused':
      return `Not ${words.done}`;
    case 'running':
      return 'On its way';
    case 'stopped':
      return 'Stopped, unclear';
    case 'waiting':
    case 'needs-approval':
      return 'Waiting';
    default:
      return assertNever(story.status);
  }
}

/** One lane per outside effect. */
export function lanesOf(stories: ReadonlyMap<string, EffectStory>): LaneView[] {
  return [...stories.values()].map((story) => ({
    effectKey: story.effectKey,
    title: story.intent.title,
    outcome: outcomeText(story),
    status: story.status,
    marks: story.marks,
  }));
}
