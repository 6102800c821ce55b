import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { err } from '../../../shared/lib/result.ts';
import type { Relay } from '../../relays/relay.ts';
import { hubRelayUnreachable, unfitBatchProblem } from './relay-problem.ts';
import { putInParts, RelaySeat } from './relay-seat.ts';
import type { RelayParts } from './relay-seat.ts';
import { relayRequests } from './relay-wire.ts';

/** The relay of a hub for the device that runs it: without the network, and closing it leaves the hub as it is. */
export function openHostRelay(parts: RelayParts, of: { readonly deviceId: DeviceId; readonly name: string }): Relay {
  const seat = new RelaySeat(parts, of.deviceId);
  const endings = new Set<() => void>();
  let isClosed = false;
  const whileOpen = <Answer>(ask: () => Promise<Answer>) =>
    isClosed ? Promise.resolve(err(hubRelayUnreachable('It was closed.'))) : ask();
  return {
    name: of.name,
    contact: () => whileOpen(() => seat.contact()),
    push: (operations) =>
      whileOpen(async () => {
        // What comes through the door is looked at there.
        const isFit = relayRequests.push.safeParse({ operations }).success;
        return isFit ? await seat.push(operations) : err(unfitBatchProblem());
      }),
    pull: (have) => whileOpen(() => seat.pull(have)),
    acknowledge: (have) => whileOpen(() => seat.acknowledge(have)),
    putCheckpoint: (header, boxes) => whileOpen(() => putInParts(seat, header, boxes)),
    checkpointPart: (checkpointId, index) => whileOpen(() => seat.checkpointPart(checkpointId, index)),
    collect: () => whileOpen(() => seat.collect()),
    letGo: (deviceId) => whileOpen(() => seat.letGo(deviceId)),
    onChange(listener) {
      const end = seat.onChange(listener);
      endings.add(end);
      return () => {
        end();
        endings.delete(end);
      };
    },
    async close() {
      isClosed = true;
      for (const end of endings) end();
      endings.clear();
    },
  };
}
