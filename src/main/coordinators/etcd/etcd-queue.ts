import type { Problem } from '../../../shared/contract/errors.ts';
import type { AgentId } from '../../../shared/contract/identifiers.ts';
import type { RegisterVerb } from '../../../shared/core/lease/register.ts';
import { err } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { RegisterAnswer } from '../lease-coordinator.ts';
import { sentenceOf, unreachableProblem } from '../register-problem.ts';
import { VERB_LIMIT_MS } from './etcd-client.ts';

/** So many verbs share a transaction at most. */
const BATCH_LIMIT = 64;

export type Answer = Result<RegisterAnswer, Problem>;

/** The verbs that were asked before the decision began, and by when the first of them must be answered. */
export interface Batch {
  readonly agentId: AgentId;
  readonly verbs: readonly RegisterVerb[];
  /** By `performance.now()`, ms. */
  readonly untilMs: number;
}

/** Decides as many of the verbs as fit together, from the first on, and at least that one. Answers them in order. */
export type Decide = (batch: Batch) => Promise<readonly Answer[]>;

interface Waiting {
  readonly verb: RegisterVerb;
  readonly untilMs: number;
  readonly answer: (answer: Answer) => void;
}

/**
 * One decision per agent at a time. Verbs about one agent would only get in each other's way at etcd; those that wait for
 * the one before are decided together.
 */
export class EtcdQueue {
  readonly #decide: Decide;
  readonly #waiting = new Map<AgentId, Waiting[]>();

  constructor(decide: Decide) {
    this.#decide = decide;
  }

  ask(agentId: AgentId, verb: RegisterVerb): Promise<Answer> {
    return new Promise((answer) => {
      const waiting = { verb, untilMs: performance.now() + VERB_LIMIT_MS, answer };
      const others = this.#waiting.get(agentId);
      if (others !== undefined) {
        others.push(waiting);
        return;
      }
      const queue = [waiting];
      this.#waiting.set(agentId, queue);
      // Answers its callers itself, and never rejects.
      void this.#run(agentId, queue);
    });
  }

  async #run(agentId: AgentId, queue: Waiting[]): Promise<void> {
    for (;;) {
      const batch = queue.slice(0, BATCH_LIMIT);
      const [first] = batch;
      if (first === undefined) break;
      const verbs = batch.map(({ verb }) => verb);
      const answers = await this.#answers({ agentId, verbs, untilMs: first.untilMs });
      for (const [index, answer] of answers.entries()) batch[index]?.answer(answer);
      queue.splice(0, answers.length);
    }
    this.#waiting.delete(agentId);
  }

  /** Whatever goes wrong, whoever asked gets no answer, and what was written is unknown to them. */
  async #answers(batch: Batch): Promise<readonly Answer[]> {
    try {
      return await this.#decide(batch);
    } catch (cause) {
      return [err(unreachableProblem(sentenceOf(cause)))];
    }
  }
}
