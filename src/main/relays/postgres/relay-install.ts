import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { PostgresConnection } from '../../coordinators/postgres/postgres-connection.ts';
import { installPostgresRegister } from '../../coordinators/postgres/postgres-install.ts';
import { readMeta } from '../../coordinators/postgres/postgres-meta.ts';
import type { PostgresOptions } from '../../coordinators/postgres/postgres-options.ts';
import { relayFailure } from './relay-problems.ts';
import { POSTGRES_RELAY_SQL } from './relay-schema.ts';

/** A person waits for it, ms. */
const LIMIT_MS = 15_000;
/** PostgreSQL's codes for a table, or its type, that is there already; the second where it was committed while this one waited. */
const IS_THERE = new Set(['42P07', '23505', '42710']);

const IS_INSTALLED = `SELECT to_regclass('fencepost.relay_meta') IS NOT NULL AS is_installed`;
const READ = 'SELECT schema_version FROM fencepost.relay_meta';

/**
 * Which version of the journals the database holds; `null` where there are none.
 * @throws as `readMeta`, also where the server is a standby
 */
export async function readRelayVersion(connection: PostgresConnection, untilMs: number): Promise<number | null> {
  if ((await readMeta(connection, untilMs)) === null) return null;
  const found = (await connection.run(IS_INSTALLED, untilMs))[0]?.rows[0];
  if (found?.['is_installed'] !== true) return null;
  return Number((await connection.run(READ, untilMs))[0]?.rows[0]?.['schema_version']);
}

/**
 * Installs the journals in the database, and the register before them where there is none, since both share one schema. Done with
 * the rights of the user in `options`, who owns the register. Leaves what is there as it is; an error leaves nothing half done.
 * Problems: `relay-unreachable`, and those of the register.
 */
export async function installPostgresRelay(options: PostgresOptions): Promise<Result<null, Problem>> {
  const register = await installPostgresRegister(options);
  if (!register.ok) return register;
  const untilMs = performance.now() + LIMIT_MS;
  let connection: PostgresConnection | null = null;
  try {
    connection = await PostgresConnection.open(options, untilMs);
    if ((await readRelayVersion(connection, untilMs)) === null) await connection.run(POSTGRES_RELAY_SQL, untilMs);
    return ok(null);
  } catch (cause) {
    // Two devices installed it at the same moment.
    if (cause instanceof Error && 'code' in cause && IS_THERE.has(String(cause.code))) return ok(null);
    return err(relayFailure(cause));
  } finally {
    await connection?.end();
  }
}
