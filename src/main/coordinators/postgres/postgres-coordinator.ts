import type { Problem } from '../../../shared/contract/errors.ts';
import type { AgentId } from '../../../shared/contract/identifiers.ts';
import type { CoordinatorIdentity, RegisterView } from '../../../shared/core/lease/lease.ts';
import { registerView } from '../../../shared/core/lease/register-view.ts';
import { applyVerb } from '../../../shared/core/lease/register.ts';
import type { RegisterRecord, RegisterStep, RegisterVerb } from '../../../shared/core/lease/register.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { LeaseCoordinator, RegisterAnswer } from '../lease-coordinator.ts';
import { sentenceOf, unreachableProblem } from '../register-problem.ts';
import { CorruptRegisterError, decodeRecord, encodeRecord } from '../register-record.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { explainFailure, notInstalledProblem, restoredProblem, standingProblem } from './postgres-failures.ts';
import { readMeta } from './postgres-meta.ts';
import { ASK_LIMIT_MS } from './postgres-options.ts';
import type { PostgresOptions } from './postgres-options.ts';
import { PostgresPool } from './postgres-pool.ts';
import { lockStatements, lookStatements, needCommit, readLockedRow, saveStatements } from './postgres-statements.ts';
import type { LockedRow } from './postgres-statements.ts';

/** Connections of one host at most, and so questions at the same time. */
const CONNECTION_LIMIT = 8;

/** A decided verb, before it is kept. */
interface Decided {
  readonly step: RegisterStep;
  /** The record to write; `null` where it is the one that is there. */
  readonly text: string | null;
}

/**
 * Opens the register in a database whose schema is installed. It is an error, not a wait, when the server cannot be reached.
 * Problems: `register-unreachable`, `register-not-installed`, `register-went-back`.
 */
export async function openPostgresCoordinator(options: PostgresOptions): Promise<Result<LeaseCoordinator, Problem>> {
  const pool = new PostgresPool((untilMs) => PostgresConnection.open(options, untilMs), CONNECTION_LIMIT);
  const untilMs = performance.now() + ASK_LIMIT_MS;
  try {
    const meta = await pool.lend(untilMs, (connection) => readMeta(connection, untilMs));
    const wrong = meta === null ? notInstalledProblem() : standingProblem(meta);
    if (meta !== null && wrong === null) return ok(new PostgresCoordinator(options.name, meta.identity, pool));
    await pool.close();
    return err(wrong ?? notInstalledProblem());
  } catch (cause) {
    await pool.close();
    return err(unreachableProblem(explainFailure(cause).sentence));
  }
}

/**
 * Every verb is one READ COMMITTED transaction of two questions: the row is locked and then the clock is read; what `applyVerb`
 * decided is written and committed. The first question also tells which server and which register answers, so the check holds for
 * each transaction, whichever server connection a pooler gave it.
 */
class PostgresCoordinator implements LeaseCoordinator {
  readonly inside = null;
  readonly name: string;
  readonly identity: CoordinatorIdentity;
  readonly #pool: PostgresPool;
  /** What the last text of a row was read as. Compared by the text itself, so another device cannot make it wrong. */
  readonly #read = new Map<AgentId, { readonly text: string; readonly record: RegisterRecord }>();
  #isClosed = false;

  constructor(name: string, identity: CoordinatorIdentity, pool: PostgresPool) {
    this.name = name;
    this.identity = identity;
    this.#pool = pool;
  }

  ask(agentId: AgentId, verb: RegisterVerb): Promise<Result<RegisterAnswer, Problem>> {
    return this.#run(async (connection, untilMs) => {
      const row = readLockedRow(await connection.run(lockStatements(agentId), untilMs));
      const decided = this.#decide(agentId, row, verb);
      if (!decided.ok) {
        // Nothing was kept, and that is certain: the server has not been asked to.
        await connection.run('ROLLBACK', untilMs);
        return decided;
      }
      const { step, text } = decided.value;
      const { leaseClock, record, reply } = step;
      const ttlMs = leaseClock === 'keep' ? null : leaseClock === 'restart' ? record.ttlMs : 0;
      const saving = { nowUs: row.nowUs, record: text === null ? null : { epoch: record.epoch, text }, ttlMs };
      needCommit(await connection.run(saveStatements(agentId, saving), untilMs), 1);
      if (text !== null) this.#read.set(agentId, { text, record });
      const leftUs = ttlMs === null ? row.leftUs : ttlMs * 1_000;
      return ok({ reply, view: this.#view(agentId, record, leftUs) });
    });
  }

  /** Locks the row as a verb does, so that a server which may no longer write cannot answer. */
  current(agentId: AgentId): Promise<Result<RegisterView, Problem>> {
    return this.#run(async (connection, untilMs) => {
      const results = await connection.run(lookStatements(agentId), untilMs);
      needCommit(results, 0);
      const row = readLockedRow(results);
      const wrong = this.#wrongWith(row);
      if (wrong !== null) return err(wrong);
      const stored = this.#stored(agentId, row);
      return stored.ok ? ok(this.#view(agentId, stored.value, row.leftUs)) : stored;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.close();
  }

  /** An error of any kind is an unknown outcome. Nothing is asked again: whoever asked looks what became of it. */
  async #run<Value>(
    work: (connection: PostgresConnection, untilMs: number) => Promise<Result<Value, Problem>>,
  ): Promise<Result<Value, Problem>> {
    if (this.#isClosed) return err(unreachableProblem('It was closed.'));
    const untilMs = performance.now() + ASK_LIMIT_MS;
    try {
      return await this.#pool.lend(untilMs, async (connection) => {
        try {
          return await work(connection, untilMs);
        } catch (cause) {
          connection.destroy();
          throw cause;
        }
      });
    } catch (cause) {
      return err(unreachableProblem(explainFailure(cause).sentence));
    }
  }

  #decide(agentId: AgentId, row: LockedRow, verb: RegisterVerb): Result<Decided, Problem> {
    const wrong = this.#wrongWith(row);
    if (wrong !== null) return err(wrong);
    const stored = this.#stored(agentId, row);
    if (!stored.ok) return stored;
    const step = applyVerb(stored.value, verb, row.leftUs > 0);
    try {
      return ok({ step, text: step.record === stored.value ? null : encodeRecord(step.record) });
    } catch (cause) {
      // A number that would not read back, brought by the verb.
      return err(unreachableProblem(sentenceOf(cause)));
    }
  }

  #wrongWith(row: LockedRow): Problem | null {
    const wrong = standingProblem(row);
    if (wrong !== null) return wrong;
    const { coordinatorId, incarnation } = row.identity;
    const isSame = coordinatorId === this.identity.coordinatorId && incarnation === this.identity.incarnation;
    return isSame ? null : restoredProblem();
  }

  #stored(agentId: AgentId, { record: text, epoch }: LockedRow): Result<RegisterRecord | null, Problem> {
    if (text === null) return ok(null);
    try {
      const known = this.#read.get(agentId);
      const record = known?.text === text ? known.record : decodeRecord(text);
      if (record.epoch !== epoch) throw new CorruptRegisterError('A row of the register names two epochs.');
      this.#read.set(agentId, { text, record });
      return ok(record);
    } catch (cause) {
      return err(unreachableProblem(sentenceOf(cause)));
    }
  }

  #view(agentId: AgentId, record: RegisterRecord | null, leftUs: number): RegisterView {
    return registerView(record, { agentId, coordinator: this.identity, remainingMs: leftUs / 1_000 });
  }
}
