import type { AgentId } from '../../shared/contract/identifiers.ts';
import { readAll } from '../store/connection.ts';
import { ReadMemory } from '../store/read-memory.ts';
import { findRun } from '../store/rows.ts';
import type { ApprovalRecord } from '../store/rows.ts';
import { expireApproval } from '../store/transactions/decide-approval.ts';
import type { HostPorts } from './ports.ts';

/** Ends questions that nobody answered in time. They count as not sent. */
export class OpenQuestions {
  readonly #ports: HostPorts;
  readonly #memory = new ReadMemory();
  readonly #seenSinceMs = new Map<string, number>();

  constructor(ports: HostPorts) {
    this.#ports = ports;
  }

  async expire(agentId: AgentId): Promise<void> {
    const { store, clock } = this.#ports;
    const connection = store.connection();
    if (connection === null) return;
    const sql = `SELECT * FROM approvals WHERE agent_id = ? AND state = 'open'`;
    const open = this.#memory.recall(connection, agentId, (db) => readAll<ApprovalRecord>(db, sql, agentId));
    for (const approval of open) {
      if (!this.#isOver(approval, connection.journal.nowMs())) continue;
      const run = findRun(connection.db, approval.run_id);
      const strategy = run === null ? null : this.#ports.strategyOf(run.revision_digest);
      const nowMs = clock.read().wallMs;
      if (strategy !== null) await store.write((within) => expireApproval(within, approval, { strategy, nowMs }));
      this.#seenSinceMs.delete(approval.approval_id);
    }
  }

  /**
   * By the calendar, which a restart survives; or once this process has seen it open for so long itself, since a calendar
   * that was set back must not keep a question open for ever.
   */
  #isOver(approval: ApprovalRecord, nowMs: number): boolean {
    const { monotonicMs } = this.#ports.clock.read();
    const sinceMs = this.#seenSinceMs.get(approval.approval_id) ?? monotonicMs;
    this.#seenSinceMs.set(approval.approval_id, sinceMs);
    return nowMs >= approval.expires_at_ms || monotonicMs - sinceMs >= approval.expires_at_ms - approval.asked_at_ms;
  }
}
