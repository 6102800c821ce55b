import type { Relay } from '../../src/main/relays/relay.ts';
import { hubRelayUnreachable } from '../../src/main/hub/relay/relay-problem.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import { err, ok } from '../../src/shared/lib/result.ts';
import type { Result } from '../../src/shared/lib/result.ts';
import { NATURE } from './event-queue.ts';
import type { EventQueue, Owner } from './event-queue.ts';
import type { FaultLog } from './fault-log.ts';
import type { MachineClock } from './machine-clock.ts';
import type { Random } from '../harness/random.ts';
import type { RelayLog } from './relay-log.ts';
import type { RelayNode } from './relay-node.ts';
import type { Link } from './sim-network.ts';
import type { Fault, Swarm } from './swarm.ts';

/** How long a device waits for an answer, ms by its own clock. */
const ANSWER_LIMIT_MS = 10_000;

/** What the way from one device to the relay is made of. */
export interface RelayWayOptions {
  /** Of the machine, which is another device once its disk forgot. */
  readonly name: string;
  readonly deviceId: DeviceId;
  readonly queue: EventQueue;
  readonly random: Random;
  readonly swarm: Swarm;
  readonly faults: FaultLog;
  readonly link: Link;
  readonly clock: MachineClock;
  readonly owner: Owner;
  readonly node: RelayNode;
  readonly log: RelayLog;
  /** Entries of one page at the most. Between two signatures there are fewer, so a page always holds one. */
  readonly pageOperations: number;
}

/** The relay as one device reaches it: late, twice, in another order, or not at all. */
export function createSimRelay(of: RelayWayOptions): Relay {
  const { name, log } = of;
  const relay = (): Relay => of.node.relayOf(of.deviceId);
  let isClosed = false;
  const ask = <Value>(act: (isRepeated: boolean) => Answer<Value>): Answer<Value> =>
    isClosed ? Promise.resolve(err(hubRelayUnreachable('It was closed.'))) : call(of, act);
  return {
    name: 'Simulated relay',
    contact: () => ask(() => relay().contact()),
    async push(operations) {
      const pushed = await ask((isRepeated) => {
        log.pushArrives(name, operations, isRepeated);
        return relay().push(operations);
      });
      if (!pushed.ok && pushed.error.code === 'relay-full') log.count('a push refused by a full disk');
      else if (!pushed.ok) log.pushIsUnanswered(name, operations);
      return pushed;
    },
    async pull(have) {
      const pulled = await ask(() => relay().pull(have));
      if (!pulled.ok) {
        log.pulled(name, null);
        return pulled;
      }
      const operations = pulled.value.operations.slice(0, of.pageOperations);
      const isMore = pulled.value.isMore || operations.length < pulled.value.operations.length;
      log.pulled(name, { count: operations.length, isMore });
      return ok({ operations, isMore });
    },
    acknowledge: (have) => ask(() => relay().acknowledge(have)),
    async putCheckpoint(header, parts) {
      const put = await ask(() => relay().putCheckpoint(header, parts));
      if (put.ok) log.count('a checkpoint handed over');
      return put;
    },
    checkpointPart: (checkpointId, index) => ask(() => relay().checkpointPart(checkpointId, index)),
    collect: () => ask(() => relay().collect()),
    letGo: (deviceId) => ask(() => relay().letGo(deviceId)),
    onChange: (listener) =>
      of.node.onChange(of.deviceId, () => {
        if (isClosed || isCut(of) || happens(of, 'reply-lost', 0.3)) return;
        of.queue.after(delay(of), of.owner, listener);
      }),
    async close() {
      isClosed = true;
    },
  };
}

type Answer<Value> = Promise<Result<Value, Problem>>;

function call<Value>(of: RelayWayOptions, act: (isRepeated: boolean) => Answer<Value>): Answer<Value> {
  const { queue, owner, clock, link, faults, node } = of;
  return new Promise((resolve) => {
    const limitMs = clock.trueDelayMs(ANSWER_LIMIT_MS);
    const noAnswer = (): void => resolve(err(hubRelayUnreachable('It did not answer in time.')));
    const cancel = queue.after(limitMs, owner, noAnswer);
    const answer = (result: Result<Value, Problem>): void => {
      if (queue.nowMs < link.deafUntilMs || happens(of, 'reply-lost', 0.1)) return;
      queue.after(delay(of), owner, () => {
        cancel();
        resolve(result);
      });
    };
    const arrive = async (isRepeated: boolean): Promise<void> => {
      if (!node.isUp || isCut(of)) return;
      const isBroken = !isRepeated && happens(of, 'relay-error', 0.04);
      // Half broken: it may have been done before the error, or not.
      if (isBroken && of.random.chance(0.5)) return answer(err(hubRelayUnreachable('It answered with an error.')));
      const result = await act(isRepeated);
      if (isRepeated) return;
      answer(isBroken ? err(hubRelayUnreachable('It answered with an error.')) : result);
    };
    if (happens(of, 'message-lost', 0.1)) return;
    queue.after(delay(of), NATURE, () => void arrive(false));
    if (faults.isOver || !of.swarm.faults.has('message-repeated') || !of.random.chance(0.15 * of.swarm.intensity))
      return;
    faults.count('message-repeated');
    queue.after(of.random.heavyTail(4_000), NATURE, () => void arrive(true));
  });
}

function isCut({ queue, link }: RelayWayOptions): boolean {
  return queue.nowMs < link.cutUntilMs;
}

function happens(of: RelayWayOptions, fault: Fault, probability: number): boolean {
  if (of.faults.isOver || !of.swarm.faults.has(fault) || !of.random.chance(probability * of.swarm.intensity))
    return false;
  of.faults.count(fault);
  return true;
}

function delay(of: RelayWayOptions): number {
  const { random, swarm, faults } = of;
  if (!faults.isOver && swarm.faults.has('message-late') && random.chance(0.1 * swarm.intensity)) {
    faults.count('message-late');
    return random.between(500, 20_000);
  }
  return faults.isOver ? swarm.latencyMs : random.heavyTail(swarm.latencyMs);
}
