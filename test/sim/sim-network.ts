import type { LeaseCoordinator, RegisterAnswer } from '../../src/main/coordinators/lease-coordinator.ts';
import { sentenceOf, unreachableProblem, wentBackProblem } from '../../src/main/coordinators/register-problem.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import type { RegisterView } from '../../src/shared/core/lease/lease.ts';
import { err, ok } from '../../src/shared/lib/result.ts';
import type { Result } from '../../src/shared/lib/result.ts';
import { NATURE } from './event-queue.ts';
import type { EventQueue, Owner } from './event-queue.ts';
import type { FaultLog } from './fault-log.ts';
import { answeredBy } from '../linearizability/history.ts';
import type { Call } from '../linearizability/history.ts';
import type { MachineClock } from './machine-clock.ts';
import type { Random } from '../harness/random.ts';
import type { RegisterNode } from './sim-register.ts';
import type { Swarm } from './swarm.ts';

/** How long a device waits for an answer, ms by its own clock: less than the send window. */
const ANSWER_LIMIT_MS = 2_000;
const DAY_MS = 86_400_000;

/** The way between one device and the register. */
export interface Link {
  cutUntilMs: number;
  /** Only what the register answers is lost until then. */
  deafUntilMs: number;
}

/** What a coordinator over the simulated network is made of. */
export interface NetworkOptions {
  /** Of the device. */
  readonly name: string;
  readonly queue: EventQueue;
  readonly random: Random;
  readonly swarm: Swarm;
  readonly faults: FaultLog;
  readonly node: RegisterNode;
  readonly link: Link;
  readonly clock: MachineClock;
  readonly owner: Owner;
}

/** The register as one device reaches it: late, twice, or not at all. An error is an unknown outcome, as everywhere. */
export function createNetworkCoordinator(of: NetworkOptions): LeaseCoordinator {
  const { node } = of;
  const { identity } = node;
  const decide = <Value>(act: () => Value): Result<Value, Problem> => {
    if (node.identity.incarnation !== identity.incarnation) return err(wentBackProblem());
    try {
      return ok(act());
    } catch (cause) {
      // The register could not keep what it decided: nobody knows more, as with every error.
      return err(unreachableProblem(sentenceOf(cause)));
    }
  };
  return {
    identity,
    name: 'Simulated register',
    inside: null,
    ask: (agentId, verb) => call(of, { agentId, call: verb }, () => decide(() => node.ask(agentId, verb))),
    current: (agentId) => call(of, { agentId, call: { verb: 'current' } }, () => decide(() => node.current(agentId))),
    close: () => Promise.resolve(),
  };
}

/** Carries one question; the history of the register has it as this device saw it. */
function call<Value extends RegisterAnswer | RegisterView>(
  of: NetworkOptions,
  question: { readonly agentId: AgentId; readonly call: Call },
  act: () => Result<Value, Problem>,
): Promise<Result<Value, Problem>> {
  const { queue, owner, clock, link, node, faults } = of;
  const asked = node.history.asked(question.agentId, of.name, question.call);
  return new Promise((resolve) => {
    const limit = clock.trueDelayMs(ANSWER_LIMIT_MS);
    let isOver = false;
    const cancel = queue.after(limit, owner, () => {
      isOver = true;
      resolve(err(unreachableProblem('It did not answer in time.')));
    });
    const decide = (isFirst: boolean): Result<Value, Problem> => {
      const result = act();
      if (result.ok) asked.decided(answeredBy(result.value), isFirst);
      return result;
    };
    const arrive = (isFirst: boolean): void => {
      if (!node.isUp || queue.nowMs < link.cutUntilMs) return;
      if (isFirst && happens(of, 'register-error', 0.06)) {
        // Half broken: it may have been done before the error, or not.
        if (of.random.chance(0.5)) decide(true);
        return answer(err(unreachableProblem('It answered with an error.')));
      }
      const result = decide(isFirst);
      if (isFirst) answer(result);
    };
    const answer = (result: Result<Value, Problem>): void => {
      if (queue.nowMs < link.deafUntilMs) return;
      if (happens(of, 'reply-lost', 0.15)) return;
      queue.after(delay(of), owner, () => {
        cancel();
        if (!isOver && result.ok) asked.heard();
        resolve(result);
      });
    };
    if (happens(of, 'message-lost', 0.15)) return;
    queue.after(delay(of), NATURE, () => arrive(true));
    if (faults.isOver || !of.swarm.faults.has('message-repeated') || !of.random.chance(0.25 * of.swarm.intensity))
      return;
    faults.count('message-repeated');
    const { activeMs, restMs, isWide } = of.swarm;
    const longestMs = isWide ? Math.min(3 * DAY_MS, activeMs + restMs - queue.nowMs) : 3 * DAY_MS;
    const laterMs = of.random.chance(0.1) ? of.random.between(0, longestMs) : of.random.heavyTail(2_000);
    queue.after(laterMs, NATURE, () => arrive(false));
  });
}

function happens(
  of: NetworkOptions,
  fault: 'register-error' | 'reply-lost' | 'message-lost',
  probability: number,
): boolean {
  if (of.faults.isOver || !of.swarm.faults.has(fault) || !of.random.chance(probability * of.swarm.intensity))
    return false;
  of.faults.count(fault);
  return true;
}

function delay(of: NetworkOptions): number {
  const { random, swarm, faults } = of;
  if (!faults.isOver && swarm.faults.has('message-late') && random.chance(0.2 * swarm.intensity)) {
    faults.count('message-late');
    return random.between(500, 20_000);
  }
  return faults.isOver ? swarm.latencyMs : random.heavyTail(swarm.latencyMs);
}
