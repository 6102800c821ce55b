import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { causeText } from '../../shared/lib/system-causes.ts';

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

/** Below this, systems keep ports for themselves. */
const FIRST_FREE_PORT = 1_024;

/** The door of the hub cannot be opened; by the system's code, such as `EADDRINUSE`. */
export function notStartedProblem(code: string, at: { readonly host: string; readonly port: number }): Problem {
  const { host, port } = at;
  if (code === 'EADDRINUSE') {
    const message = `The hub was not started: port ${port} is used by another program.`;
    return problem('not-offered', message, 'Choose another port, or close the other program.');
  }
  if (code === 'EACCES' || code === 'EPERM') {
    const message = `The hub was not started: the system does not let it use port ${port}.`;
    const wayOut =
      port < FIRST_FREE_PORT
        ? `Choose a port of ${FIRST_FREE_PORT} or above.`
        : 'Choose another port, or allow it there.';
    return problem('not-offered', message, wayOut);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const message = `The hub was not started: this device has no address ${host}.`;
    return problem('not-offered', message, 'Choose an address of this device, or 0.0.0.0 for all of them.');
  }
  const why = causeText(code) ?? 'the system gave no reason that is known here';
  return problem(
    'not-offered',
    `The hub was not started: port ${port} cannot be opened: ${why}.`,
    'Choose another port.',
  );
}

/** The folder of a hub cannot be made or used; by the system's code, empty for none. */
export function hubFolderProblem(folder: string, code: string): Problem {
  const why = causeText(code) ?? 'it cannot be made';
  const message = `The hub's folder ${folder} cannot be used: ${why}.`;
  return problem('folder-read-only', message, 'Let this account write there, or choose another folder.');
}
