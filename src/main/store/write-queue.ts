import type { Problem } from '../../shared/contract/errors.ts';
import { problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { prepared } from './connection.ts';
import type { Connection } from './connection.ts';

/** One piece of work for the shared transaction. */
interface Job {
  readonly run: (connection: Connection) => unknown;
  readonly settle: (result: Result<unknown, Problem>) => void;
}

/** What the queue needs from the store around it. */
export interface WriteQueueHooks {
  connection(): Connection | null;
  /** Called after each commit, before the callers are answered. */
  committed(connection: Connection, previousSequence: number): void;
  /** Called when nobody knows what reached the disk: the connection must not be used again. */
  broken(failure: Problem): void;
  problemOf(cause: unknown): Problem | null;
  /** Calls back when this turn of the event loop is over. */
  soon(act: () => void): void;
}

/**
 * Group commit: all work of one turn of the event loop shares one IMMEDIATE transaction and so one flush, and every
 * caller is answered only after the shared commit returned (protocol section 2).
 */
export class WriteQueue {
  readonly #hooks: WriteQueueHooks;
  #jobs: Job[] = [];
  #isScheduled = false;

  constructor(hooks: WriteQueueHooks) {
    this.#hooks = hooks;
  }

  /** Resolves after the commit. An error means: unknown unless the code says otherwise, and the store is reopening. */
  write<Value>(run: (connection: Connection) => Value): Promise<Result<Value, Problem>> {
    return new Promise((resolve) => {
      this.#jobs.push({ run, settle: (result) => resolve(result as Result<Value, Problem>) });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      this.#hooks.soon(() => this.#flush());
    });
  }

  #flush(): void {
    this.#isScheduled = false;
    const jobs = this.#jobs;
    this.#jobs = [];
    const connection = this.#hooks.connection();
    if (connection === null) {
      const failure = problem(
        'store-unsure',
        'The record is being opened again after a disk error.',
        'Nothing was sent. Wait a moment.',
      );
      for (const job of jobs) job.settle(err(failure));
      return;
    }
    const before = connection.journal.head;
    let results: Result<unknown, Problem>[];
    try {
      results = this.#commit(connection, jobs);
    } catch (cause) {
      const failure = this.#hooks.problemOf(cause) ?? internalProblem(cause);
      this.#hooks.broken(failure);
      for (const job of jobs) job.settle(err(failure));
      return;
    }
    try {
      this.#hooks.committed(connection, before.seq);
    } finally {
      // It is on the disk: whoever wrote is told so, also when somebody who only listens breaks.
      for (const [index, job] of jobs.entries()) job.settle(results[index] ?? err(internalProblem(null)));
    }
  }

  /** Throws only when the outcome of the transaction itself is in question. */
  #commit(connection: Connection, jobs: readonly Job[]): Result<unknown, Problem>[] {
    const { db } = connection;
    prepared(db, 'BEGIN IMMEDIATE').run();
    const results = jobs.map((job) => this.#runJob(connection, job, jobs.length > 1));
    prepared(db, 'COMMIT').run();
    return results;
  }

  /** A job that throws takes only its own work back; a fault of the database takes the whole transaction. */
  #runJob(connection: Connection, job: Job, isShared: boolean): Result<unknown, Problem> {
    const { db, journal } = connection;
    const head = journal.head;
    if (isShared) prepared(db, 'SAVEPOINT job').run();
    try {
      const value = job.run(connection);
      if (isShared) prepared(db, 'RELEASE job').run();
      return ok(value);
    } catch (cause) {
      if (this.#hooks.problemOf(cause) !== null || !db.inTransaction) throw cause;
      prepared(db, isShared ? 'ROLLBACK TO job' : 'ROLLBACK').run();
      if (isShared) prepared(db, 'RELEASE job').run();
      else prepared(db, 'BEGIN IMMEDIATE').run();
      journal.reset(head);
      return err(internalProblem(cause));
    }
  }
}

function internalProblem(cause: unknown): Problem {
  const text = cause instanceof Error ? cause.message : String(cause);
  return problem(
    'internal',
    `Something inside Fencepost went wrong: ${text}`,
    'Nothing was written. Export diagnostics and report it.',
  );
}
