import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { HostClock } from '../../host/clock.ts';
import type { LeaseCoordinator } from '../lease-coordinator.ts';
import { unreachableProblem } from '../register-problem.ts';
import { bootTerms } from './lease-terms.ts';
import { openRegisterFile } from './register-file.ts';
import type { RegisterFile } from './register-file.ts';
import type { SqliteRegister } from './sqlite-register.ts';

/** Marks a register's file ("FPRG"), so that a profile's database is never taken for one. */
const REGISTER_APPLICATION_ID = 0x46505247;
/** How long a verb waits for other processes in all, ms: less than the send window. */
const BUSY_LIMIT_MS = 2_000;
/** The longest pause between two tries, ms; each is a random part of it, so that waiting hosts do not keep in step. */
const BUSY_PAUSE_MS = 25;

/** Which register file, by which clock. */
export interface FileCoordinatorOptions {
  readonly file: string;
  /** Expiry counts on its boot clock, which all processes of one machine share. */
  readonly clock: HostClock;
}

/** Opens or makes a register on a file of its own, for several hosts on one machine. */
export function openFileCoordinator({ file, clock }: FileCoordinatorOptions): Result<LeaseCoordinator, Problem> {
  const opened = openRegisterFile({ file, applicationId: REGISTER_APPLICATION_ID, terms: bootTerms(clock) });
  return opened.ok ? ok(new FileCoordinator(opened.value)) : opened;
}

/** Every verb is one IMMEDIATE transaction with its own flush. */
class FileCoordinator implements LeaseCoordinator {
  readonly name = 'A file on this machine';
  readonly inside = null;
  readonly identity: LeaseCoordinator['identity'];
  readonly #file: RegisterFile;

  constructor(file: RegisterFile) {
    this.#file = file;
    this.identity = file.identity;
  }

  ask: LeaseCoordinator['ask'] = (agentId, verb) => this.#run((register) => register.ask(agentId, verb));

  current: LeaseCoordinator['current'] = (agentId) => this.#run((register) => register.current(agentId));

  async close(): Promise<void> {
    this.#file.close();
  }

  async #run<Value>(decide: (register: SqliteRegister) => Value): Promise<Result<Value, Problem>> {
    const until = performance.now() + BUSY_LIMIT_MS;
    for (;;) {
      const attempt = this.#file.run(decide);
      if (attempt.ok !== 'busy') return attempt;
      if (performance.now() > until) return err(unreachableProblem('Other programs keep it busy.'));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * BUSY_PAUSE_MS));
    }
  }
}
