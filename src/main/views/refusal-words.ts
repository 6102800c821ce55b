import type { EventPayloads } from '../../shared/contract/events.ts';
import type { ClaimVerdict } from '../../shared/core/claim/claim-effect.ts';
import type { DispatchRefusal } from '../../shared/core/gate/evaluate-dispatch.ts';
import type { SuccessorRefusal } from '../../shared/core/successor/release-successors.ts';
import { ownMember } from '../../shared/lib/own-member.ts';

/** A refusal in words: what happened, what it means, what to do (ux sections 7 and 12). */
export interface RefusalWords {
  /** Begins with what was not done. */
  readonly headline: string;
  readonly meaning: string;
  /** What a person does while it still stands; `Nothing to do.` in most cases. */
  readonly whatToDo: string;
  readonly needsPerson: boolean;
  /** The way out is a permission. */
  readonly isAboutPermission: boolean;
}

/** Who is spoken of. */
export interface RefusalNames {
  /** The device that held back. */
  readonly device: string;
  /** The device that has the right to act instead, if one is known. */
  readonly holder: string | null;
  /** "sent", "run" or "written". */
  readonly done: string;
}

type Say = (names: RefusalNames) => RefusalWords;
type FenceRefusal =
  | Exclude<EventPayloads['fence.decided']['decision']['kind'], 'proceed'>
  | EventPayloads['effect.withheld']['reason'];

const NOTHING = 'Nothing to do.';

/** The sentence that a quiet refusal is told with. */
export const WORKED = 'This worked as it should.';

function quiet(headline: string, meaning: string): RefusalWords {
  return { headline, meaning, whatToDo: NOTHING, needsPerson: false, isAboutPermission: false };
}

function asking(headline: string, meaning: string, whatToDo: string): RefusalWords {
  return { headline, meaning, whatToDo, needsPerson: true, isAboutPermission: false };
}

function askingToPermit(headline: string, meaning: string, whatToDo: string): RefusalWords {
  return { ...asking(headline, meaning, whatToDo), isAboutPermission: true };
}

const GATE: Readonly<Record<DispatchRefusal, Say>> = {
  misrouted: ({ done }) =>
    asking(
      `Not ${done}: the step contradicts itself.`,
      'It names one kind of work and another kind of tool. No later fact can make that safe.',
      'Correct the agent, then permit the new version.',
    ),
  'already-settled': ({ done }) =>
    quiet(
      `Not ${done} again: this attempt was over.`,
      'It was asked for a second time after its outcome had been recorded.',
    ),
  'authority-missing': ({ done }) =>
    askingToPermit(
      `Not ${done}: it is not allowed.`,
      'No permission covers exactly this version with exactly this input. It waits for one.',
      'Look at what the agent asks for, and permit it.',
    ),
  'stop-requested': ({ done }) =>
    quiet(`Not ${done}: the run was stopped.`, 'A stop had been asked for before this step could start.'),
  'barrier-active': ({ done }) => ({
    ...quiet(`Not ${done} yet: you had paused the run.`, 'The step waits. It goes on once you resume the run.'),
    whatToDo: 'Resume the run when you like.',
  }),
  superseded: ({ done }) =>
    quiet(`Not ${done}: the run had moved on.`, 'The step that asked was no longer the current one.'),
};

/** What was pressed, or ran out, between the gate and the send. */
const PRESSED: Readonly<Record<'stop-requested' | 'permission-ended', Say>> = {
  'stop-requested': ({ done, device }) =>
    quiet(`Not ${done}: you pressed stop.`, `It was about to leave ${device}, and did not.`),
  'permission-ended': ({ done, device }) =>
    askingToPermit(
      `Not ${done}: the permission had just ended.`,
      `It was taken back or ran out when the step was about to leave ${device}. Nothing left.`,
      'Look at what the agent asks for, and permit it if you want it to go on.',
    ),
};

const CLAIM: Readonly<Record<Exclude<ClaimVerdict['kind'], 'granted'>, Say>> = {
  'identity-conflict': ({ done }) =>
    quiet(
      `Not ${done}: an earlier attempt is not settled yet.`,
      'Another attempt at the same step stands in the way. Only one may ever be under way.',
    ),
  'invalid-lease': ({ done, device }) =>
    quiet(
      `Not ${done}: the right to act was about to end.`,
      `${device} had too little time left to finish safely. It asks for the right to act again.`,
    ),
  'already-settled': ({ done }) =>
    quiet(`Not ${done} again: the step was over.`, 'Its outcome had been recorded before.'),
  held: ({ done }) =>
    quiet(`Not ${done}: it was already being done.`, 'Another start of Fencepost was carrying out the same step.'),
  reclaimable: ({ done }) =>
    quiet(
      `Not ${done} yet: an earlier attempt had to be closed first.`,
      'That attempt had never started, so the step is simply taken up again.',
    ),
  'in-doubt': ({ done }) =>
    asking(
      `Not ${done} again: an earlier attempt is unclear.`,
      'Nobody can tell whether it happened. Nothing is repeated until you decide.',
      'Decide under “Needs you”.',
    ),
};

const FENCE: Readonly<Record<FenceRefusal, Say>> = {
  ...PRESSED,
  'already-committed': ({ done }) =>
    quiet(
      `Not ${done} again: it had been ${done} before.`,
      'The record shows that this step had already happened once. It was not repeated.',
    ),
  'not-held': ({ done, device }) =>
    quiet(
      `Not ${done}: no device had the right to act.`,
      `${device} had let it go or let it run out. It asks for it again.`,
    ),
  'stale-epoch': ({ done, device, holder }) =>
    holder === null
      ? quiet(
          `Not ${done}: ${device} had an older right to act.`,
          'It had been given out anew since. The newer one counts.',
        )
      : quiet(
          `Not ${done}: the right to act moved to ${holder === 'Another device' ? 'another device' : holder}.`,
          `${holder} is continuing. ${device} held back.`,
        ),
  'other-coordinator': ({ done }) =>
    asking(
      `Not ${done}: another register answered.`,
      'It is not the one that keeps the right to act for this agent, or it was put back from a copy.',
      'Check which register this device is connected to.',
    ),
  behind: ({ done, device }) =>
    quiet(
      `Not ${done} yet: ${device} did not know everything yet.`,
      'Another device had written something that had not arrived here. It goes on once that is read.',
    ),
  'in-doubt': ({ done }) =>
    asking(
      `Not ${done} again: an earlier attempt is unclear.`,
      'Another holder had announced the same step and nobody knows how it ended. Nothing is repeated until you decide.',
      'Decide under “Needs you”.',
    ),
  'lease-doubtful': ({ done, device }) =>
    quiet(
      `Not ${done} yet: ${device} was not sure it still had the right to act.`,
      'It had just woken, or its clocks disagreed. It asks the register, then goes on.',
    ),
  'hold-off': ({ done, device }) =>
    quiet(
      `Not ${done} yet: ${device} had just taken over.`,
      'It waits a few seconds, so that the last device has certainly stopped.',
    ),
  'tail-full': ({ done }) =>
    asking(
      `Not ${done}: too many steps are still to be shared.`,
      'A shared register file keeps what other devices may not know about, at most 256 steps of an agent. It refuses the next rather than forget one.',
      'This version cannot share them yet. Let this agent act on one device with its own register.',
    ),
  'send-window-over': ({ done, device }) =>
    quiet(
      `Not ${done}: the last check was too long ago.`,
      `${device} was slow to start, so it held back and checks again.`,
    ),
  'claim-deadline-over': ({ done, device }) =>
    quiet(
      `Not ${done}: the time for this attempt was over.`,
      `${device} no longer had the right to start it. It tries again with a new one.`,
    ),
  'clocks-disagree': ({ done, device }) =>
    quiet(
      `Not ${done}: the clocks of ${device} disagreed.`,
      'Nobody could say how much time had passed since the last check. It checks again.',
    ),
  suspended: ({ done, device }) =>
    quiet(
      `Not ${done} yet: ${device} had just been asleep.`,
      'It was not sure it still had the right to act. It asks, then goes on.',
    ),
};

const SUCCESSOR: Readonly<Record<SuccessorRefusal, Say>> = {
  'already-released': () =>
    quiet('Not started again: the next step had been started before.', 'One result starts what follows once.'),
  'not-admitted': () =>
    quiet('Not started: the result does not count.', 'It came from an attempt that was not accepted.'),
  'stop-requested': () =>
    quiet('Not started: the run was stopped.', 'The step before it ended after you had stopped the run.'),
  'barrier-active': () => ({
    ...quiet(
      'Not started yet: you had paused the run.',
      'The result is kept. The next step starts once you resume the run.',
    ),
    whatToDo: 'Resume the run when you like.',
  }),
  superseded: () => quiet('Not started: the run had moved on.', 'The step that ended was no longer the current one.'),
};

const LEASE: Readonly<Record<'lost' | 'went-back' | 'moved-away', Say>> = {
  lost: ({ device, holder }) =>
    quiet(
      `Held back: ${device} no longer has the right to act.`,
      holder === null
        ? 'It was given back or ran out. Nothing more was sent.'
        : `${holder} has it now and is continuing. Nothing more was sent from ${device}.`,
    ),
  'went-back': ({ device }) =>
    asking(
      'Held back: the register went back in time.',
      `It answered with an older state than ${device} has seen, as a copy that was put back would. Nothing is sent for this agent.`,
      'Check the register. Once it is the right one, raise it under “Right to act”.',
    ),
  'moved-away': ({ device }) =>
    asking(
      'Held back: the right to act is kept somewhere else now.',
      `Another device has moved this agent to another register. ${device} still asks the old one, which gives it to nobody.`,
      'Choose the new register under “Settings”.',
    ),
};

const BY_WORD: Readonly<Record<string, Readonly<Record<string, Say>>>> = {
  gate: GATE,
  claim: CLAIM,
  fence: FENCE,
  successor: SUCCESSOR,
  lease: LEASE,
};

/** The words for a refusal. A reason from another version of the journal gets a neutral sentence. */
export function refusalWords(word: string, reason: string, names: RefusalNames): RefusalWords {
  const reasons = ownMember(BY_WORD, word);
  const say = reasons === undefined ? undefined : ownMember(reasons, reason);
  return say === undefined
    ? quiet(
        `Not ${names.done}: a check said no.`,
        `The reason was written down by another version of Fencepost (“${reason}”).`,
      )
    : say(names);
}
