import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { ClockReading } from '../../shared/core/lease/clock.ts';
import type { HeldLease } from '../../shared/core/lease/held-lease.ts';
import type { MovedTo } from '../../shared/core/lease/lease.ts';
import type { HostPorts } from './ports.ts';

/** What goes into the record once about a right to act, however often it is met. */
export class LeaseNotes {
  readonly #ports: HostPorts;
  readonly #doubted = new Map<AgentId, ClockReading>();
  readonly #toldMoved = new Map<AgentId, string>();

  constructor(ports: HostPorts) {
    this.#ports = ports;
  }

  /** One entry for each doubt, however long the register takes to dispel it. */
  isNewDoubt(held: HeldLease): boolean {
    if (this.#doubted.get(held.agentId) === held.sentAt) return false;
    this.#doubted.set(held.agentId, held.sentAt);
    return true;
  }

  async doubtful(held: HeldLease, reason: 'clocks-disagree' | 'suspended'): Promise<void> {
    const { store, clock } = this.#ports;
    const gapMs = Math.max(0, clock.read().wallMs - held.sentAt.wallMs);
    await store.write((connection) =>
      connection.journal.append('lease.doubtful', { agentId: held.agentId, epoch: held.epoch, reason, gapMs }),
    );
  }

  /** The register has given the agent away. */
  async moved(agentId: AgentId, of: { readonly epoch: number; readonly to: MovedTo }): Promise<void> {
    const { epoch, to } = of;
    if (this.#toldMoved.get(agentId) === to.coordinatorId) return;
    this.#toldMoved.set(agentId, to.coordinatorId);
    await this.#ports.store.write(({ journal }) => journal.append('lease.moved-away', { agentId, ...to, epoch }));
  }
}
