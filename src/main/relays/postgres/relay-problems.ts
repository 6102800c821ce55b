import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { explainFailure } from '../../coordinators/postgres/postgres-failures.ts';
import { sentenceOf } from '../../coordinators/register-problem.ts';
import { DamagedRelayError } from './relay-answers.ts';
import { POSTGRES_RELAY_VERSION } from './relay-schema.ts';

const KEEPS_TRYING = 'Nothing is lost: each device keeps its journal, and Fencepost keeps trying.';

/** The codes of PostgreSQL that mean something else for journals than for the register; sentence and way out. */
const OWN_SENTENCES: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['55P03', ['Other devices keep the journals busy.', KEEPS_TRYING]],
  ['42501', ['This user may not use the journals.', 'Make it a member of fencepost_app: GRANT fencepost_app TO user.']],
  ...['3F000', '42P01', '42883'].map((code) => [code, notInstalled()] as const),
]);

/** The database has no room left: its disk is full. */
const DISK_FULL = '53100';

function notInstalled(): readonly [string, string] {
  const wayOut = 'Let Fencepost install them, or apply the migration by hand.';
  return ['This database holds no journals of Fencepost.', wayOut];
}

/** Nobody knows what the database holds or did. `cause` is a whole sentence. */
export function relayUnreachableProblem(cause: string, wayOut = KEEPS_TRYING): Problem {
  return problem('relay-unreachable', `The database that carries the journals cannot be used. ${cause}`, wayOut);
}

/** The database is there, and no journals in it. */
export function relayNotInstalledProblem(): Problem {
  return relayUnreachableProblem(...notInstalled());
}

/** `null` where this program knows the version of the journals. */
export function versionProblem(version: number): Problem | null {
  if (version === POSTGRES_RELAY_VERSION) return null;
  return relayUnreachableProblem(
    `Its journals are of version ${version}, and this Fencepost knows version ${POSTGRES_RELAY_VERSION}.`,
    'Use the same version of Fencepost on all devices.',
  );
}

/** Whatever a question threw. */
export function relayFailure(cause: unknown): Problem {
  if (cause instanceof DamagedRelayError) {
    return relayUnreachableProblem(
      sentenceOf(cause),
      'Ask whoever runs the server whether somebody changed its tables.',
    );
  }
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === DISK_FULL) {
    const sentence = 'The database that carries the journals has no room left: the disk of its server is full.';
    return problem('relay-full', sentence, 'Ask whoever runs the server. Nothing is lost meanwhile.');
  }
  const own = OWN_SENTENCES.get(code);
  if (own !== undefined) return relayUnreachableProblem(...own);
  const { sentence, wayOut } = explainFailure(cause);
  return relayUnreachableProblem(sentence, wayOut === '' ? KEEPS_TRYING : wayOut);
}

/** Another operation is held at a place of the device's own journal. */
export function forkProblem(deviceId: DeviceId, seq: number): Problem {
  return problem(
    'relay-fork',
    `This device’s journal is not the one that it handed over before: entry ${seq} is another one. Nothing of it was taken.`,
    'See whether a copy of this device’s data runs somewhere else, or whether it was put back from a backup.',
    { deviceId, seq },
  );
}

/** An operation before the first one that was pushed is not held. */
export function gapProblem(deviceId: DeviceId, seq: number): Problem {
  const sentence = `Entry ${seq} of this device’s journal is missing in the database, so what comes after it was not taken.`;
  return problem('relay-gap', sentence, 'Fencepost hands it over again from there.', { deviceId, seq });
}

/** The operations are another device's. */
export function foreignProblem(): Problem {
  return problem('relay-foreign', 'A device hands over its own journal only, and these entries are another device’s.');
}

/** What was asked for is only in the checkpoint. */
export function truncatedProblem(deviceId: DeviceId): Problem {
  const sentence = 'Some entries that this device lacks are no longer kept one by one; the checkpoint holds them.';
  return problem('relay-truncated', sentence, 'Fencepost takes the checkpoint first and goes on from there.', {
    deviceId,
  });
}

/** The checkpoint that was being fetched is no longer the newest one, or has no such part. */
export function replacedProblem(): Problem {
  const sentence = 'This part of the checkpoint is not there; a newer checkpoint took its place.';
  return problem('relay-truncated', sentence, 'Fencepost takes the newest checkpoint instead.');
}

/** What was to be kept is not of the shape or size that a relay takes. */
export function unfitProblem(sentence: string): Problem {
  return problem('input-invalid', sentence, 'Nothing of it was handed over.');
}
