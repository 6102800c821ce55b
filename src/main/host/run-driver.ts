import type { AgentId, RunId } from '../../shared/contract/identifiers.ts';
import { PARALLEL_LIMIT } from '../../shared/contract/strategy.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import { readAll, readOne } from '../store/connection.ts';
import { holdOf } from '../store/holds.ts';
import { ReadMemory } from '../store/read-memory.ts';
import { findRun } from '../store/rows.ts';
import type { RunRecord } from '../store/rows.ts';
import { finishStop } from '../store/transactions/control-run.ts';
import { isHeldBack } from './held-back.ts';
import type { PipelineState } from './pipeline/pipeline.ts';
import { takeStep } from './step.ts';
import type { StepOutcome } from './step.ts';
import { WaitClock } from './wait-clock.ts';

/**
 * Open runs of an agent, but for those that wait for a person, or for branches that have not ended: looking at them again does
 * nothing, and there can be hundreds.
 */
const NOT_RESTING = `
SELECT run_number, run_id, parent_run_id FROM runs AS run INDEXED BY runs_open WHERE ending IS NULL AND agent_id = (SELECT ?)
  AND phase NOT IN ('needs-recovery', 'needs-approval')
  AND NOT (phase = 'branching' AND EXISTS (SELECT 1 FROM runs WHERE parent_run_id = run.run_id AND ending IS NULL))`;
/** How soon a step that could not be taken is tried again, ms. */
const RETRY_MS = 250;

type FoundRun = Pick<RunRecord, 'run_number' | 'run_id' | 'parent_run_id'>;

/** A run that is looked at or worked on now. */
interface Driving {
  end: Promise<void>;
  /** The branches that it takes one of the places of; `null` while it takes none. */
  family: string | null;
  /** Something has changed since its last step was begun: what that step comes to is no reason to wait. */
  isOutdated: boolean;
}

/** Drives every open run as far as it goes, each one step at a time, and all of them side by side. */
export class RunDriver {
  readonly #state: PipelineState;
  readonly #lookAgain: () => void;
  readonly #driving = new Map<RunId, Driving>();
  readonly #blocked = new Set<RunId>();
  /** Blocked until the right to act is got anew, or something was found out about an old attempt. */
  readonly #blockedUnderLease = new Set<RunId>();
  readonly #waits: WaitClock;
  readonly #memory = new ReadMemory();
  #isLookPlanned = false;

  constructor(state: PipelineState, lookAgain: () => void) {
    this.#state = state;
    this.#lookAgain = lookAgain;
    this.#waits = new WaitClock(state.ports.clock);
  }

  /**
   * Runs of an agent that have not ended, in their order. By the index of open runs, as everything that the loop looks for: a
   * look must not cost more because more runs have ended.
   */
  openRuns(agentId: AgentId): RunRecord[] {
    const connection = this.#state.ports.store.connection();
    if (connection === null) return [];
    const open = 'SELECT * FROM runs INDEXED BY runs_open WHERE ending IS NULL AND agent_id = (SELECT ?)';
    const found = readAll<RunRecord>(connection.db, open, agentId);
    return found.toSorted((one, other) => one.run_number - other.run_number);
  }

  /** The oldest run of an agent that has not ended. */
  firstOpen(agentId: AgentId): RunRecord | null {
    const connection = this.#state.ports.store.connection();
    const first =
      'SELECT min(run_number) FROM runs INDEXED BY runs_open WHERE ending IS NULL AND agent_id = (SELECT ?)';
    if (connection === null) return null;
    return this.#memory.recall(connection, `first ${agentId}`, (db) =>
      readOne<RunRecord>(db, `SELECT * FROM runs WHERE run_number = (${first})`, agentId),
    );
  }

  /** The agents that have runs which have not ended. */
  openAgents(): readonly AgentId[] {
    const connection = this.#state.ports.store.connection();
    const sql = 'SELECT DISTINCT agent_id FROM runs INDEXED BY runs_open WHERE ending IS NULL';
    if (connection === null) return [];
    return this.#memory.recall(connection, 'agents', (db) =>
      readAll<{ agent_id: AgentId }>(db, sql).map((row) => row.agent_id),
    );
  }

  /** Everything that waited for a change may be looked at again; or only what belongs to one agent. */
  unblock(agentId: AgentId | null): void {
    if (agentId === null) {
      this.#blocked.clear();
      for (const driving of this.#driving.values()) driving.isOutdated = true;
      return;
    }
    for (const run of this.openRuns(agentId)) {
      this.#blocked.delete(run.run_id);
      this.#blockedUnderLease.delete(run.run_id);
      const driving = this.#driving.get(run.run_id);
      if (driving !== undefined) driving.isOutdated = true;
    }
  }

  /** Resolves when every run that is being driven now has come to rest. */
  async rest(): Promise<void> {
    await Promise.all([...this.#driving.values()].map((driving) => driving.end));
  }

  drive(agentId: AgentId): void {
    const connection = this.#state.ports.store.connection();
    if (connection === null) return;
    const found = this.#memory.recall(connection, `not resting ${agentId}`, (db) =>
      readAll<FoundRun>(db, NOT_RESTING, agentId).toSorted((one, other) => one.run_number - other.run_number),
    );
    for (const run of found) this.#drive(run);
  }

  /** Of the branches of one run, only so many are worked on at a time. One that only waits is not worked on. */
  #hasRoom(run: RunRecord): boolean {
    const family = familyOf(run);
    if (family === null || this.#driving.get(run.run_id)?.family === family) return true;
    const parent = ownMember(
      this.#state.ports.strategyOf(run.revision_digest)?.states ?? {},
      run.parent_state_id ?? '',
    );
    const limit = parent?.type === 'workset' ? parent.parallel : PARALLEL_LIMIT;
    return [...this.#driving.values()].filter((driving) => driving.family === family).length < limit;
  }

  #takePlace(run: RunRecord): void {
    const driving = this.#driving.get(run.run_id);
    if (driving !== undefined) driving.family = familyOf(run);
  }

  #drive(run: FoundRun): void {
    if (this.#driving.has(run.run_id) || this.#isBlocked(run.run_id)) return;
    const { ports } = this.#state;
    let hasMoved = false;
    const driving: Driving = { end: Promise.resolve(), family: null, isOutdated: false };
    this.#driving.set(run.run_id, driving);
    driving.end = this.#driveRun(run.run_id, driving, () => (hasMoved = true))
      .catch((cause: unknown) => ports.log({ event: 'run-failed', runId: run.run_id, message: String(cause) }))
      .finally(() => {
        this.#driving.delete(run.run_id);
        // A branch that has come to rest leaves room for another, and may be the last that its run waited for.
        if (hasMoved && run.parent_run_id !== null) this.#lookAgain();
      });
  }

  #isBlocked(runId: RunId): boolean {
    return this.#blocked.has(runId) || this.#blockedUnderLease.has(runId);
  }

  async #driveRun(runId: RunId, driving: Driving, moved: () => void): Promise<void> {
    const { ports } = this.#state;
    for (;;) {
      const connection = ports.store.connection();
      const run = connection === null ? null : findRun(connection.db, runId);
      if (connection === null || run === null || run.ending !== null || isHeldBack(this.#state)) return;
      if (run.stop_requested === 1) {
        const ended = await ports.store.write((within) => finishStop(within, runId));
        if (ended.ok && ended.value) moved();
        return;
      }
      if (holdOf(connection.db, run) !== null) return;
      driving.isOutdated = false;
      const outcome = await takeStep(this.#state, run, {
        waits: this.#waits,
        hasRoom: () => this.#hasRoom(run),
        takePlace: () => this.#takePlace(run),
      });
      if (outcome !== 'go-on') return this.#rest(runId, outcome, driving);
      moved();
    }
  }

  /** A change that came while the step was under way is the one that it would wait for. */
  #rest(runId: RunId, outcome: Exclude<StepOutcome, 'go-on'>, { isOutdated }: Driving): void {
    const waits = outcome === 'wait-for-change' || outcome === 'wait-for-lease';
    if (outcome === 'try-later' || (waits && isOutdated)) this.#lookLater();
    else if (outcome === 'wait-for-change') this.#blocked.add(runId);
    else if (outcome === 'wait-for-lease') this.#blockedUnderLease.add(runId);
  }

  /** Once for all runs: a look of their own for each of them would double with every look. */
  #lookLater(): void {
    if (this.#isLookPlanned) return;
    this.#isLookPlanned = true;
    this.#state.ports.timers.after(RETRY_MS, () => {
      this.#isLookPlanned = false;
      this.#lookAgain();
    });
  }
}

/** What the branches of one state of one run have in common; `null` for a run of its own. */
function familyOf(run: RunRecord): string | null {
  return run.parent_run_id === null ? null : `${run.parent_run_id} ${run.parent_state_id}`;
}
