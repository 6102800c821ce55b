import type { AgentId } from '../../shared/contract/identifiers.ts';
import { safeElapsed } from '../../shared/core/lease/clock.ts';
import type { ClockReading } from '../../shared/core/lease/clock.ts';
import { isIdleLeaseOver } from '../../shared/core/lease/held-lease.ts';
import { readAll, readOne } from '../store/connection.ts';
import { ReadMemory } from '../store/read-memory.ts';
import { nextGrantEnd, noteEndedGrants } from '../store/transactions/give-grant.ts';
import type { AttemptToken } from '../../shared/contract/identifiers.ts';
import { LeaseKeeper } from './pipeline/lease.ts';
import { isBehind, isHeldBack } from './held-back.ts';
import { abortAgent } from './pipeline/pipeline.ts';
import type { PipelineState } from './pipeline/pipeline.ts';
import { reconcileTail, tellUntold } from './pipeline/sync.ts';
import { LeaseWatch } from './lease-watch.ts';
import { OpenQuestions } from './open-questions.ts';
import type { HostPorts } from './ports.ts';
import { ProgressNotices } from './progress-notices.ts';
import { Stops } from './stops.ts';
import { recoverAgent } from './recovery.ts';
import { HandedOverAnswers } from './sync/answers.ts';
import { RunDriver } from './run-driver.ts';

/** How often the loop looks around while something is open, ms; and while nothing is. */
const BUSY_TICK_MS = 500;
const IDLE_TICK_MS = 5_000;
/** How long a host that ends waits for what it broke off to be gone, ms: a program may tidy up for half a second. */
const BREAK_OFF_MS = 1_000;
/** How often it is looked for permissions that have ended, ms. */
const GRANTS_LOOK_MS = 1_000;
/** How long a right to act is kept with nothing to do, ms. */
const IDLE_LEASE_MS = 10_000;

/** One loop that keeps leases, recovers what was left behind and drives every run as far as it goes. */
export class Host {
  readonly state: PipelineState;
  readonly #ports: HostPorts;
  readonly #runs: RunDriver;
  readonly #epochs = new Map<AgentId, number>();
  readonly #idleSinceMs = new Map<AgentId, number>();
  readonly #questions: OpenQuestions;
  readonly #answers: HandedOverAnswers;
  /** What other devices do with the right to act. */
  readonly watch: LeaseWatch;
  readonly #endListening: () => void;
  #cancelTimer: () => void = () => undefined;
  #ticking: Promise<void> | null = null;
  #wantsTick = false;
  #isStopped = false;
  #grantsSeenMs = Number.NEGATIVE_INFINITY;
  #lastReading: ClockReading;
  readonly #memory = new ReadMemory();

  constructor(ports: HostPorts) {
    this.#ports = ports;
    this.#questions = new OpenQuestions(ports);
    this.#lastReading = ports.clock.read();
    this.state = {
      ports,
      leases: new LeaseKeeper(ports),
      inFlight: new Map(),
      stops: new Stops(),
      progress: new ProgressNotices(ports),
      untold: new Set(),
      suspendCount: 0,
      isDraining: false,
      isMoving: false,
      isCatchingUp: () => false,
    };
    this.#answers = new HandedOverAnswers(this.state);
    this.#runs = new RunDriver(this.state, () => this.#schedule(0));
    this.watch = new LeaseWatch(this.state, () => this.#schedule(0));
    this.state.leases.onLost = (agentId) => abortAgent(this.state, agentId);
    this.#endListening = ports.store.onCommit(() => this.#hearAlarms());
    this.state.leases.isInFlight = (attemptToken) => this.state.inFlight.has(attemptToken);
  }

  /** Starts the loop; the first pass is the start-up sweep. */
  start(): void {
    this.wake();
  }

  /** Something changed: look again now. Clears what was waiting for a change. */
  wake(): void {
    this.#runs.unblock(null);
    this.#schedule(0);
  }

  /** The register of an agent went back, as another device found out: what is held of it here is no right to act (rule 7). */
  #hearAlarms(): void {
    const { leases } = this.state;
    for (const agentId of leases.agents()) if (leases.highWater.wentBack(agentId)) leases.forget(agentId);
  }

  /** A suspend or resume event, or clocks that disagree. Events are hints; the clocks are the check. */
  noteSuspend(): void {
    this.state.suspendCount += 1;
    this.state.leases.markDoubtful();
    this.#schedule(0);
  }

  #schedule(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#ports.timers.after(delayMs, () => void this.#tick());
  }

  async #tick(): Promise<void> {
    if (this.#ticking !== null) {
      this.#wantsTick = true;
      return;
    }
    this.#ticking = this.#pass();
    try {
      await this.#ticking;
    } catch (cause) {
      this.#ports.log({ event: 'tick-failed', message: cause instanceof Error ? cause.message : String(cause) });
    }
    this.#ticking = null;
    const isAgain = this.#wantsTick;
    this.#wantsTick = false;
    // A right to act that is held is looked after as well: left alone, a short one would run out instead of being given back.
    const isBusy = this.#runs.openAgents().length > 0 || this.state.leases.agents().length > 0;
    this.#schedule(isAgain ? 0 : isBusy ? BUSY_TICK_MS : IDLE_TICK_MS);
  }

  async #pass(): Promise<void> {
    const now = this.#ports.clock.read();
    if (safeElapsed(this.#lastReading, now).isDoubtful) {
      this.state.suspendCount += 1;
      this.state.leases.markDoubtful();
    }
    this.#lastReading = now;
    if (this.#ports.store.connection() === null) return;
    this.state.leases.dropExpired();
    await this.#noteEndedGrants();
    this.watch.lookAround(this.#ports.timers.nowMs());
    const agents = new Set(this.#runs.openAgents());
    const others = [...this.state.untold].filter((agentId) => !agents.has(agentId));
    await Promise.all([
      ...[...agents].map((agentId) => this.#passAgent(agentId)),
      ...others.map((agentId) => tellUntold(this.state, agentId)),
    ]);
    await this.#releaseIdle(agents);
  }

  async #passAgent(agentId: AgentId): Promise<void> {
    const { leases } = this.state;
    const first = this.#runs.firstOpen(agentId);
    const strategy = first === null ? null : this.#ports.strategyOf(first.revision_digest);
    if (isHeldBack(this.state) && leases.held(agentId) === null) return;
    const isHeld = await leases.ensure(agentId, strategy?.leaseTtlMs);
    // Where another device acts, it is for that one to say that time is up.
    if (isHeld || !leases.isElsewhere(agentId)) await this.#questions.expire(agentId);
    const held = leases.held(agentId);
    if (!isHeld || held === null) {
      this.#epochs.delete(agentId);
      return;
    }
    if (this.#epochs.get(agentId) !== held.epoch) {
      this.#epochs.set(agentId, held.epoch);
      this.#runs.unblock(agentId);
      const view = leases.status(agentId).view ?? { tail: [], frontier: {} };
      const isTold = await reconcileTail(this.#ports, held, { view, isInFlight: leases.isInFlight });
      if (!isTold) this.state.untold.add(agentId);
    }
    await tellUntold(this.state, agentId);
    this.#answers.carryOut(agentId, () => {
      this.#runs.unblock(agentId);
      this.#schedule(0);
    });
    if (this.#hasLeftovers(agentId) && !isBehind(this.state, agentId)) await this.#recover(agentId);
    if (isHeldBack(this.state)) return;
    this.#runs.drive(agentId);
  }

  /** What was found out about an old attempt is a change: a run that waited behind it may go on. */
  async #recover(agentId: AgentId): Promise<void> {
    const { store } = this.#ports;
    const before = store.connection()?.journal.head.seq;
    await recoverAgent(this.state, agentId, this.#memory);
    if (store.connection()?.journal.head.seq !== before) this.#runs.unblock(agentId);
  }

  /** Whether any attempt is open that this process is not carrying out right now. */
  #hasLeftovers(agentId: AgentId): boolean {
    const connection = this.#ports.store.connection();
    if (connection === null) return false;
    const sql = `SELECT attempt_token FROM attempts WHERE agent_id = ? AND progress <> 'settled' AND decision IS NULL`;
    const open = this.#memory.recall(connection, `open ${agentId}`, (db) =>
      readAll<{ attempt_token: AttemptToken }>(db, sql, agentId),
    );
    return open.some((attempt) => !this.state.inFlight.has(attempt.attempt_token));
  }

  /** The gate goes by the time of the day itself; this line in the record only has to come soon. */
  async #noteEndedGrants(): Promise<void> {
    const connection = this.#ports.store.connection();
    const { monotonicMs } = this.#lastReading;
    if (monotonicMs - this.#grantsSeenMs < GRANTS_LOOK_MS) return;
    this.#grantsSeenMs = monotonicMs;
    if (connection === null) return;
    const endsAtMs = this.#memory.recall(connection, 'grants', nextGrantEnd);
    if (endsAtMs === null || connection.journal.nowMs() < endsAtMs) return;
    await this.#ports.store.write(noteEndedGrants);
  }

  async #releaseIdle(busy: ReadonlySet<AgentId>): Promise<void> {
    const now = this.#ports.clock.read();
    for (const agentId of this.state.leases.agents()) {
      if (busy.has(agentId) || this.#pending(agentId) > 0) {
        this.#idleSinceMs.delete(agentId);
        continue;
      }
      const since = this.#idleSinceMs.get(agentId) ?? now.monotonicMs;
      this.#idleSinceMs.set(agentId, since);
      const held = this.state.leases.held(agentId);
      const of = { idleMs: now.monotonicMs - since, mostMs: IDLE_LEASE_MS, spareMs: 2 * BUSY_TICK_MS, now };
      if (held === null || isIdleLeaseOver(held, of)) await this.state.leases.release(agentId, 0);
    }
  }

  #pending(agentId: AgentId): number {
    return [...this.state.inFlight.values()].filter((flight) => flight.attempt.effect.agentId === agentId).length;
  }

  /** Takes no new claims, waits for what is in flight, gives leases up. Says what is left unclear. */
  async drain(limitMs: number): Promise<{ leftUnclear: readonly string[] }> {
    this.state.isDraining = true;
    await this.#restWithin(limitMs);
    const leftUnclear = [...this.state.inFlight.values()].map((flight) => flight.title);
    for (const agentId of this.state.leases.agents()) {
      if (this.#pending(agentId) === 0) await this.state.leases.release(agentId, 0);
    }
    return { leftUnclear };
  }

  /**
   * Breaks off what outlasted the draining, programs with everything they started, and waits a little for it to be gone: a
   * person who is asked about it later must not be asked while it still goes on. It is as unclear as before.
   */
  async breakOff(): Promise<void> {
    this.state.isDraining = true;
    for (const { abort } of this.state.inFlight.values()) abort.abort(new Error('The host ends.'));
    await this.#restWithin(BREAK_OFF_MS);
  }

  async #restWithin(limitMs: number): Promise<void> {
    let cancelLimit = (): void => undefined;
    const limit = new Promise<void>((resolve) => {
      cancelLimit = this.#ports.timers.after(limitMs, resolve);
    });
    await Promise.race([this.#runs.rest(), limit]);
    cancelLimit();
  }

  /** Ends the loop. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.state.stops.isClosed = true;
    this.state.progress.close();
    this.watch.close();
    this.#endListening();
    this.#cancelTimer();
    await this.#ticking;
  }

  /** For the shell: the counts of its icon, and the titles of what is on its way. */
  counts(): { running: number; needsYou: number; inFlight: readonly string[] } {
    const connection = this.#ports.store.connection();
    const row =
      connection === null
        ? null
        : readOne<{ running: number | null; needs: number | null }>(
            connection.db,
            `SELECT sum(phase = 'acting' OR phase = 'ready') AS running, sum(phase IN ('needs-recovery', 'needs-approval')) AS needs FROM runs WHERE ending IS NULL`,
          );
    const inFlight = [...this.state.inFlight.values()].map((flight) => flight.title);
    return { running: row?.running ?? 0, needsYou: row?.needs ?? 0, inFlight };
  }
}
