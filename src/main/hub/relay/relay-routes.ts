import type { z } from 'zod';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { BOX_LIMIT_CHARACTERS } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { createRateLimit } from '../../bridge/rate-limit.ts';
import { RELAY_BATCH_CHARACTERS } from '../../relays/relay.ts';
import type { HubDevices } from '../hub-devices.ts';
import type { HubError } from '../hub-error.ts';
import { RELAY_LARGE_AT_ONCE, RELAY_RATE } from '../hub-limits.ts';
import { readSaid } from '../read-said.ts';
import type { HubSession } from '../sessions.ts';
import { hubRelayUnreachable } from './relay-problem.ts';
import { RELAY_PATHS, relayRequests } from './relay-wire.ts';
import { RelaySeat } from './relay-seat.ts';
import type { RelayStorage } from './relay-storage.ts';

/** What stands around the boxes: a thousand entries with long names. */
const AROUND_BYTES = 1_048_576;
/** A batch is about so many characters, which may be one box more; boxes are one byte a character. */
const PUSH_BYTES = RELAY_BATCH_CHARACTERS + BOX_LIMIT_CHARACTERS + AROUND_BYTES;
const PART_BYTES = BOX_LIMIT_CHARACTERS + AROUND_BYTES;
/** A frontier of every device a hub can carry for. */
const SMALL_BYTES = 128 * 1_024;

/** A question to the relay, and how long it may be. */
export interface RelayRoute {
  readonly bodyBytes: number;
  /** Holds so much memory while it arrives that only few at once are read. */
  readonly isLarge: boolean;
  answer(body: string, seat: RelaySeat): Promise<Result<object, HubError>>;
}

/** How the hub is a relay; `null` in its place where it is none. */
export interface RelayDoor {
  route(path: string): RelayRoute | undefined;
  /** Lets a device's question in, or not: `null` where it asks too often. What it answers ends the question. */
  enter(session: HubSession, route: RelayRoute, nowMs: number): (() => void) | null;
  /** The problem is why there are no journals at the moment. */
  seat(session: HubSession): Result<RelaySeat, Problem>;
}

/** The relay of a hub, with limits of its own. A storage that could not be opened is told to whoever asks. */
export function createRelayDoor(of: {
  readonly storage: Result<RelayStorage, Problem>;
  readonly devices: HubDevices;
}): RelayDoor {
  const rate = createRateLimit(RELAY_RATE);
  const underWay = new Map<DeviceId, number>();
  return {
    route: (path) => (Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined),
    enter({ deviceId }, { isLarge }, nowMs) {
      if (!rate.take(deviceId, nowMs)) return null;
      if (!isLarge) return () => undefined;
      const now = underWay.get(deviceId) ?? 0;
      if (now >= RELAY_LARGE_AT_ONCE) return null;
      underWay.set(deviceId, now + 1);
      return () => {
        const left = (underWay.get(deviceId) ?? 1) - 1;
        if (left > 0) underWay.set(deviceId, left);
        else underWay.delete(deviceId);
      };
    },
    seat({ deviceId }) {
      if (!of.storage.ok) return err(hubRelayUnreachable(of.storage.error.message));
      return ok(new RelaySeat({ storage: of.storage.value, devices: of.devices }, deviceId));
    },
  };
}

function routeFor<Said>(
  schema: z.ZodType<Said>,
  act: (seat: RelaySeat, said: Said) => Promise<Result<unknown, Problem>>,
  bodyBytes: number = SMALL_BYTES,
): RelayRoute {
  return {
    bodyBytes,
    isLarge: bodyBytes > SMALL_BYTES,
    async answer(body, seat) {
      const said = readSaid(schema, body);
      // A problem of the relay is an answer to the question; only what is no question is turned away.
      return said.ok ? ok(await act(seat, said.value)) : err(said.error);
    },
  };
}

const ROUTES: Readonly<Record<string, RelayRoute>> = {
  [RELAY_PATHS.contact]: routeFor(relayRequests.nothing, (seat) => seat.contact()),
  [RELAY_PATHS.push]: routeFor(relayRequests.push, (seat, { operations }) => seat.push(operations), PUSH_BYTES),
  [RELAY_PATHS.pull]: routeFor(relayRequests.have, (seat, { have }) => seat.pull(have)),
  [RELAY_PATHS.acknowledge]: routeFor(relayRequests.have, (seat, { have }) => seat.acknowledge(have)),
  [RELAY_PATHS.beginCheckpoint]: routeFor(relayRequests.begin, (seat, { header }) => seat.beginCheckpoint(header)),
  [RELAY_PATHS.addPart]: routeFor(relayRequests.part, (seat, said) => seat.addPart(said), PART_BYTES),
  [RELAY_PATHS.endCheckpoint]: routeFor(relayRequests.end, (seat, { uploadId }) => seat.endCheckpoint(uploadId)),
  [RELAY_PATHS.checkpointPart]: routeFor(relayRequests.read, (seat, { checkpointId, index }) =>
    seat.checkpointPart(checkpointId, index),
  ),
  [RELAY_PATHS.collect]: routeFor(relayRequests.nothing, (seat) => seat.collect()),
  [RELAY_PATHS.letGo]: routeFor(relayRequests.letGo, (seat, { deviceId }) => seat.letGo(deviceId)),
};
