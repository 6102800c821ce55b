import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import type { Frontier } from '../../../shared/core/sync/sealed.ts';
import { hubFailureSentence } from '../../coordinators/hub/hub-failure.ts';
import { HubRefusal } from '../../coordinators/hub/hub-sign-in.ts';
import { hubRelayUnreachable } from '../../hub/relay/relay-problem.ts';
import type { PulledOperations } from '../relay.ts';

/** Whether every device's entries follow each other and what was asked for, and a page that is not the last one brings some. */
export function isContinued(have: Frontier, { operations, isMore }: PulledOperations): boolean {
  const known = new Map<string, number>();
  for (const { deviceId, seq } of operations) {
    if (seq !== (known.get(deviceId) ?? knownUpTo(have, deviceId)) + 1) return false;
    known.set(deviceId, seq);
  }
  return !isMore || operations.length > 0;
}

/** What went wrong with a request to the hub, for a person. */
export function problemOfHubCall(cause: unknown): Problem {
  if (!(cause instanceof HubRefusal)) return hubRelayUnreachable(hubFailureSentence(cause));
  switch (cause.code) {
    case 'device-removed': {
      const message = 'This device was removed from the hub.';
      return problem('device-removed', message, 'Nothing was exchanged. If that was a mistake, pair it again.');
    }
    case 'not-paired': {
      const message = 'The hub does not know this device.';
      return problem('unauthorised', message, 'Nothing was exchanged. Pair this device with the hub again.');
    }
    case 'not-found':
      return problem(
        'relay-unreachable',
        'The hub runs a version of Fencepost that does not carry records between devices, or it keeps them elsewhere.',
        'Bring Fencepost up to date on the machine of the hub.',
      );
    case 'malformed':
      return problem(
        'input-invalid',
        'The hub did not understand what this device asked. Nothing was done.',
        'Bring Fencepost up to date on this device and on the machine of the hub.',
      );
    default:
      return hubRelayUnreachable(`The hub says: ${cause.message}`);
  }
}
