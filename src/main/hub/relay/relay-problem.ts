import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';

/** Nobody knows what the hub holds of the journals, or what became of the request. `cause` is a whole sentence. */
export function hubRelayUnreachable(cause: string): Problem {
  return problem(
    'relay-unreachable',
    `The hub cannot carry the records of your devices to each other at the moment. ${cause}`,
    'Nothing is lost. Fencepost keeps trying.',
  );
}

/** Another operation is held at that place. */
export function forkProblem(seq: number): Problem {
  return problem(
    'relay-fork',
    `The hub holds another entry ${seq} of this device's record than the one that was sent.`,
    'Nothing was replaced. This happens when a data folder was copied, or put back from a backup, and used twice.',
    { seq },
  );
}

/** Entries are missing between what is held and what was sent. */
export function gapProblem(of: { readonly head: number; readonly seq: number }): Problem {
  const { head, seq } = of;
  return problem(
    'relay-gap',
    `The hub holds this device's record up to entry ${head}, so it cannot take entry ${seq} yet.`,
    'Fencepost sends what is missing first.',
    { head, seq },
  );
}

export function foreignProblem(): Problem {
  return problem(
    'relay-foreign',
    'A device can hand over only its own record, and this is the record of another one.',
    'Nothing was taken. Each device sends its own.',
  );
}

export function truncatedProblem(): Problem {
  return problem(
    'relay-truncated',
    'What was asked for is part of a summary by now and is no longer kept as single entries.',
    'Fencepost takes the newest summary first.',
  );
}

/** There is no room; `cause` is a whole sentence. Nothing was kept. */
export function relayFullProblem(cause: string): Problem {
  return problem(
    'relay-full',
    `The hub has no room for more of the records of your devices. ${cause}`,
    'Make room on the disk of the hub. Until then the devices keep everything themselves.',
  );
}

/** What was handed over is not what the hub takes; `cause` is a whole sentence. Nothing was kept. */
export function unfitProblem(cause: string): Problem {
  return problem('input-invalid', `The hub did not take this part of the records. ${cause}`, 'Nothing was changed.');
}

/** What was handed over as operations is none, or more than a relay takes at once. */
export function unfitBatchProblem(): Problem {
  return unfitProblem('The entries are too many or too long, or they are no entries.');
}
