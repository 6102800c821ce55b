import { escapeLiteral } from 'pg';
import type { Problem } from '../../shared/contract/errors.ts';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { PostgresConnection } from '../coordinators/postgres/postgres-connection.ts';
import { explainFailure } from '../coordinators/postgres/postgres-failures.ts';
import { ASK_LIMIT_MS } from '../coordinators/postgres/postgres-options.ts';
import type { PostgresOptions } from '../coordinators/postgres/postgres-options.ts';
import { PostgresPool } from '../coordinators/postgres/postgres-pool.ts';
import { mayPair } from './hub-devices.ts';
import type { HubDevices, NewDevice, PairedDevice } from './hub-devices.ts';
import { alreadyPairedProblem, devicesUnreadableProblem, noSuchDeviceProblem } from './hub-problem.ts';

const CONNECTION_LIMIT = 4;

/** Beside the register; whoever owns that makes it, and members of fencepost_app use it. */
const SCHEMA = `
BEGIN;
CREATE TABLE IF NOT EXISTS fencepost.hub_device (
  device_id       text PRIMARY KEY,
  name            text NOT NULL,
  public_key      text NOT NULL,
  token_hash      text,
  paired_at_ms    bigint NOT NULL,
  last_seen_at_ms bigint,
  revoked_at_ms   bigint,
  CHECK ((token_hash IS NULL) = (revoked_at_ms IS NOT NULL))
);
DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'fencepost_app') THEN
    GRANT SELECT, INSERT, UPDATE ON fencepost.hub_device TO fencepost_app;
  END IF;
END $$;
COMMIT;`;
const IS_THERE = `SELECT to_regclass('fencepost.hub_device') IS NOT NULL AS is_there`;
const COLUMNS = `device_id, name, public_key, token_hash, paired_at_ms, last_seen_at_ms, revoked_at_ms`;

/** The devices of all hubs that stand in front of one PostgreSQL: a removal at one of them holds at the others at once. */
export async function openPostgresDevices(options: PostgresOptions): Promise<Result<HubDevices, Problem>> {
  const pool = new PostgresPool((untilMs) => PostgresConnection.open(options, untilMs), CONNECTION_LIMIT);
  const devices = new PostgresDevices(pool);
  const made = await devices.make();
  if (made.ok) return ok(devices);
  await pool.close();
  return made;
}

type Row = Record<string, unknown>;

class PostgresDevices implements HubDevices {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  async make(): Promise<Result<null, Problem>> {
    return this.#with(async (run) => {
      if ((await run(IS_THERE))[0]?.['is_there'] !== true) await run(SCHEMA);
      return ok(null);
    });
  }

  list(): Promise<Result<readonly PairedDevice[], Problem>> {
    const all = `SELECT ${COLUMNS} FROM fencepost.hub_device ORDER BY name, device_id`;
    return this.#with(async (run) => ok((await run(all)).map(deviceOf)));
  }

  find(deviceId: DeviceId): Promise<Result<PairedDevice | null, Problem>> {
    return this.#with(async (run) => ok(await findIn(run, deviceId)));
  }

  async pair(device: NewDevice): Promise<Result<null, Problem>> {
    const { deviceId, name, publicKey, tokenHash, pairedAtMs } = device;
    const [id, called, key, hash] = [deviceId, name, publicKey, tokenHash].map(escapeLiteral);
    return this.#with(async (run) => {
      // The name of the device is taken first, so that of two pairings at two hubs the second sees the first.
      const lock = `SELECT pg_advisory_xact_lock(hashtextextended(${id}, 0))`;
      await run(`BEGIN; ${lock}`);
      const known = await findIn(run, deviceId);
      if (!mayPair(known, device)) {
        await run('ROLLBACK');
        return err(alreadyPairedProblem(known?.name ?? name));
      }
      await run(`INSERT INTO fencepost.hub_device (device_id, name, public_key, token_hash, paired_at_ms)
        VALUES (${id}, ${called}, ${key}, ${hash}, ${wholeMs(pairedAtMs)})
        ON CONFLICT (device_id) DO UPDATE SET name = excluded.name, public_key = excluded.public_key,
          token_hash = excluded.token_hash, paired_at_ms = excluded.paired_at_ms, last_seen_at_ms = NULL,
          revoked_at_ms = NULL;
        COMMIT`);
      return ok(null);
    });
  }

  rename(deviceId: DeviceId, name: string): Promise<Result<null, Problem>> {
    return this.#change(deviceId, `name = ${escapeLiteral(name)}`);
  }

  revoke(deviceId: DeviceId, atMs: number): Promise<Result<null, Problem>> {
    return this.#change(deviceId, `token_hash = NULL, revoked_at_ms = coalesce(revoked_at_ms, ${wholeMs(atMs)})`);
  }

  async seen(deviceId: DeviceId, atMs: number): Promise<void> {
    // Of no consequence, whatever becomes of it.
    await this.#change(deviceId, `last_seen_at_ms = ${wholeMs(atMs)}`);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #change(deviceId: DeviceId, what: string): Promise<Result<null, Problem>> {
    const change = `UPDATE fencepost.hub_device SET ${what} WHERE device_id = ${escapeLiteral(deviceId)} RETURNING device_id`;
    return this.#with(async (run) => ((await run(change)).length === 1 ? ok(null) : err(noSuchDeviceProblem())));
  }

  async #with<Value>(
    work: (run: (sql: string) => Promise<Row[]>) => Promise<Result<Value, Problem>>,
  ): Promise<Result<Value, Problem>> {
    const untilMs = performance.now() + ASK_LIMIT_MS;
    try {
      return await this.#pool.lend(untilMs, (connection) =>
        work(async (sql) => (await connection.run(sql, untilMs)).at(-1)?.rows ?? []),
      );
    } catch (cause) {
      return err(devicesUnreadableProblem(explainFailure(cause).sentence));
    }
  }
}

async function findIn(run: (sql: string) => Promise<Row[]>, deviceId: DeviceId): Promise<PairedDevice | null> {
  const found = `SELECT ${COLUMNS} FROM fencepost.hub_device WHERE device_id = ${escapeLiteral(deviceId)}`;
  const [row] = await run(found);
  return row === undefined ? null : deviceOf(row);
}

/** PostgreSQL's big integers come as text. */
function deviceOf(row: Row): PairedDevice {
  const number = (value: unknown): number | null => (value === null ? null : Number(value));
  return {
    deviceId: String(row['device_id']) as DeviceId,
    name: String(row['name']),
    publicKey: String(row['public_key']),
    tokenHash: typeof row['token_hash'] === 'string' ? row['token_hash'] : null,
    pairedAtMs: Number(row['paired_at_ms']),
    lastSeenAtMs: number(row['last_seen_at_ms']),
    revokedAtMs: number(row['revoked_at_ms']),
  };
}

/** @throws TypeError; nothing but a number may stand in a statement. */
function wholeMs(ms: number): string {
  const whole = Math.round(ms);
  if (!Number.isSafeInteger(whole)) throw new TypeError('This is no time.');
  return String(whole);
}
