import type { EventPayloads, RecordedEvent } from '../../shared/contract/events.ts';
import type { WhyView } from '../../shared/contract/views.ts';
import type { EventNames } from './event-words.ts';
import { refusalWords, WORKED } from './refusal-words.ts';
import type { RefusalWords } from './refusal-words.ts';
import { claimQuestions, fenceQuestions, gateQuestions, lastLookQuestion } from './why-questions.ts';
import type { Question } from './why-questions.ts';
import { exactTimeText, shortDigest, toolWords } from './words.ts';

/** The most answers in one view, newest kept. */
const WHY_LIMIT = 200;

/** What one attempt was asked; the newest answer of each check counts. */
interface AttemptChecks {
  intent: EventPayloads['intent.recorded'];
  seq: number;
  atMs: number;
  deviceId: string;
  gate: EventPayloads['gate.decided'] | null;
  claim: EventPayloads['claim.decided'] | null;
  fence: EventPayloads['fence.decided'] | null;
  withheld: EventPayloads['effect.withheld'] | null;
  wasStarted: boolean;
  /** Whether the device that carried it out said how it went. */
  isAnswered: boolean;
}

/** Why each attempt of a run was sent or was not, with the questions in the order in which they were asked. */
export function whyViews(events: readonly RecordedEvent[], names: EventNames): WhyView[] {
  const attempts = new Map<string, AttemptChecks>();
  for (const event of events) gather(attempts, event);
  return [...attempts.values()]
    .filter((each) => each.gate !== null)
    .slice(-WHY_LIMIT)
    .map((each) => whyOf(each, names));
}

function gather(attempts: Map<string, AttemptChecks>, event: RecordedEvent): void {
  if (event.kind === 'intent.recorded') {
    const { seq, atMs, deviceId, payload } = event;
    attempts.set(payload.attemptToken, {
      intent: payload,
      seq,
      atMs,
      deviceId,
      gate: null,
      claim: null,
      fence: null,
      withheld: null,
      wasStarted: false,
      isAnswered: false,
    });
    return;
  }
  const checks = 'attemptToken' in event.payload ? attempts.get(event.payload.attemptToken) : undefined;
  if (checks === undefined) return;
  if (event.kind === 'gate.decided') checks.gate = event.payload;
  else if (event.kind === 'claim.decided') checks.claim = event.payload;
  else if (event.kind === 'fence.decided') checks.fence = event.payload;
  else if (event.kind === 'effect.withheld') checks.withheld = event.payload;
  else if (event.kind === 'effect.started') checks.wasStarted = true;
  else if (isAnswer(event)) {
    checks.isAnswered = true;
    return;
  } else return;
  checks.seq = event.seq;
  checks.atMs = event.atMs;
  checks.deviceId = event.deviceId;
}

/** An answer, or a failure to get one, that was recorded by the device that did it: it had looked once more and gone on. */
function isAnswer(event: RecordedEvent): boolean {
  if (event.kind === 'settle.recorded') return event.payload.settledBy === 'executor';
  return (
    event.kind === 'settle.late-evidence' ||
    (event.kind === 'recovery.in-doubt' &&
      event.payload.lostSince === null &&
      event.payload.code !== 'announced-by-last-holder' &&
      event.payload.code !== 'repeat-too-late' &&
      event.payload.code !== 'repeat-refused')
  );
}

function whyOf(checks: AttemptChecks, names: EventNames): WhyView {
  const device = names.deviceName(checks.deviceId);
  const { done } = toolWords(checks.intent.tool);
  const refusal = refusalOf(checks, names, { device, done });
  const questions: Question[] = [];
  if (checks.gate !== null) questions.push(...gateQuestions(checks.gate, device));
  if (checks.claim !== null) questions.push(...claimQuestions(checks.claim, names));
  if (checks.fence !== null)
    questions.push(
      ...fenceQuestions(checks.fence, { device, deviceId: checks.deviceId, deviceName: names.deviceName, done }),
    );
  if (checks.withheld !== null || checks.isAnswered) questions.push(lastLookQuestion(checks.withheld, device));
  return {
    seq: checks.seq,
    atMs: checks.atMs,
    effectKey: checks.intent.effect.effectKey,
    headline: headlineOf(checks, refusal, done),
    isGoodNews: refusal !== null && !refusal.needsPerson,
    questions,
    facts: factsOf(checks, { device, refusal }),
  };
}

function headlineOf(checks: AttemptChecks, refusal: RefusalWords | null, done: string): string {
  if (refusal !== null) return `Why it was not ${done}`;
  if (!checks.wasStarted) return 'Why it is waiting';
  return checks.isAnswered ? `Why it was ${done}` : `Why it could be ${done}`;
}

function refusalOf(
  checks: AttemptChecks,
  names: EventNames,
  of: { device: string; done: string },
): RefusalWords | null {
  const { gate, claim, fence, withheld } = checks;
  const who = { ...of, holder: null };
  if (withheld !== null) return refusalWords('fence', withheld.reason, who);
  if (fence !== null && fence.decision.kind !== 'proceed') {
    const { registerHolder } = fence.facts;
    const holder =
      registerHolder === null || registerHolder === checks.deviceId ? null : names.deviceName(registerHolder);
    return refusalWords('fence', fence.decision.kind, { ...who, holder });
  }
  if (claim !== null && claim.verdict !== 'granted') return refusalWords('claim', claim.verdict, who);
  if (gate?.decision.kind === 'refuse') return refusalWords('gate', gate.decision.reason, who);
  return null;
}

function factsOf(checks: AttemptChecks, of: { device: string; refusal: RefusalWords | null }): WhyView['facts'] {
  const { intent, claim, fence } = checks;
  const { device, refusal } = of;
  const facts: { name: string; value: string }[] = [];
  if (refusal !== null) {
    const lead = refusal.needsPerson ? '' : `${WORKED} `;
    facts.push({ name: 'In short', value: `${lead}${refusal.headline} ${refusal.meaning} ${refusal.whatToDo}` });
    facts.push({ name: `Left ${device}`, value: '0 bytes' });
  }
  facts.push(
    { name: 'Step', value: intent.title },
    { name: 'Asked', value: exactTimeText(checks.atMs) },
    { name: 'Asked by', value: device },
  );
  facts.push({ name: 'Attempt', value: `${intent.attemptNumber} (${intent.attemptToken})` });
  facts.push({ name: 'Input fingerprint', value: shortDigest(intent.inputDigest) });
  facts.push({ name: 'Permission', value: intent.grantDigest === null ? 'none' : shortDigest(intent.grantDigest) });
  if (claim !== null)
    facts.push({ name: 'Epoch', value: String(claim.owner.epoch) }, { name: 'Host', value: claim.owner.hostId });
  if (fence !== null) {
    facts.push({ name: 'Epoch at the register', value: String(fence.facts.registerEpoch) });
    facts.push({ name: 'Register', value: fence.facts.coordinatorId });
    facts.push({ name: 'Own lease', value: fence.facts.standing });
  }
  facts.push({ name: 'Kept', value: 'For ever, in the record' });
  return facts;
}
