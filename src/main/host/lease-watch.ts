import type { AgentId } from '../../shared/contract/identifiers.ts';
import { readAll } from '../store/connection.ts';
import { ReadMemory } from '../store/read-memory.ts';
import { lookAtLease } from './look-at-lease.ts';
import type { PipelineState } from './pipeline/pipeline.ts';

/** How often a register is looked at that does not tell by itself who has got what, ms. */
const LOOK_EVERY_MS = 5_000;
/** How many agents are looked at in one go: the rest has its turn the next time. */
const LOOK_AT_ONCE = 32;

/**
 * Follows what other devices do with the right to act, for whoever watches. Nothing is decided by it: whoever wants to act
 * asks the register itself.
 */
export class LeaseWatch {
  readonly #state: PipelineState;
  readonly #changed: () => void;
  readonly #memory = new ReadMemory();
  readonly #listeners = new Set<(agentId: AgentId) => void>();
  readonly #endListening: () => void;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #isLooking = false;
  #next = 0;

  /** `changed`: somebody got or gave up something, so the loop may get further. */
  constructor(state: PipelineState, changed: () => void) {
    this.#state = state;
    this.#changed = changed;
    this.#endListening = state.ports.coordinator.onChange?.((agentId) => void this.#told(agentId)) ?? (() => undefined);
  }

  /** Called when there is something new to show about an agent. The answer ends it. */
  on(listener: (agentId: AgentId) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Looks at some agents if it is time for that. What it finds is told later: nobody waits for it. */
  lookAround(nowMs: number): void {
    const isRemote = this.#state.ports.coordinator.inside === null;
    // With no window open there is nobody to show it to.
    if (!isRemote || this.#listeners.size === 0 || this.#isLooking || nowMs - this.#lookedAtMs < LOOK_EVERY_MS) return;
    this.#lookedAtMs = nowMs;
    this.#isLooking = true;
    void Promise.all(this.#someAgents().map((agentId) => this.#look(agentId))).finally(() => {
      this.#isLooking = false;
    });
  }

  close(): void {
    this.#endListening();
    this.#listeners.clear();
  }

  async #told(agentId: AgentId): Promise<void> {
    await this.#look(agentId);
    this.#changed();
  }

  async #look(agentId: AgentId): Promise<void> {
    if (!(await lookAtLease(this.#state, agentId))) return;
    for (const listener of this.#listeners) listener(agentId);
  }

  #someAgents(): AgentId[] {
    const connection = this.#state.ports.store.connection();
    if (connection === null) return [];
    const all = this.#memory.recall(connection, 'agents', (db) =>
      readAll<{ agent_id: AgentId }>(db, 'SELECT agent_id FROM agents ORDER BY agent_id'),
    );
    if (this.#next >= all.length) this.#next = 0;
    const some = all.slice(this.#next, this.#next + LOOK_AT_ONCE);
    this.#next += LOOK_AT_ONCE;
    return some.map((row) => row.agent_id);
  }
}
