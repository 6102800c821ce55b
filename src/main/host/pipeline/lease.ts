import type { Problem } from '../../../shared/contract/errors.ts';
import type { AgentId, AttemptToken, EffectKey, RunId } from '../../../shared/contract/identifiers.ts';
import { checkHighWater } from '../../../shared/core/lease/high-water.ts';
import type { HighWaterMark } from '../../../shared/core/lease/high-water.ts';
import {
  holdOffRemainingMs,
  isRenewalDue,
  leaseStanding,
  localTermMs,
  renewHeldLease,
} from '../../../shared/core/lease/held-lease.ts';
import type { HeldLease, LeaseStanding } from '../../../shared/core/lease/held-lease.ts';
import type { ClockReading, LeaseInstant } from '../../../shared/core/lease/clock.ts';
import { HOLD_OFF_MS, LEASE_TTL_MS } from '../../../shared/core/lease/lease.ts';
import type { RegisterView } from '../../../shared/core/lease/lease.ts';
import { readAll, readOne } from '../../store/connection.ts';
import type { LeaseStatus } from '../control.ts';
import type { HostPorts } from '../ports.ts';

/** The second word: this device's right to act for each agent, kept alive and given up. */
export class LeaseKeeper {
  readonly #ports: HostPorts;
  readonly #held = new Map<AgentId, HeldLease>();
  readonly #renewedAtMs = new Map<AgentId, number>();
  readonly #views = new Map<AgentId, RegisterView>();
  readonly #wentBack = new Set<AgentId>();
  readonly #doubted = new Map<AgentId, ClockReading>();
  readonly #nonces = new Map<AgentId, { nonce: string; sentAt: ClockReading }>();
  /** Called when a lease is gone or in doubt: what is in flight is aborted if it can be. */
  onLost: (agentId: AgentId) => void = () => undefined;
  /** Whether this process is carrying an attempt out at this moment; no other claim is kept alive. */
  isInFlight: (attemptToken: AttemptToken) => boolean = () => false;
  isReachable = true;
  /** The boot in which this process began, and in which it will end. */
  readonly bootId: string;
  answeredMs: number | null = null;

  constructor(ports: HostPorts) {
    this.#ports = ports;
    this.bootId = ports.clock.instant().bootId;
  }

  held(agentId: AgentId): HeldLease | null {
    return this.#held.get(agentId) ?? null;
  }

  agents(): AgentId[] {
    return [...this.#held.keys()];
  }

  standing(agentId: AgentId, now?: ClockReading): LeaseStanding {
    const held = this.#held.get(agentId);
    return held === undefined ? { kind: 'expired' } : leaseStanding(held, now ?? this.#ports.clock.read());
  }

  /** The moment until which a claim made under this lease may start, on the boot clock. */
  claimUntil(held: HeldLease): LeaseInstant {
    return { bootId: this.bootId, bootMs: held.sentAt.bootMs + localTermMs(held.ttlMs) };
  }

  /** Sees to it that the agent is held and renewed; answers whether it is held at all. */
  async ensure(agentId: AgentId, ttlMs: number | undefined): Promise<boolean> {
    const held = this.#held.get(agentId);
    if (held === undefined) return this.#acquire(agentId, ttlMs ?? LEASE_TTL_MS);
    const now = this.#ports.clock.read();
    const standing = leaseStanding(held, now);
    if (standing.kind === 'doubtful') await this.#noteDoubt(held, standing.reason);
    return isRenewalDue(held, now) ? this.#renew(held) : true;
  }

  async #acquire(agentId: AgentId, ttlMs: number): Promise<boolean> {
    const { coordinator, clock, device, newId, store, passed } = this.#ports;
    if (this.#wentBack.has(agentId)) return false;
    // A reply that got lost is asked for again under the same nonce, with the time of the first send (rules 3 and 8).
    const request = this.#nonces.get(agentId) ?? { nonce: newId(), sentAt: clock.read() };
    this.#nonces.set(agentId, request);
    const askedAt = performance.now();
    const answer = await coordinator.ask(agentId, {
      verb: 'acquire',
      deviceId: device.deviceId,
      nonce: request.nonce,
      ttlMs,
    });
    this.answeredMs = Math.round(performance.now() - askedAt);
    if (!answer.ok) return this.#unreachable(answer.error);
    this.isReachable = true;
    const { reply, view } = answer.value;
    this.#views.set(agentId, view);
    this.#nonces.delete(agentId);
    if (reply.kind !== 'granted') return false;
    if (!(await this.#fitsHighWater(agentId, reply.epoch))) return false;
    const holdOffFrom = reply.holdOff ? clock.read() : null;
    const previous = view.tail.at(-1)?.deviceId ?? null;
    const recorded = await store.write((connection) =>
      connection.journal.append('lease.acquired', {
        agentId,
        epoch: reply.epoch,
        ...coordinator.identity,
        holdOffMs: reply.holdOff ? HOLD_OFF_MS : 0,
        previousHolder: previous,
      }),
    );
    if (!recorded.ok) return false;
    const { nonce, sentAt } = request;
    this.#held.set(agentId, { agentId, epoch: reply.epoch, nonce, ttlMs, sentAt, holdOffFrom, isDoubtful: false });
    this.#renewedAtMs.set(agentId, clock.read().wallMs);
    passed('after-acquire');
    return true;
  }

  async #renew(held: HeldLease): Promise<boolean> {
    const { coordinator, clock, device } = this.#ports;
    const { agentId, epoch, nonce } = held;
    const sentAt = clock.read();
    const askedAt = performance.now();
    const answer = await coordinator.ask(agentId, { verb: 'renew', deviceId: device.deviceId, epoch, nonce });
    this.answeredMs = Math.round(performance.now() - askedAt);
    if (!answer.ok) {
      this.#unreachable(answer.error);
      return this.#held.has(agentId);
    }
    this.isReachable = true;
    this.#views.set(agentId, answer.value.view);
    if (answer.value.reply.kind !== 'renewed') {
      await this.#lost(held, answer.value.view);
      return false;
    }
    const renewed = renewHeldLease(held, sentAt);
    this.#held.set(agentId, renewed);
    this.#renewedAtMs.set(agentId, sentAt.wallMs);
    await this.#extendClaims(renewed);
    return true;
  }

  /**
   * While an effect runs, confirmed renewals move its claim's deadline (protocol section 5, clarifications). A claim that
   * nobody carries out, such as one whose commit reported an error, has to run out: the sweep judges it only then.
   */
  async #extendClaims(held: HeldLease): Promise<void> {
    const { store } = this.#ports;
    const leaseUntil = this.claimUntil(held);
    const db = store.connection()?.db;
    if (db === undefined) return;
    const open = readAll<{ attempt_token: AttemptToken; run_id: RunId; effect_key: EffectKey }>(
      db,
      `SELECT attempt_token, run_id, effect_key FROM attempts WHERE agent_id = ? AND progress <> 'settled' AND in_doubt_at_ms IS NULL AND epoch = ?`,
      held.agentId,
      held.epoch,
    ).filter((claim) => this.isInFlight(claim.attempt_token));
    if (open.length === 0) return;
    await store.write((connection) => {
      for (const claim of open) {
        const effect = { agentId: held.agentId, runId: claim.run_id, effectKey: claim.effect_key };
        connection.journal.append('claim.extended', { effect, attemptToken: claim.attempt_token, leaseUntil });
      }
    });
  }

  async #lost(held: HeldLease, view: RegisterView): Promise<void> {
    this.forget(held.agentId);
    await this.#ports.store.write((connection) =>
      connection.journal.append('lease.lost', {
        agentId: held.agentId,
        epoch: held.epoch,
        currentEpoch: view.epoch,
        holder: view.lease?.holder ?? null,
      }),
    );
  }

  /** Drops a lease that is known to be gone; what is in flight under it is aborted. */
  forget(agentId: AgentId): void {
    this.#held.delete(agentId);
    this.#renewedAtMs.delete(agentId);
    this.onLost(agentId);
  }

  #unreachable(cause: Problem): false {
    this.isReachable = false;
    this.#ports.log({ event: 'register-unreachable', code: cause.code, message: cause.message });
    return false;
  }

  async #fitsHighWater(agentId: AgentId, epoch: number): Promise<boolean> {
    const { store, coordinator } = this.#ports;
    const db = store.connection()?.db;
    if (db === undefined) return false;
    const row = readOne<{ coordinator_id: string; incarnation: string; epoch: number }>(
      db,
      'SELECT * FROM high_water WHERE agent_id = ?',
      agentId,
    );
    const seen: HighWaterMark | null =
      row === null ? null : { coordinatorId: row.coordinator_id, incarnation: row.incarnation, epoch: row.epoch };
    const verdict = checkHighWater(seen, { ...coordinator.identity, epoch });
    if (verdict.kind === 'fits') return true;
    this.#wentBack.add(agentId);
    await store.write((connection) =>
      connection.journal.append('lease.went-back', {
        agentId,
        expectedEpoch: verdict.expected.epoch,
        answeredEpoch: epoch,
      }),
    );
    return false;
  }

  async #noteDoubt(held: HeldLease, reason: 'clocks-disagree' | 'suspended'): Promise<void> {
    // One entry for each doubt, however long the register takes to dispel it.
    if (this.#doubted.get(held.agentId) === held.sentAt) return;
    this.#doubted.set(held.agentId, held.sentAt);
    const { store, clock } = this.#ports;
    this.onLost(held.agentId);
    const gapMs = Math.max(0, clock.read().wallMs - held.sentAt.wallMs);
    await store.write((connection) =>
      connection.journal.append('lease.doubtful', { agentId: held.agentId, epoch: held.epoch, reason, gapMs }),
    );
  }

  /** A suspend or resume was seen, or may have been: nothing is sent before the register has confirmed again (rule 1). */
  markDoubtful(): void {
    for (const held of this.#held.values()) this.#held.set(held.agentId, { ...held, isDoubtful: true });
  }

  /** Gives the agent up cleanly; refused while claims are pending (rule 8). */
  async release(agentId: AgentId, pendingClaims: number): Promise<boolean> {
    const held = this.#held.get(agentId);
    if (held === undefined) return true;
    const { coordinator, device, store, clock } = this.#ports;
    const isHoldOffOver = holdOffRemainingMs(held, clock.read()) === 0;
    const answer = await coordinator.ask(agentId, {
      verb: 'release',
      deviceId: device.deviceId,
      epoch: held.epoch,
      pendingClaims,
      isHoldOffOver,
    });
    if (!answer.ok) {
      this.#unreachable(answer.error);
      return false;
    }
    this.#views.set(agentId, answer.value.view);
    if (answer.value.reply.kind === 'claims-pending') return false;
    this.forget(agentId);
    await store.write((connection) => connection.journal.append('lease.released', { agentId, epoch: held.epoch }));
    return true;
  }

  /** Drops an expired lease from memory, so that it is asked for anew under a new nonce. */
  dropExpired(): void {
    for (const held of this.#held.values()) {
      if (leaseStanding(held, this.#ports.clock.read()).kind === 'expired') this.forget(held.agentId);
    }
  }

  /** What the register is to everybody: one that went back for any agent is not trusted by anybody who looks. */
  registerState(): LeaseStatus['state'] {
    if (this.#wentBack.size > 0) return 'went-back';
    return this.isReachable ? 'ready' : 'unreachable';
  }

  status(agentId: AgentId): LeaseStatus {
    const held = this.#held.get(agentId);
    const standing = this.standing(agentId);
    const state = this.#wentBack.has(agentId) ? 'went-back' : this.isReachable ? 'ready' : 'unreachable';
    const view = this.#views.get(agentId) ?? null;
    if (held === undefined) return { agentId, held: null, view, state };
    const passedMs = this.#ports.clock.read().bootMs - held.sentAt.bootMs;
    return {
      agentId,
      view,
      state,
      held: {
        epoch: held.epoch,
        ttlMs: held.ttlMs,
        standing,
        remainingMs: Math.max(0, held.ttlMs - passedMs),
        renewedAtMs: this.#renewedAtMs.get(agentId) ?? 0,
      },
    };
  }
}
