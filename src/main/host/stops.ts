import type { AgentId, RunId } from '../../shared/contract/identifiers.ts';

/**
 * What was pressed in this process and may not be written down yet. The last look before a send asks here, so that a stop
 * holds the moment it is pressed, however far behind the record is. A stopped run stays stopped.
 */
export class Stops {
  readonly #runs = new Set<RunId>();
  readonly #unrecorded = new Set<{ readonly agentId: AgentId | null }>();
  readonly #revoking = new Set<{ readonly agentId: AgentId }>();
  /** The host has ended: nothing is tried again any more. */
  isClosed = false;

  /** Runs that were stopped, for good. */
  add(runIds: readonly RunId[]): void {
    for (const runId of runIds) this.#runs.add(runId);
  }

  /** A stop of an agent, or of everything (`null`), until the returned function says that it is written down. */
  begin(agentId: AgentId | null): () => void {
    const stop = { agentId };
    this.#unrecorded.add(stop);
    return () => this.#unrecorded.delete(stop);
  }

  /** A permission that is being taken back, until the returned function says that it is written down. */
  beginRevoking(agentId: AgentId): () => void {
    const revoking = { agentId };
    this.#revoking.add(revoking);
    return () => this.#revoking.delete(revoking);
  }

  /** Whether nothing may leave for a run any more. */
  isStopped(of: { readonly agentId: AgentId; readonly runId: RunId }): boolean {
    if (this.#runs.has(of.runId)) return true;
    return [...this.#unrecorded].some((stop) => stop.agentId === null || stop.agentId === of.agentId);
  }

  isRevoking(agentId: AgentId): boolean {
    return [...this.#revoking].some((each) => each.agentId === agentId);
  }
}
