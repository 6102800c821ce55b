import type { EventPayloads } from '../../shared/contract/events.ts';
import type { WhyView } from '../../shared/contract/views.ts';
import type { ClaimVerdict } from '../../shared/core/claim/claim-effect.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import type { EventNames } from './event-words.ts';
import { permissionText } from './control-words.ts';
import { durationText, shortDigest } from './words.ts';

/** One question of a check: `yes` passed, `decided` is what the attempt was refused for, `no` would have been. */
export type Question = WhyView['questions'][number];

function passed(question: string, answer: string): Question {
  return { question, answer, verdict: 'yes' };
}

function decided(question: string, answer: string): Question {
  return { question, answer, verdict: 'decided' };
}

/** What the gate asked, up to the question that decided. */
export function gateQuestions(gate: EventPayloads['gate.decided'], device: string): Question[] {
  const { decision, facts } = gate;
  const reason = decision.kind === 'refuse' ? decision.reason : null;
  if (reason === 'misrouted')
    return [decided('Does the step fit its tool?', 'No. It names one kind of work and another kind of tool.')];
  if (reason === 'already-settled')
    return [decided('Was it done before?', 'Yes. The outcome of this attempt had been recorded.')];
  const allowed = 'Is it allowed?';
  if (reason === 'authority-missing') {
    return [
      decided(
        allowed,
        facts.committedGrantDigest === null
          ? `No. ${facts.permission === undefined ? 'No permission covers this version with this input.' : permissionText(facts.permission)}`
          : 'No. The permission had changed since the step was written down.',
      ),
    ];
  }
  const questions = [passed(allowed, `Yes. Permission ${shortDigest(facts.committedGrantDigest ?? '')}.`)];
  const stopped = 'Was the run stopped or paused?';
  if (reason === 'stop-requested') return [...questions, decided(stopped, 'Yes, it was stopped.')];
  if (reason === 'barrier-active') return [...questions, decided(stopped, 'Yes, it was paused.')];
  questions.push(passed(stopped, 'No.'));
  const current = 'Is this still the current step?';
  if (reason === 'superseded') return [...questions, decided(current, `No. ${device} saw the run at another step.`)];
  const visit = facts.currentStateVisit;
  return [...questions, passed(current, visit === null || visit <= 1 ? 'Yes.' : `Yes, for the ${visit}. time.`)];
}

/** What the claim asked. */
export function claimQuestions(
  claim: EventPayloads['claim.decided'],
  names: Pick<EventNames, 'deviceName'>,
): Question[] {
  const question = 'Is somebody else doing it?';
  const who = names.deviceName(claim.owner.deviceId);
  const answers: Readonly<Record<Exclude<ClaimVerdict['kind'], 'granted'>, string>> = {
    'identity-conflict': 'Yes. An earlier attempt at this step is not settled yet.',
    'invalid-lease': `Nobody, but the right to act of ${who} was about to end.`,
    'already-settled': 'Nobody any more: the step was over.',
    held: 'Yes. Another start of Fencepost was carrying it out.',
    reclaimable: 'Nobody any more, but an earlier attempt had to be closed first.',
    'in-doubt': 'Nobody knows: an earlier attempt is unclear.',
  };
  if (claim.verdict === 'granted') return [passed(question, `No. ${who} took it.`)];
  return [decided(question, answers[claim.verdict])];
}

interface FenceNames {
  readonly device: string;
  readonly deviceId: string;
  readonly deviceName: (deviceId: string | null) => string;
  readonly done: string;
}

/** What the last check asked, up to the question that decided; after it only what the recorded facts still show. */
export function fenceQuestions(fence: EventPayloads['fence.decided'], names: FenceNames): Question[] {
  const { decision, facts } = fence;
  const before = `Was it ${names.done} before?`;
  const right = `Does ${names.device} have the right to act?`;
  const isRight = facts.registerEpoch === facts.epoch && facts.registerHolder === names.deviceId;
  if (decision.kind === 'already-committed') {
    const rest: Question = { question: right, answer: rightAnswer(fence, names), verdict: isRight ? 'yes' : 'no' };
    return [decided(before, 'Yes. The record shows it, so it was not repeated.'), rest];
  }
  const questions = [passed(before, 'No, on no device that is known here.')];
  if (decision.kind === 'not-held' || decision.kind === 'stale-epoch')
    return [...questions, decided(right, rightAnswer(fence, names))];
  questions.push(passed(right, rightAnswer(fence, names)));
  return [...questions, ...restOfFence(decision, names.device)];
}

function rightAnswer(fence: EventPayloads['fence.decided'], names: FenceNames): string {
  const { registerHolder, registerEpoch, epoch } = fence.facts;
  if (registerHolder === null) return 'No. No device had it at that moment.';
  if (registerHolder !== names.deviceId) return `No. ${names.deviceName(registerHolder)} has it.`;
  return registerEpoch === epoch
    ? 'Yes, the register said so.'
    : `No. It had been given to ${names.device} anew since.`;
}

type Rest = Exclude<
  EventPayloads['fence.decided']['decision'],
  { kind: 'already-committed' | 'not-held' | 'stale-epoch' }
>;

function restOfFence(decision: Rest, device: string): Question[] {
  const waited = 'Has enough time passed since the last device had it?';
  switch (decision.kind) {
    case 'other-coordinator':
      return [decided('Is it the right register?', 'No. Another one answered, or a copy that was put back.')];
    case 'behind':
      return [
        decided(
          `Does ${device} know everything that happened?`,
          `No. It had read ${decision.foldedSeq} of ${decision.neededSeq} entries of another device.`,
        ),
      ];
    case 'in-doubt':
      return [decided('Is an earlier attempt unclear?', 'Yes. It was announced and nobody knows how it ended.')];
    case 'hold-off':
      return [decided(waited, `Not yet. ${durationText(decision.remainingMs)} were left.`)];
    case 'lease-doubtful':
      return [
        passed(waited, 'Yes.'),
        decided(
          `Can ${device} trust its own clock?`,
          decision.standing === 'expired'
            ? 'Its right to act had run out.'
            : 'No. It had just woken, or its clocks disagreed.',
        ),
      ];
    case 'tail-full':
      return [
        passed(waited, 'Yes.'),
        decided(
          'Is there room for one more open step?',
          `No. ${decision.open} open and ${decision.settled} finished steps are still to be shared.`,
        ),
      ];
    case 'proceed':
      return [passed(waited, 'Yes.'), passed(`Can ${device} trust its own clock?`, 'Yes.')];
    default:
      return assertNever(decision);
  }
}

/** The last look, between the durable mark and the send. */
export function lastLookQuestion(withheld: EventPayloads['effect.withheld'] | null, device: string): Question {
  const question = 'Did anything change at the very last moment?';
  if (withheld === null) return passed(question, 'No. It went out.');
  const answers: Readonly<Record<EventPayloads['effect.withheld']['reason'], string>> = {
    'stop-requested': 'Yes. You pressed stop.',
    'permission-ended': 'Yes. The permission was taken back or had run out.',
    'send-window-over': 'Yes. Too much time had passed since the check.',
    'claim-deadline-over': 'Yes. The time for this attempt was over.',
    'clocks-disagree': `Yes. The clocks of ${device} disagreed.`,
    suspended: `Yes. ${device} had been asleep.`,
  };
  return decided(question, answers[withheld.reason]);
}
