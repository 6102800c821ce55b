import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';

/** A device id that belongs to another key: two machines with one data folder must not both act. */
export function alreadyPairedProblem(name: string): Problem {
  return problem(
    'already-paired',
    `A device with this name and number, ${name}, is paired already, with another key. This may be a copy of its data folder.`,
    'Nobody was let in. If the other one is gone, remove it on the hub first. If this is a copy, begin with an empty data folder.',
  );
}

export function noSuchDeviceProblem(): Problem {
  return problem('not-found', 'The hub knows no such device.', 'Nothing was changed.');
}

/** The list of devices cannot be read or written; whoever asks is not let in meanwhile. */
export function devicesUnreadableProblem(cause: string): Problem {
  return problem('store-unsure', `The list of devices cannot be used. ${cause}`, 'Nobody is let in meanwhile.');
}
