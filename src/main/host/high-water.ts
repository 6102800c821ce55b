import type { EventPayloads } from '../../shared/contract/events.ts';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import { checkGrant } from '../../shared/core/lease/high-water.ts';
import type { HighWaterMark } from '../../shared/core/lease/high-water.ts';
import type { RegisterView } from '../../shared/core/lease/lease.ts';
import { readAll, readOne } from '../store/connection.ts';
import { ReadMemory } from '../store/read-memory.ts';
import type { HostPorts } from './ports.ts';

/**
 * The highest grant that this device ever saw, for each agent, and the alarm when a register answers below it. Both are in
 * the record: a restart forgets neither (protocol section 5, rule 7).
 */
export class HighWater {
  readonly #ports: HostPorts;
  /** Alarms of the record, as they were read last: they hold while it is not open. */
  #told: ReadonlySet<AgentId> = new Set();
  /** Alarms that could not be written down yet: they hold here, and nobody has been told. */
  readonly #untold = new Map<AgentId, EventPayloads['lease.went-back']>();
  readonly #memory = new ReadMemory();

  constructor(ports: HostPorts) {
    this.#ports = ports;
  }

  /** Whether nothing may be sent for an agent until a person has looked. */
  wentBack(agentId: AgentId): boolean {
    return this.#untold.has(agentId) || this.#alarms().has(agentId);
  }

  get isAlarmed(): boolean {
    return this.#untold.size > 0 || this.#alarms().size > 0;
  }

  /** Those of the record: another device may have raised one, or put an end to it, and told so by its journal. */
  #alarms(): ReadonlySet<AgentId> {
    const connection = this.#ports.store.connection();
    if (connection === null) return this.#told;
    this.#told = this.#memory.recall(connection, 'alarms', (db) => {
      const sql = 'SELECT agent_id FROM high_water WHERE went_back_at_ms IS NOT NULL';
      return new Set(readAll<{ agent_id: AgentId }>(db, sql).map((row) => row.agent_id));
    });
    return this.#told;
  }

  /**
   * Whether an agent belongs to another register than the one in use: then it is not even asked for here (rule 11). An agent
   * that was never held belongs to nobody yet.
   */
  isElsewhere(agentId: AgentId): boolean {
    const seen = this.seen(agentId);
    return seen !== null && seen.coordinatorId !== this.#ports.coordinator.identity.coordinatorId;
  }

  /** The alarm is over: the agent was raised, or has moved, and the record says so. */
  isRaised(agentId: AgentId): void {
    this.#untold.delete(agentId);
  }

  /** The highest grant that was ever seen for an agent; `null` before the first. */
  seen(agentId: AgentId): HighWaterMark | null {
    const connection = this.#ports.store.connection();
    const sql = `SELECT coordinator_id AS coordinatorId, incarnation, epoch FROM high_water WHERE agent_id = ?`;
    if (connection === null) return null;
    return this.#memory.recall(connection, `mark ${agentId}`, (db) => readOne<HighWaterMark>(db, sql, agentId));
  }

  /** Whether a grant may be believed; if the register went back, the alarm is raised. `before`: seen when it was asked for. */
  async accepts(
    agentId: AgentId,
    grant: { epoch: number; isReplay: boolean },
    before: HighWaterMark | null,
  ): Promise<boolean> {
    const { store, coordinator } = this.#ports;
    if (store.connection() === null) return false;
    const { epoch } = grant;
    const answer = { ...coordinator.identity, epoch, isNewGrant: !grant.isReplay };
    const verdict = checkGrant({ before, now: this.seen(agentId) }, answer);
    if (verdict.kind === 'fits') return true;
    if (verdict.kind === 'overtaken') return false;
    this.#untold.set(agentId, { agentId, expectedEpoch: verdict.expected.epoch, answeredEpoch: epoch });
    await this.#tell(agentId);
    return false;
  }

  /** Whether an agent is not even asked for here. An alarm that could not be written down before is written down now. */
  async bars(agentId: AgentId): Promise<boolean> {
    await this.#tell(agentId);
    return this.wentBack(agentId) || this.isElsewhere(agentId);
  }

  async #tell(agentId: AgentId): Promise<void> {
    const alarm = this.#untold.get(agentId);
    if (alarm === undefined) return;
    const told = await this.#ports.store.write(({ journal }) => journal.append('lease.went-back', alarm));
    if (told.ok) this.#untold.delete(agentId);
  }

  /** An epoch that somebody else was granted raises the mark as well. */
  async observe(agentId: AgentId, view: RegisterView): Promise<void> {
    const { epoch, coordinator } = view;
    if (epoch <= (this.seen(agentId)?.epoch ?? 0)) return;
    await this.#ports.store.write(({ journal }) =>
      journal.append('lease.observed', { agentId, epoch, ...coordinator }),
    );
  }
}
