import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { HubChanges } from '../../coordinators/hub/hub-changes.ts';
import { HubConnections } from '../../coordinators/hub/hub-connection.ts';
import type { HubCoordinatorOptions } from '../../coordinators/hub/hub-coordinator.ts';
import { HubSignIn } from '../../coordinators/hub/hub-sign-in.ts';
import { fingerprintOf } from '../../hub/certificate.ts';
import { hubRelayUnreachable, unfitBatchProblem } from '../../hub/relay/relay-problem.ts';
import { putInParts } from '../../hub/relay/relay-seat.ts';
import { RELAY_PATHS, relayReplies, relayRequests } from '../../hub/relay/relay-wire.ts';
import type { RelayReply } from '../../hub/relay/relay-wire.ts';
import type { Relay } from '../relay.ts';
import { isContinued, problemOfHubCall } from './hub-reply.ts';

/** How long a question may take, connecting and signing in included, ms. */
const SMALL_LIMIT_MS = 10_000;
/** The same for one that carries a batch or a part of a checkpoint: what the hub waits, and lines at home are slow. */
const LARGE = { limitMs: 120_000 };
/** How many questions wait for their turn; a caller that asks more has lost count. */
const WAITING_LIMIT = 256;

/** Which hub, and as which device. */
export type HubRelayOptions = Omit<HubCoordinatorOptions, 'known'>;

/**
 * A hub as a relay. Nothing is asked yet: a hub that cannot be reached is opened all the same. It has connections and a sign-in
 * of its own beside those of the coordinator: a batch that takes a minute must not stand before a renewal, and a proof that is
 * so long under way would be too old among a thousand others.
 */
export function openHubRelay(options: HubRelayOptions): Result<Relay, Problem> {
  const { addresses, port, certificatePem, deviceId, token, privateKey, name } = options;
  let fingerprint: string;
  try {
    fingerprint = fingerprintOf(certificatePem);
  } catch {
    return err(problem('input-invalid', 'The kept certificate of the hub is damaged.', 'Pair this device again.'));
  }
  const connections = new HubConnections({ addresses, port, fingerprint });
  const signIn = new HubSignIn(connections, { deviceId, token, privateKey, fingerprint });
  return { ok: true, value: new HubRelay({ name, connections, signIn }) };
}

interface Parts {
  readonly name: string;
  readonly connections: HubConnections;
  readonly signIn: HubSignIn;
}

interface Question<Value> {
  readonly path: string;
  readonly said: object;
  readonly reply: { safeParse(value: unknown): { success: true; data: RelayReply<Value> } | { success: false } };
  readonly limitMs?: number;
}

class HubRelay implements Relay {
  readonly name: string;
  readonly #connections: HubConnections;
  readonly #signIn: HubSignIn;
  readonly #changes: HubChanges;
  /** A checkpoint goes part by part, so that none of it is larger than a box. */
  readonly #way: Parameters<typeof putInParts>[0] = {
    beginCheckpoint: (header) =>
      this.#ask({ path: RELAY_PATHS.beginCheckpoint, said: { header }, reply: relayReplies.begun, ...LARGE }),
    addPart: (said) => this.#ask({ path: RELAY_PATHS.addPart, said, reply: relayReplies.done, ...LARGE }),
    // The last one is removed before the answer.
    endCheckpoint: (uploadId) =>
      this.#ask({ path: RELAY_PATHS.endCheckpoint, said: { uploadId }, reply: relayReplies.done, ...LARGE }),
  };
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #isClosed = false;

  constructor({ name, connections, signIn }: Parts) {
    this.name = name;
    this.#connections = connections;
    this.#signIn = signIn;
    this.#changes = new HubChanges({ connections, signIn });
  }

  contact: Relay['contact'] = () => this.#ask({ path: RELAY_PATHS.contact, said: {}, reply: relayReplies.state });

  push: Relay['push'] = async (operations) => {
    const said = { operations };
    if (!relayRequests.push.safeParse(said).success) return err(unfitBatchProblem());
    return await this.#ask({ path: RELAY_PATHS.push, said, reply: relayReplies.head, ...LARGE });
  };

  pull: Relay['pull'] = async (have) => {
    const pulled = await this.#ask({ path: RELAY_PATHS.pull, said: { have }, reply: relayReplies.pulled, ...LARGE });
    if (!pulled.ok || isContinued(have, pulled.value)) return pulled;
    return err(hubRelayUnreachable('It gave entries that do not follow those that are here.'));
  };

  acknowledge: Relay['acknowledge'] = (have) =>
    this.#ask({ path: RELAY_PATHS.acknowledge, said: { have }, reply: relayReplies.done });

  putCheckpoint: Relay['putCheckpoint'] = (header, parts) => putInParts(this.#way, header, parts);

  checkpointPart: Relay['checkpointPart'] = (checkpointId, index) => {
    const said = { checkpointId, index };
    return this.#ask({ path: RELAY_PATHS.checkpointPart, said, reply: relayReplies.part, ...LARGE });
  };

  collect: Relay['collect'] = () =>
    this.#ask({ path: RELAY_PATHS.collect, said: {}, reply: relayReplies.dropped, ...LARGE });

  letGo: Relay['letGo'] = (deviceId) =>
    this.#ask({ path: RELAY_PATHS.letGo, said: { deviceId }, reply: relayReplies.done });

  onChange = (listener: () => void): (() => void) => this.#changes.onJournals(listener);

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#changes.close();
    this.#connections.close();
  }

  /** One question after the other: the hub holds what arrives in memory, and there is one line to it anyway. */
  async #ask<Value>(question: Question<Value>): Promise<Result<Value, Problem>> {
    if (this.#waiting >= WAITING_LIMIT) return err(hubRelayUnreachable('Too many questions wait for it already.'));
    this.#waiting += 1;
    const answer = this.#last.then(() => this.#askNow(question));
    this.#last = answer;
    const answered = await answer;
    this.#waiting -= 1;
    return answered;
  }

  async #askNow<Value>({
    path,
    said,
    reply,
    limitMs = SMALL_LIMIT_MS,
  }: Question<Value>): Promise<Result<Value, Problem>> {
    if (this.#isClosed) return err(hubRelayUnreachable('It was closed.'));
    try {
      const value = await this.#signIn.call({ method: 'POST', path, body: JSON.stringify(said), limitMs });
      const read = reply.safeParse(value);
      return read.success ? read.data : err(hubRelayUnreachable('It gave an answer that nobody can read.'));
    } catch (cause) {
      return err(this.#isClosed ? hubRelayUnreachable('It was closed.') : problemOfHubCall(cause));
    }
  }
}
