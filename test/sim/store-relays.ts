import { mkdirSync } from 'node:fs';
import { hubRelayUnreachable } from '../../src/main/hub/relay/relay-problem.ts';
import { err, ok } from '../../src/shared/lib/result.ts';
import type { Result } from '../../src/shared/lib/result.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import { NATURE } from './event-queue.ts';
import type { Owner } from './event-queue.ts';
import { observeRelay } from './observed-relay.ts';
import type { RelayAnswer } from './observed-relay.ts';
import { DatabaseNode } from './database-node.ts';
import type { KeptJournals } from './kept-journals.ts';
import { RelayNode } from './relay-node.ts';
import { planRelayTrouble } from './sim-relays.ts';
import type { MachineOptions, SimRelays, SimRelaysOptions } from './sim-relays.ts';
import type { Link } from './sim-network.ts';
import type { Fault } from './swarm.ts';

/** How long a device waits for an answer, ms by its own clock. */
const ANSWER_LIMIT_MS = 10_000;

/** How long passes between two of a kind at intensity 1, ms. */
const MEAN_GAP_MS = { 'relay-gone': 90_000, 'relay-full': 120_000, cut: 40_000, 'one-way-cut': 60_000 } as const;

/** What the way from one device to the hub is made of. */
interface Way extends SimRelaysOptions, MachineOptions {
  readonly node: KeptJournals;
  readonly link: Link;
  readonly owner: Owner;
}

/** A hub or a database that carries the journals, reached late, twice, in another order, or not at all. */
export function createStoreRelays(of: SimRelaysOptions): SimRelays {
  const { queue, random, clock, folder, plan, log } = of;
  mkdirSync(folder);
  const { database } = plan;
  const node: KeptJournals =
    database === null ? new RelayNode({ folder, clock }) : new DatabaseNode({ queue, options: database });
  const links: Link[] = [];
  const make = (kind: keyof typeof MEAN_GAP_MS): void => {
    const untilMs = queue.nowMs + random.heavyTail(15_000);
    if (kind === 'cut') random.pick(links).cutUntilMs = untilMs;
    else if (kind === 'one-way-cut') random.pick(links).deafUntilMs = untilMs;
    else if (kind === 'relay-full') {
      node.isFull = true;
      queue.at(untilMs, NATURE, () => void (node.isFull = false));
    } else {
      node.isUp = false;
      queue.at(untilMs, NATURE, () => void node.restart());
    }
  };
  return {
    openerFor(machine) {
      const link: Link = { cutUntilMs: 0, deafUntilMs: 0 };
      links.push(link);
      return async (owner, deviceId, { spaceId }) => {
        const opened = await node.open(deviceId, spaceId);
        if (!opened.ok) return opened;
        const way = { ...of, ...machine, node, link, owner };
        const observed = observeRelay({
          name: machine.name,
          log,
          pageOperations: plan.pageOperations,
          relay: () => node.relayOf(deviceId),
          ask: (act) => call(way, act),
        });
        const onChange = (listener: () => void): (() => void) =>
          node.onChange(deviceId, () => {
            if (queue.nowMs < link.cutUntilMs || happens(way, 'reply-lost', 0.3)) return;
            queue.after(delay(way), owner, listener);
          });
        return ok({ ...observed, onChange });
      };
    },
    begin: () => planRelayTrouble(of, MEAN_GAP_MS, make),
    end() {
      node.isFull = false;
      if (!node.isUp) void node.restart();
      for (const link of links) Object.assign(link, { cutUntilMs: 0, deafUntilMs: 0 });
    },
    close: () => node.close(),
  };
}

function call<Value>(of: Way, act: (isRepeated: boolean) => RelayAnswer<Value>): RelayAnswer<Value> {
  const { queue, owner, clockOfMachine, link, faults, node, swarm, randomOfMachine: random } = of;
  return new Promise((resolve) => {
    const limitMs = clockOfMachine.trueDelayMs(ANSWER_LIMIT_MS);
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
      if (!node.isUp || queue.nowMs < link.cutUntilMs) return;
      const isBroken = !isRepeated && happens(of, 'relay-error', 0.04);
      const broken = err(hubRelayUnreachable('It answered with an error.'));
      // Half broken: it may have been done before the error, or not.
      if (isBroken && random.chance(0.5)) return answer(broken);
      const result = await node.carry(() => act(isRepeated));
      if (!isRepeated) answer(isBroken ? broken : result);
    };
    if (happens(of, 'message-lost', 0.1)) return;
    queue.after(delay(of), NATURE, () => void arrive(false));
    if (faults.isOver || !swarm.faults.has('message-repeated') || !random.chance(0.3 * swarm.intensity)) return;
    faults.count('message-repeated');
    queue.after(random.heavyTail(8_000), NATURE, () => void arrive(true));
  });
}

function happens({ faults, swarm, randomOfMachine }: Way, fault: Fault, probability: number): boolean {
  if (faults.isOver || !swarm.faults.has(fault) || !randomOfMachine.chance(probability * swarm.intensity)) return false;
  faults.count(fault);
  return true;
}

function delay({ randomOfMachine: random, swarm, faults }: Way): number {
  if (!faults.isOver && swarm.faults.has('message-late') && random.chance(0.1 * swarm.intensity)) {
    faults.count('message-late');
    return random.between(500, 20_000);
  }
  return faults.isOver ? swarm.latencyMs : random.heavyTail(swarm.latencyMs);
}
