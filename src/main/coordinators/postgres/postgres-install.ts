import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { unreachableProblem } from '../register-problem.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { explainFailure, notInstalledProblem } from './postgres-failures.ts';
import { readMeta } from './postgres-meta.ts';
import type { PostgresOptions } from './postgres-options.ts';
import { POSTGRES_REGISTER_SQL } from './register-schema.ts';

/** A person waits for it, and no lease hangs on it, ms. */
const LIMIT_MS = 15_000;
/** PostgreSQL's codes for a schema that is there already, the second where it was committed while this one waited. */
const IS_THERE = new Set(['42P06', '23505']);

/**
 * Installs the register in the database, with the rights of the user in `options`, who will own it. Leaves one that is there as it
 * is. One transaction: an error leaves nothing, or, where the connection was lost at its very end, the whole of it.
 */
export async function installPostgresRegister(options: PostgresOptions): Promise<Result<null, Problem>> {
  return withConnection(options, async (connection, untilMs) => {
    if ((await readMeta(connection, untilMs)) !== null) return ok(null);
    await connection.run(POSTGRES_REGISTER_SQL, untilMs);
    return ok(null);
  });
}

/**
 * A person says that this server, which was failed over to, restored or copied, is the register from now on. It gets a new
 * incarnation, and every coordinator that was opened before has to be opened again. Changes nothing where nothing differs.
 */
export async function confirmRestore(options: PostgresOptions): Promise<Result<null, Problem>> {
  return withConnection(options, async (connection, untilMs) => {
    const meta = await readMeta(connection, untilMs);
    if (meta === null) return err(notInstalledProblem());
    // What is confirmed is what was read just now: two people who press at once make one new life.
    await connection.run(`SELECT fencepost.confirm_restore('${uuidOf(meta.identity.incarnation)}')`, untilMs);
    return ok(null);
  });
}

async function withConnection(
  options: PostgresOptions,
  work: (connection: PostgresConnection, untilMs: number) => Promise<Result<null, Problem>>,
): Promise<Result<null, Problem>> {
  const untilMs = performance.now() + LIMIT_MS;
  let connection: PostgresConnection | null = null;
  try {
    connection = await PostgresConnection.open(options, untilMs);
    return await work(connection, untilMs);
  } catch (cause) {
    // Two devices installed it at the same moment.
    if (cause instanceof Error && 'code' in cause && IS_THERE.has(String(cause.code))) return ok(null);
    return err(unreachableProblem(explainFailure(cause).sentence));
  } finally {
    await connection?.end();
  }
}

/** @throws TypeError; nothing else may stand in a statement. */
function uuidOf(text: string): string {
  if (!/^[0-9a-f-]{36}$/u.test(text)) throw new TypeError('The register has no proper name.');
  return text;
}
