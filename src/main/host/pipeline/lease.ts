import type { Problem } from '../../../shared/contract/errors.ts';
import type { AgentId, AttemptToken } from '../../../shared/contract/identifiers.ts';
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
import type { RegisterReply, RegisterVerb } from '../../../shared/core/lease/register.ts';
import type { LeaseStatus } from '../control.ts';
import { HighWater } from '../high-water.ts';
import type { HostPorts } from '../ports.ts';
import { extendClaims } from '../extend-claims.ts';
import { LeaseNotes } from '../lease-notes.ts';

/** A grant that was asked for, until its answer is known. */
interface AskedGrant {
  readonly nonce: string;
  readonly ttlMs: number;
  readonly sentAt: ClockReading;
}

/** The second word: this device's right to act for each agent, kept alive and given up. */
export class LeaseKeeper {
  readonly #ports: HostPorts;
  readonly #held = new Map<AgentId, HeldLease>();
  readonly #renewedAtMs = new Map<AgentId, number>();
  readonly #views = new Map<AgentId, RegisterView>();
  readonly highWater: HighWater;
  readonly #notes: LeaseNotes;
  readonly #asked = new Map<AgentId, AskedGrant>();
  /** Called when a lease is gone or in doubt: what is in flight is aborted if it can be. */
  onLost: (agentId: AgentId) => void = () => undefined;
  /** Whether this process is carrying an attempt out at this moment; no other claim is kept alive. */
  isInFlight: (attemptToken: AttemptToken) => boolean = () => false;
  isReachable = true;
  readonly bootId: string;
  answeredMs: number | null = null;

  constructor(ports: HostPorts) {
    this.#ports = ports;
    this.highWater = new HighWater(ports);
    this.#notes = new LeaseNotes(ports);
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
    if (standing.kind === 'doubtful') await this.#doubt(held, standing.reason);
    return isRenewalDue(held, now) ? this.#renew(held) : true;
  }

  async #acquire(agentId: AgentId, ttlMs: number): Promise<boolean> {
    const { clock, device, newId } = this.#ports;
    if (await this.highWater.bars(agentId)) return false;
    // A reply that got lost is asked for again with the same nonce and term and the time of the first send (rules 3 and 8):
    // the register keeps the term that it granted, whatever the agent is set to by now.
    const request = this.#asked.get(agentId) ?? { nonce: newId(), ttlMs, sentAt: clock.read() };
    const { nonce } = request;
    const verb = { verb: 'acquire', deviceId: device.deviceId, nonce, ttlMs: request.ttlMs } as const;
    const reply = await this.#grant(agentId, { verb, request });
    return reply?.kind === 'granted';
  }

  /**
   * A person takes the agent over, from what they were shown. The register's reply; `null` when nobody knows what it did, or
   * when its grant was not believed or not written down: then this device does not hold it.
   */
  async takeOver(
    agentId: AgentId,
    of: { readonly seenEpoch: number; readonly ttlMs: number; readonly by: string },
  ): Promise<RegisterReply | null> {
    const { clock, device, newId } = this.#ports;
    const request = { nonce: newId(), ttlMs: of.ttlMs, sentAt: clock.read() };
    const { nonce, ttlMs } = request;
    const verb = { verb: 'take-over', deviceId: device.deviceId, nonce, ttlMs, seenEpoch: of.seenEpoch } as const;
    return this.#grant(agentId, { verb, request, by: of.by });
  }

  async #grant(
    agentId: AgentId,
    of: {
      readonly verb: Extract<RegisterVerb, { verb: 'acquire' | 'take-over' }>;
      readonly request: AskedGrant;
      readonly by?: string;
    },
  ): Promise<RegisterReply | null> {
    const { coordinator, clock, timers, store, passed } = this.#ports;
    const { request, by } = of;
    this.#asked.set(agentId, request);
    const askedAtMs = timers.nowMs();
    const before = this.highWater.seen(agentId);
    const answer = await coordinator.ask(agentId, of.verb);
    this.answeredMs = Math.round(timers.nowMs() - askedAtMs);
    if (!answer.ok) {
      this.unreachable(answer.error);
      return null;
    }
    this.isReachable = true;
    const { reply, view } = answer.value;
    this.#asked.delete(agentId);
    this.#views.set(agentId, view);
    if (reply.kind !== 'granted') {
      if (reply.kind === 'moved') await this.#notes.moved(agentId, { epoch: view.epoch, to: reply.to });
      await this.highWater.observe(agentId, view);
      return reply;
    }
    if (!(await this.highWater.accepts(agentId, reply, before))) return null;
    const holdOffFrom = reply.holdOff ? clock.read() : null;
    const recorded = await store.write((connection) =>
      connection.journal.append('lease.acquired', {
        agentId,
        epoch: reply.epoch,
        ...coordinator.identity,
        holdOffMs: reply.holdOff ? HOLD_OFF_MS : 0,
        previousHolder: view.tail.at(-1)?.deviceId ?? null,
        ...(by === undefined ? {} : { by }),
      }),
    );
    if (!recorded.ok) return null;
    this.#held.set(agentId, { agentId, epoch: reply.epoch, ...request, holdOffFrom, isDoubtful: false });
    this.#renewedAtMs.set(agentId, clock.read().wallMs);
    passed('after-acquire');
    return reply;
  }

  async #renew(held: HeldLease): Promise<boolean> {
    const { coordinator, clock, timers, device } = this.#ports;
    const { agentId, epoch, nonce } = held;
    const sentAt = clock.read();
    const askedAtMs = timers.nowMs();
    const answer = await coordinator.ask(agentId, { verb: 'renew', deviceId: device.deviceId, epoch, nonce });
    this.answeredMs = Math.round(timers.nowMs() - askedAtMs);
    if (!answer.ok) {
      this.unreachable(answer.error);
      return this.#held.has(agentId);
    }
    this.isReachable = true;
    this.#views.set(agentId, answer.value.view);
    if (answer.value.reply.kind !== 'renewed') {
      await this.#lost(held, answer.value.view);
      return false;
    }
    // Forgotten while the answer was on its way: what the register said before that does not bring it back.
    if (this.#held.get(agentId)?.nonce !== nonce) return this.#held.has(agentId);
    const renewed = renewHeldLease(held, sentAt);
    this.#held.set(agentId, renewed);
    this.#renewedAtMs.set(agentId, sentAt.wallMs);
    await extendClaims(this.#ports, renewed, { leaseUntil: this.claimUntil(renewed), isInFlight: this.isInFlight });
    return true;
  }

  async #lost(held: HeldLease, view: RegisterView): Promise<void> {
    this.forget(held.agentId);
    await this.highWater.observe(held.agentId, view);
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

  /** The register gave no answer: nobody knows what it did. */
  unreachable(cause: Problem): false {
    this.isReachable = false;
    this.#ports.log({ event: 'register-unreachable', code: cause.code, message: cause.message });
    return false;
  }

  async #doubt(held: HeldLease, reason: 'clocks-disagree' | 'suspended'): Promise<void> {
    if (!this.#notes.isNewDoubt(held)) return;
    this.onLost(held.agentId);
    await this.#notes.doubtful(held, reason);
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
      // It may have been released, or may be yet, when the request arrives: it is not ours to act on any more (rule 8).
      this.forget(agentId);
      return this.unreachable(answer.error);
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
  registerState(): 'ready' | 'unreachable' | 'went-back' {
    if (this.highWater.isAlarmed) return 'went-back';
    return this.isReachable ? 'ready' : 'unreachable';
  }

  /** Whether another device acts for an agent, as far as its register was last heard, or the agent is another register's. */
  isElsewhere(agentId: AgentId): boolean {
    if (this.highWater.isElsewhere(agentId)) return true;
    const { lease = null, remainingMs = 0 } = this.#views.get(agentId) ?? {};
    return lease !== null && remainingMs > 0 && lease.holder !== this.#ports.device.deviceId;
  }

  /** Whether a grant was asked for whose answer is not known yet. */
  isAsking(agentId: AgentId): boolean {
    return this.#asked.has(agentId);
  }

  /** What the register said about an agent in answer to something else. */
  see(agentId: AgentId, view: RegisterView): void {
    this.#views.set(agentId, view);
  }

  /** Another register is asked from now on. */
  forgetViews(): void {
    this.#views.clear();
  }

  status(agentId: AgentId): LeaseStatus {
    const held = this.#held.get(agentId);
    const view = this.#views.get(agentId) ?? null;
    const about = { agentId, view, state: this.#stateOf(agentId) };
    if (held === undefined) return { ...about, held: null };
    return {
      ...about,
      held: {
        epoch: held.epoch,
        ttlMs: held.ttlMs,
        standing: this.standing(agentId),
        remainingMs: Math.max(0, held.ttlMs - (this.#ports.clock.read().bootMs - held.sentAt.bootMs)),
        renewedAtMs: this.#renewedAtMs.get(agentId) ?? 0,
      },
    };
  }

  #stateOf(agentId: AgentId): LeaseStatus['state'] {
    if (this.highWater.wentBack(agentId)) return 'went-back';
    if (this.highWater.isElsewhere(agentId)) return 'elsewhere';
    return this.isReachable ? 'ready' : 'unreachable';
  }
}
