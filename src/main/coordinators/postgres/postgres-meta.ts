import type { CoordinatorIdentity } from '../../../shared/core/lease/lease.ts';
import type { PostgresConnection } from './postgres-connection.ts';

/** What the database says of the register in it, and of the server it is on. */
export interface PostgresMeta {
  readonly identity: CoordinatorIdentity;
  readonly schemaVersion: number;
  /** False after a failover, a restore or a copy, until a person confirmed it. */
  readonly isSameServer: boolean;
}

const IS_INSTALLED = `SELECT to_regclass('fencepost.meta') IS NOT NULL AS is_installed, pg_is_in_recovery() AS is_standby`;
const READ = `
SELECT coordinator_id, incarnation, schema_version, m.timeline_id = fencepost.timeline()
  AND m.system_identifier = (SELECT s.system_identifier FROM pg_control_system() AS s) AS is_same_server
FROM fencepost.meta AS m`;

/** PostgreSQL's own code for what a standby refuses. */
const READ_ONLY = '25006';

/** The server is a standby. */
class PostgresStandbyError extends Error {
  override readonly name = 'PostgresStandbyError';
  readonly code = READ_ONLY;
}

/**
 * Reads it; `null` where no register is installed.
 * @throws what `PostgresConnection.run` throws, and PostgresStandbyError
 */
export async function readMeta(connection: PostgresConnection, untilMs: number): Promise<PostgresMeta | null> {
  const found = (await connection.run(IS_INSTALLED, untilMs))[0]?.rows[0];
  if (found?.['is_standby'] === true) throw new PostgresStandbyError('This server is a standby.');
  if (found?.['is_installed'] !== true) return null;
  const row = (await connection.run(READ, untilMs))[0]?.rows[0];
  if (row === undefined) return null;
  return {
    identity: { coordinatorId: String(row['coordinator_id']), incarnation: String(row['incarnation']) },
    schemaVersion: Number(row['schema_version']),
    isSameServer: row['is_same_server'] === true,
  };
}
