import type { Problem } from '../../shared/contract/errors.ts';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { CoordinatorIdentity } from '../../shared/core/lease/lease.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { LeaseCoordinator } from './lease-coordinator.ts';
import { unreachableProblem, wentBackProblem } from './register-problem.ts';

/** A register that is chosen, whether or not it can be reached yet. */
export interface ChosenCoordinator {
  readonly name: string;
  /** What it was when it was chosen; `null` only where it is made by being opened. */
  readonly identity: CoordinatorIdentity | null;
  open(): Promise<Result<LeaseCoordinator, Problem>>;
}

/** How long a register that could not be opened is left alone, ms. */
const REOPEN_PAUSE_MS = 1_000;

/**
 * The register in use: opened when it can be, and changed when a move is over. A host starts without it and says what it
 * waits for; what was chosen once is never taken for another one that answers in its place.
 */
export class CurrentCoordinator implements LeaseCoordinator {
  readonly #nowMs: () => number;
  readonly #listeners = new Set<(agentId: AgentId) => void>();
  #chosen: ChosenCoordinator;
  #inner: LeaseCoordinator | null = null;
  #opening: Promise<Result<LeaseCoordinator, Problem>> | null = null;
  #failed: { readonly problem: Problem; readonly atMs: number } | null = null;
  #answered: Problem | null = null;
  #endListening: () => void = () => undefined;
  #isClosed = false;

  /** `nowMs` is monotonic. */
  constructor(chosen: ChosenCoordinator, nowMs: () => number) {
    this.#chosen = chosen;
    this.#nowMs = nowMs;
  }

  get name(): string {
    return this.#inner?.name ?? this.#chosen.name;
  }

  get identity(): CoordinatorIdentity {
    return this.#inner?.identity ?? this.#chosen.identity ?? { coordinatorId: '', incarnation: '' };
  }

  get inside(): LeaseCoordinator['inside'] {
    return this.#inner?.inside ?? null;
  }

  get warning(): string {
    return this.#inner?.warning ?? '';
  }

  /** Why it could not be opened, or what it answered last instead of an answer; `null` while nothing is wrong. */
  get trouble(): Problem | null {
    return this.#inner === null ? (this.#failed?.problem ?? null) : this.#answered;
  }

  /** The register in use, if it is open: for what only one kind of it can tell. */
  get inner(): LeaseCoordinator | null {
    return this.#inner;
  }

  ask: LeaseCoordinator['ask'] = async (agentId, verb) => {
    const opened = await this.opened();
    return opened.ok ? this.#noted(await opened.value.ask(agentId, verb)) : opened;
  };

  current: LeaseCoordinator['current'] = async (agentId) => {
    const opened = await this.opened();
    return opened.ok ? this.#noted(await opened.value.current(agentId)) : opened;
  };

  onChange = (listener: (agentId: AgentId) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The register itself, opened if it was not; a failure is remembered for a moment, so that nobody waits for it again. */
  opened(): Promise<Result<LeaseCoordinator, Problem>> {
    if (this.#isClosed) return Promise.resolve(err(unreachableProblem('It was closed.')));
    if (this.#inner !== null) return Promise.resolve(ok(this.#inner));
    const failed = this.#failed;
    if (failed !== null && this.#nowMs() - failed.atMs < REOPEN_PAUSE_MS) return Promise.resolve(err(failed.problem));
    this.#opening ??= this.#open(this.#chosen).finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #open(chosen: ChosenCoordinator): Promise<Result<LeaseCoordinator, Problem>> {
    const opened = await chosen.open();
    const isWanted = !this.#isClosed && this.#chosen === chosen;
    if (opened.ok && isWanted && isSame(chosen.identity, opened.value.identity)) {
      this.#use(opened.value);
      return opened;
    }
    if (opened.ok) await opened.value.close();
    const problem = opened.ok ? wentBackProblem() : opened.error;
    if (isWanted) this.#failed = { problem, atMs: this.#nowMs() };
    return err(problem);
  }

  #noted<Value>(answer: Result<Value, Problem>): Result<Value, Problem> {
    this.#answered = answer.ok ? null : answer.error;
    return answer;
  }

  #use(inner: LeaseCoordinator): void {
    this.#inner = inner;
    this.#answered = null;
    this.#failed = null;
    const tell = (agentId: AgentId): void => this.#listeners.forEach((listener) => listener(agentId));
    this.#endListening = inner.onChange?.(tell) ?? (() => undefined);
  }

  /**
   * Uses another register from now on, which is open already. Only while nothing is held and nothing is on its way: whoever
   * calls sees to that.
   */
  async change(chosen: ChosenCoordinator, inner: LeaseCoordinator): Promise<void> {
    const before = this.#inner;
    this.#endListening();
    this.#chosen = { ...chosen, identity: inner.identity };
    this.#use(inner);
    await before?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endListening();
    await this.#inner?.close();
    this.#inner = null;
  }
}

function isSame(chosen: CoordinatorIdentity | null, found: CoordinatorIdentity): boolean {
  if (chosen === null) return true;
  return chosen.coordinatorId === found.coordinatorId && chosen.incarnation === found.incarnation;
}
