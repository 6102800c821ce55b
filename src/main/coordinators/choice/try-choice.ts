import type { CoordinatorChoice, CoordinatorSecrets } from '../../../shared/contract/coordinator-requests.ts';
import type { CoordinatorCheck } from '../../../shared/contract/coordinator-views.ts';
import { assertNever } from '../../../shared/lib/assert-never.ts';
import { checkHub } from '../hub/check-hub.ts';
import { readHubSecrets } from '../hub/pair-with-hub.ts';
import { etcdOptions, postgresOptions } from './open-chosen.ts';
import type { OpeningParts } from './open-chosen.ts';

/** Tries a choice as this device would use it and changes nothing: one sentence for each thing that can be wrong. */
export async function tryChoice(
  choice: CoordinatorChoice,
  secrets: CoordinatorSecrets,
  parts: OpeningParts,
): Promise<readonly CoordinatorCheck[]> {
  switch (choice.kind) {
    case 'embedded':
      return [fine('reachable', 'It is kept in this device’s own record. No other device can act for these agents.')];
    case 'this-hub':
      return [await tryHubHere(parts)];
    case 'hub':
      return tryHub(parts);
    case 'postgres': {
      const { testPostgres } = await import('../postgres/check-postgres.ts');
      return testPostgres(await postgresOptions(choice, parts, secrets));
    }
    case 'etcd': {
      const { testEtcd } = await import('../etcd/etcd-check.ts');
      return testEtcd(await etcdOptions(choice, parts, secrets));
    }
    default:
      return assertNever(choice);
  }
}

async function tryHubHere({ hubHere }: OpeningParts): Promise<CoordinatorCheck> {
  const register = await hubHere.register();
  if (!register.ok) return failed('reachable', register.error.message, register.error.wayOut);
  if (hubHere.hub !== null) return fine('reachable', 'The hub of this device runs, and others can reach it.');
  const sentence = `The hub of this device can be used here. Other devices cannot reach it: ${hubHere.trouble || 'it is not started.'}`;
  return { id: 'reachable', state: 'warning', sentence, wayOut: 'Start the hub of this device.' };
}

async function tryHub({ memory, keys, deviceId }: OpeningParts): Promise<readonly CoordinatorCheck[]> {
  const paired = memory.paired.read();
  const secrets = paired === null ? null : await readHubSecrets(keys);
  if (paired === null || secrets === null) {
    return [failed('paired', 'This device is not paired with a hub.', 'Open “Devices” and join a hub with its link.')];
  }
  const { addresses, port, certificatePem } = paired;
  const checks = await checkHub({ addresses, port, certificatePem, deviceId, ...secrets });
  return checks.map(({ id, sentence, isOk, wayOut }) => ({
    id,
    sentence,
    wayOut,
    state: isOk === null ? 'skipped' : isOk ? 'ok' : isMereWarning(id) ? 'warning' : 'failed',
  }));
}

/** A clock that is off or a slow way to the hub does not make it wrong. */
function isMereWarning(id: string): boolean {
  return id === 'clock' || id === 'round-trip';
}

function fine(id: string, sentence: string): CoordinatorCheck {
  return { id, state: 'ok', sentence, wayOut: '' };
}

function failed(id: string, sentence: string, wayOut: string): CoordinatorCheck {
  return { id, state: 'failed', sentence, wayOut };
}
