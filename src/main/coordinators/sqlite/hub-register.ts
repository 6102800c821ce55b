import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { AgentId } from '../../../shared/contract/identifiers.ts';
import type { RegisterView } from '../../../shared/core/lease/lease.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { lockProfile } from '../../store/lock.ts';
import type { ProfileLock } from '../../store/lock.ts';
import { sqliteCodeOf } from '../../store/open-sqlite.ts';
import type { LeaseCoordinator } from '../lease-coordinator.ts';
import { sentenceOf, unreachableProblem } from '../register-problem.ts';
import { processTerms } from './lease-terms.ts';
import { openRegisterFile } from './register-file.ts';
import type { RegisterFile } from './register-file.ts';
import type { SqliteRegister } from './sqlite-register.ts';

/** Marks a hub's register ("FPHB"): its terms mean something else than those of other registers. */
const HUB_APPLICATION_ID = 0x46504842;
const REGISTER_FILE = 'hub.sqlite';
/** How often it is looked whether a lease has run out, ms. */
const EXPIRY_LOOK_MS = 500;

/** Where a hub keeps its register, and by which clock. */
export interface HubRegisterOptions {
  /** The hub's own folder; it exists. */
  readonly folder: string;
  /** Written beside the lock, for whoever is refused. */
  readonly version: string;
  /** Never goes back within this process, ms; it may stand still while the machine sleeps, which makes expiry late. */
  readonly nowMs?: () => number;
}

/** A register that also tells how often it wrote. */
export interface HubRegister extends LeaseCoordinator {
  readonly onChange: NonNullable<LeaseCoordinator['onChange']>;
  /** Transactions so far; many questions share one. */
  commits(): number;
}

/**
 * Opens or makes the register that a hub serves. Only one process can hold a folder. Expiry is counted in memory, on this
 * process's own clock: after a restart every held lease begins again, which is late and therefore safe.
 */
export async function openHubRegister(options: HubRegisterOptions): Promise<Result<HubRegister, Problem>> {
  const { folder, version, nowMs = () => performance.now() } = options;
  const lock = await lockProfile(folder, { version });
  if (!lock.ok) return lock;
  const terms = processTerms({ runId: randomUUID(), nowMs });
  const opened = openRegisterFile({ file: join(folder, REGISTER_FILE), applicationId: HUB_APPLICATION_ID, terms });
  if (opened.ok) return ok(new GroupedRegister(opened.value, { lock: lock.value, nowMs }));
  await lock.value.release();
  return opened;
}

interface Job {
  readonly decide: (register: SqliteRegister) => unknown;
  readonly settle: (result: Result<unknown, Problem>) => void;
}

/** What a lease looked like when somebody was last told about it. */
interface SeenLease {
  readonly signature: string;
  /** On the register's clock, ms; `null` when nobody holds it or it has run out. */
  readonly expiresMs: number | null;
}

/** Group commit: all questions of one turn share a transaction, and all are answered after it (reference: reliability 1.7). */
class GroupedRegister implements HubRegister {
  readonly name = 'The hub';
  readonly inside = null;
  readonly identity: LeaseCoordinator['identity'];
  readonly #file: RegisterFile;
  readonly #lock: ProfileLock;
  readonly #nowMs: () => number;
  readonly #seen = new Map<AgentId, SeenLease>();
  readonly #listeners = new Set<(agentId: AgentId) => void>();
  readonly #looks: NodeJS.Timeout;
  #jobs: Job[] = [];
  #commits = 0;

  constructor(file: RegisterFile, of: { readonly lock: ProfileLock; readonly nowMs: () => number }) {
    this.#file = file;
    this.#lock = of.lock;
    this.#nowMs = of.nowMs;
    this.identity = file.identity;
    this.#looks = setInterval(() => this.#lookForExpiry(), EXPIRY_LOOK_MS);
    this.#looks.unref();
  }

  ask: LeaseCoordinator['ask'] = async (agentId, verb) => {
    const answer = await this.#run((register) => register.ask(agentId, verb));
    if (answer.ok) this.#notice(agentId, answer.value.view);
    return answer;
  };

  current: LeaseCoordinator['current'] = async (agentId) => {
    const answer = await this.#run((register) => register.current(agentId));
    if (answer.ok) this.#notice(agentId, answer.value);
    return answer;
  };

  onChange: HubRegister['onChange'] = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  commits(): number {
    return this.#commits;
  }

  async close(): Promise<void> {
    clearInterval(this.#looks);
    this.#file.close();
    await this.#lock.release();
  }

  #run<Value>(decide: (register: SqliteRegister) => Value): Promise<Result<Value, Problem>> {
    return new Promise((resolve) => {
      this.#jobs.push({ decide, settle: (result) => resolve(result as Result<Value, Problem>) });
      if (this.#jobs.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    this.#commits += 1;
    const attempt = this.#file.run((register) => jobs.map((job) => decideAlone(register, job)));
    for (const [index, job] of jobs.entries()) {
      if (attempt.ok === true) job.settle(attempt.value[index] ?? err(unreachableProblem('It gave no answer.')));
      else job.settle(attempt.ok === false ? attempt : err(unreachableProblem('Another program keeps it busy.')));
    }
  }

  /** Tells when another device has, or may have, the right to act; renewals and announcements change nothing of that. */
  #notice(agentId: AgentId, view: RegisterView): void {
    const { lease, epoch, remainingMs, takeover, movedTo } = view;
    const isLive = lease !== null && remainingMs > 0;
    const signature = JSON.stringify([epoch, lease?.holder ?? null, isLive, takeover ?? null, movedTo ?? null]);
    const before = this.#seen.get(agentId);
    this.#seen.set(agentId, { signature, expiresMs: isLive ? this.#nowMs() + remainingMs : null });
    if (before?.signature === signature) return;
    for (const listener of this.#listeners) listener(agentId);
  }

  #lookForExpiry(): void {
    const nowMs = this.#nowMs();
    for (const [agentId, { expiresMs }] of this.#seen) {
      // It is asked and told like everybody else; an error means that the next look asks again.
      if (expiresMs !== null && expiresMs <= nowMs) void this.current(agentId);
    }
  }
}

/**
 * A row that cannot be read, or a verb that would make one, is the trouble of the one who asked: nothing was written by it.
 * A fault of the database takes the whole transaction.
 */
function decideAlone(register: SqliteRegister, job: Job): Result<unknown, Problem> {
  try {
    return ok(job.decide(register));
  } catch (cause) {
    if (sqliteCodeOf(cause) !== '') throw cause;
    return err(unreachableProblem(sentenceOf(cause)));
  }
}
