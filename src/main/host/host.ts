import type { AgentId, RunId } from '../../shared/contract/identifiers.ts';
import { safeElapsed } from '../../shared/core/lease/clock.ts';
import type { ClockReading } from '../../shared/core/lease/clock.ts';
import { readAll, readOne } from '../store/connection.ts';
import { findRun } from '../store/rows.ts';
import type { ApprovalRecord, RunRecord } from '../store/rows.ts';
import { finishStop } from '../store/transactions/control-run.ts';
import { expireApproval } from '../store/transactions/decide-approval.ts';
import { releaseStep } from '../store/transactions/release-step.ts';
import { requestApproval } from './approve.ts';
import { effectKeyOf } from '../../shared/core/run/effect-key.ts';
import type { AttemptToken } from '../../shared/contract/identifiers.ts';
import { LeaseKeeper } from './pipeline/lease.ts';
import { abortAgent, dispatch } from './pipeline/pipeline.ts';
import type { PipelineState } from './pipeline/pipeline.ts';
import { reconcileTail } from './pipeline/sync.ts';
import type { HostPorts } from './ports.ts';
import { recoverAgent } from './recovery.ts';

/** How often the loop looks around while something is open, ms; and while nothing is. */
const BUSY_TICK_MS = 500;
const IDLE_TICK_MS = 5_000;
/** How soon a pass that could not send is tried again, ms. */
const RETRY_MS = 250;
/** How long a right to act is kept with nothing to do, ms. */
const IDLE_LEASE_MS = 10_000;

/** One loop that keeps leases, recovers what was left behind and drives every run as far as it goes. */
export class Host {
  readonly state: PipelineState;
  readonly #ports: HostPorts;
  readonly #driving = new Map<RunId, Promise<void>>();
  readonly #blocked = new Set<RunId>();
  readonly #epochs = new Map<AgentId, number>();
  readonly #idleSinceMs = new Map<AgentId, number>();
  #timer: NodeJS.Timeout | null = null;
  #ticking: Promise<void> | null = null;
  #wantsTick = false;
  #isStopped = false;
  #lastReading: ClockReading;

  constructor(ports: HostPorts) {
    this.#ports = ports;
    this.#lastReading = ports.clock.read();
    this.state = { ports, leases: new LeaseKeeper(ports), inFlight: new Map(), suspendCount: 0, isDraining: false };
    this.state.leases.onLost = (agentId) => abortAgent(this.state, agentId);
    this.state.leases.isInFlight = (attemptToken) => this.state.inFlight.has(attemptToken);
  }

  /** Starts the loop; the first pass is the start-up sweep. */
  start(): void {
    this.wake();
  }

  /** Something changed: look again now. Clears what was waiting for a change. */
  wake(): void {
    this.#blocked.clear();
    this.#schedule(0);
  }

  /** A suspend or resume event, or clocks that disagree. Events are hints; the clocks are the check. */
  noteSuspend(): void {
    this.state.suspendCount += 1;
    this.state.leases.markDoubtful();
    this.#schedule(0);
  }

  #schedule(delayMs: number): void {
    if (this.#isStopped) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#tick(), delayMs);
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
    this.#schedule(isAgain ? 0 : this.#openRuns().length > 0 ? BUSY_TICK_MS : IDLE_TICK_MS);
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
    const agents = new Set(this.#openRuns().map((run) => run.agent_id));
    await Promise.all([...agents].map((agentId) => this.#passAgent(agentId)));
    await this.#releaseIdle(agents);
  }

  #openRuns(): RunRecord[] {
    const connection = this.#ports.store.connection();
    return connection === null
      ? []
      : readAll<RunRecord>(connection.db, 'SELECT * FROM runs WHERE ending IS NULL ORDER BY run_number');
  }

  async #passAgent(agentId: AgentId): Promise<void> {
    const { leases, isDraining } = this.state;
    const first = this.#openRuns().find((run) => run.agent_id === agentId);
    const strategy = first === undefined ? null : this.#ports.strategyOf(first.revision_digest);
    if (isDraining && leases.held(agentId) === null) return;
    const isHeld = await leases.ensure(agentId, strategy?.leaseTtlMs);
    await this.#expireQuestions(agentId);
    const held = leases.held(agentId);
    if (!isHeld || held === null) {
      this.#epochs.delete(agentId);
      return;
    }
    if (this.#epochs.get(agentId) !== held.epoch) {
      this.#epochs.set(agentId, held.epoch);
      for (const run of this.#openRuns()) if (run.agent_id === agentId) this.#blocked.delete(run.run_id);
      await reconcileTail(this.#ports, held, leases.status(agentId).view?.tail ?? []);
    }
    if (this.#hasLeftovers(agentId)) await recoverAgent(this.state, agentId);
    if (isDraining) return;
    for (const run of this.#openRuns()) if (run.agent_id === agentId) this.#drive(run);
  }

  /** Whether any attempt is open that this process is not carrying out right now. */
  #hasLeftovers(agentId: AgentId): boolean {
    const connection = this.#ports.store.connection();
    if (connection === null) return false;
    const open = readAll<{ attempt_token: AttemptToken }>(
      connection.db,
      `SELECT attempt_token FROM attempts WHERE agent_id = ? AND progress <> 'settled' AND decision IS NULL`,
      agentId,
    );
    return open.some((attempt) => !this.state.inFlight.has(attempt.attempt_token));
  }

  #drive(run: RunRecord): void {
    if (this.#driving.has(run.run_id) || this.#blocked.has(run.run_id)) return;
    const driving = this.#driveRun(run.run_id)
      .catch((cause: unknown) => this.#ports.log({ event: 'run-failed', runId: run.run_id, message: String(cause) }))
      .finally(() => this.#driving.delete(run.run_id));
    this.#driving.set(run.run_id, driving);
  }

  async #driveRun(runId: RunId): Promise<void> {
    for (;;) {
      const connection = this.#ports.store.connection();
      const run = connection === null ? null : findRun(connection.db, runId);
      if (run === null || run.ending !== null || this.state.isDraining) return;
      if (run.stop_requested === 1 && run.phase === 'ready') {
        await this.#ports.store.write((within) => finishStop(within, runId));
        return;
      }
      if (run.barrier_active === 1) return;
      const result = await this.#step(run);
      if (result === 'wait-for-change') this.#blocked.add(runId);
      if (result === 'try-later') setTimeout(() => this.#schedule(0), RETRY_MS);
      if (result !== 'go-on') return;
    }
  }

  async #step(run: RunRecord): Promise<'go-on' | 'wait-for-change' | 'try-later' | 'rest'> {
    const strategy = this.#ports.strategyOf(run.revision_digest);
    const state = strategy?.states[run.state_id];
    if (strategy === null || state === undefined) return 'wait-for-change';
    if (run.phase === 'ready' && state.type === 'tool')
      return dispatch(this.state, { run, strategy, toolState: state });
    if (run.phase === 'ready' && state.type === 'approve') {
      await requestApproval(this.#ports, { run, strategy, approve: state });
      return 'go-on';
    }
    const nowMs = this.#ports.clock.read().wallMs;
    if (run.phase !== 'waiting' || run.wait_until_ms === null || nowMs < run.wait_until_ms) return 'rest';
    const effect = { agentId: run.agent_id, runId: run.run_id, effectKey: effectKeyOf(run.state_id, run.state_visit) };
    const from = { stateId: run.state_id, stateVisit: run.state_visit };
    await this.#ports.store.write((connection) =>
      releaseStep(connection, {
        attempt: { effect, attemptToken: 'no-effect' as AttemptToken },
        from,
        result: 'success',
        strategy,
        nowMs,
        failText: '',
      }),
    );
    return 'go-on';
  }

  async #expireQuestions(agentId: AgentId): Promise<void> {
    const connection = this.#ports.store.connection();
    if (connection === null) return;
    const nowMs = this.#ports.clock.read().wallMs;
    const late = readAll<ApprovalRecord>(
      connection.db,
      `SELECT * FROM approvals WHERE agent_id = ? AND state = 'open' AND expires_at_ms <= ?`,
      agentId,
      nowMs,
    );
    for (const approval of late) {
      const run = findRun(connection.db, approval.run_id);
      const strategy = run === null ? null : this.#ports.strategyOf(run.revision_digest);
      if (strategy !== null)
        await this.#ports.store.write((within) => expireApproval(within, approval, { strategy, nowMs }));
    }
  }

  async #releaseIdle(busy: ReadonlySet<AgentId>): Promise<void> {
    const nowMs = this.#ports.clock.read().monotonicMs;
    for (const agentId of this.state.leases.agents()) {
      if (busy.has(agentId) || this.#pending(agentId) > 0) {
        this.#idleSinceMs.delete(agentId);
        continue;
      }
      const since = this.#idleSinceMs.get(agentId) ?? nowMs;
      this.#idleSinceMs.set(agentId, since);
      const held = this.state.leases.held(agentId);
      if (nowMs - since >= Math.min(IDLE_LEASE_MS, (held?.ttlMs ?? 0) / 3)) await this.state.leases.release(agentId, 0);
    }
  }

  #pending(agentId: AgentId): number {
    return [...this.state.inFlight.values()].filter((flight) => flight.attempt.effect.agentId === agentId).length;
  }

  /** Takes no new claims, waits for what is in flight, gives leases up. Says what is left unclear. */
  async drain(limitMs: number): Promise<{ leftUnclear: readonly string[] }> {
    this.state.isDraining = true;
    const driving = Promise.all(this.#driving.values());
    const limit = new Promise((resolve) => setTimeout(resolve, limitMs).unref());
    await Promise.race([driving, limit]);
    const leftUnclear = [...this.state.inFlight.values()].map((flight) => flight.title);
    for (const agentId of this.state.leases.agents()) {
      if (this.#pending(agentId) === 0) await this.state.leases.release(agentId, 0);
    }
    return { leftUnclear };
  }

  /** Ends the loop. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#ticking;
  }

  /** For the status bar and the tray. */
  counts(): { running: number; needsYou: number } {
    const connection = this.#ports.store.connection();
    const row =
      connection === null
        ? null
        : readOne<{ running: number | null; needs: number | null }>(
            connection.db,
            `SELECT sum(phase = 'acting' OR phase = 'ready') AS running, sum(phase IN ('needs-recovery', 'needs-approval')) AS needs FROM runs WHERE ending IS NULL`,
          );
    return { running: row?.running ?? 0, needsYou: row?.needs ?? 0 };
  }
}
