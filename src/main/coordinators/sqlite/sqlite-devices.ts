import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { mayPair } from '../../hub/hub-devices.ts';
import type { HubDevices, PairedDevice } from '../../hub/hub-devices.ts';
import { alreadyPairedProblem, devicesUnreadableProblem, noSuchDeviceProblem } from '../../hub/hub-problem.ts';
import { openDatabase } from '../../store/database.ts';
import { closeQuietly, sqliteCodeOf } from '../../store/open-sqlite.ts';

/** Marks a list of devices ("FPHD"). */
const DEVICES_APPLICATION_ID = 0x46504844;
const DEVICES_FILE = 'devices.sqlite';

const SCHEMA = `
CREATE TABLE device (
  device_id       TEXT PRIMARY KEY,
  name            TEXT NOT NULL,
  public_key      TEXT NOT NULL,
  token_hash      TEXT,
  paired_at_ms    INTEGER NOT NULL,
  last_seen_at_ms INTEGER,
  revoked_at_ms   INTEGER,
  CHECK ((token_hash IS NULL) = (revoked_at_ms IS NOT NULL))
) STRICT, WITHOUT ROWID;
`;

const COLUMNS = `device_id AS deviceId, name, public_key AS publicKey, token_hash AS tokenHash,
  paired_at_ms AS pairedAtMs, last_seen_at_ms AS lastSeenAtMs, revoked_at_ms AS revokedAtMs`;

const PAIR = `
INSERT INTO device (device_id, name, public_key, token_hash, paired_at_ms) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (device_id) DO UPDATE SET name = excluded.name, public_key = excluded.public_key,
  token_hash = excluded.token_hash, paired_at_ms = excluded.paired_at_ms, last_seen_at_ms = NULL, revoked_at_ms = NULL`;

/** Opens or makes the list of devices in a hub's folder, whose lock the register holds. */
export function openSqliteDevices(folder: string): Result<HubDevices, Problem> {
  const opened = openDatabase(join(folder, DEVICES_FILE), {
    migrations: [{ version: 10, name: 'devices', sql: SCHEMA }],
    applicationId: DEVICES_APPLICATION_ID,
  });
  return opened.ok ? ok(new SqliteDevices(opened.value)) : opened;
}

class SqliteDevices implements HubDevices {
  readonly #db: Database;
  /** What `find` read of the current rows: it is asked for every request, and this process alone writes. */
  readonly #known = new Map<DeviceId, PairedDevice | null>();

  constructor(db: Database) {
    this.#db = db;
  }

  async list(): Promise<Result<readonly PairedDevice[], Problem>> {
    const all = `SELECT ${COLUMNS} FROM device ORDER BY name, device_id`;
    return this.#attempt(() => ok(this.#db.prepare(all).all() as PairedDevice[]));
  }

  async find(deviceId: DeviceId): Promise<Result<PairedDevice | null, Problem>> {
    const known = this.#known.get(deviceId);
    return known === undefined ? this.#attempt(() => ok(this.#read(deviceId))) : ok(known);
  }

  async pair(device: Parameters<HubDevices['pair']>[0]): Promise<Result<null, Problem>> {
    return this.#change(() => {
      const known = this.#read(device.deviceId);
      if (!mayPair(known, device)) return err(alreadyPairedProblem(known?.name ?? device.name));
      const { deviceId, name, publicKey, tokenHash, pairedAtMs } = device;
      this.#db.prepare(PAIR).run(deviceId, name, publicKey, tokenHash, pairedAtMs);
      return ok(null);
    });
  }

  async rename(deviceId: DeviceId, name: string): Promise<Result<null, Problem>> {
    return this.#change(() => {
      const { changes } = this.#db.prepare('UPDATE device SET name = ? WHERE device_id = ?').run(name, deviceId);
      return changes === 1 ? ok(null) : err(noSuchDeviceProblem());
    });
  }

  async revoke(deviceId: DeviceId, atMs: number): Promise<Result<null, Problem>> {
    const revoke = `UPDATE device SET token_hash = NULL, revoked_at_ms = coalesce(revoked_at_ms, ?) WHERE device_id = ?`;
    return this.#change(() => {
      const { changes } = this.#db.prepare(revoke).run(Math.round(atMs), deviceId);
      return changes === 1 ? ok(null) : err(noSuchDeviceProblem());
    });
  }

  async seen(deviceId: DeviceId, atMs: number): Promise<void> {
    const seen = 'UPDATE device SET last_seen_at_ms = ? WHERE device_id = ?';
    this.#change(() => ok(this.#db.prepare(seen).run(Math.round(atMs), deviceId)));
  }

  async close(): Promise<void> {
    closeQuietly(this.#db);
    this.#known.clear();
  }

  #read(deviceId: DeviceId): PairedDevice | null {
    const find = this.#db.prepare(`SELECT ${COLUMNS} FROM device WHERE device_id = ?`);
    const row = (find.get(deviceId) as PairedDevice | undefined) ?? null;
    // Strangers can name any device, so only those that are there are remembered.
    if (row !== null) this.#known.set(deviceId, row);
    return row;
  }

  #change<Value>(act: () => Result<Value, Problem>): Result<Value, Problem> {
    // Forgotten before and after: whatever becomes of the change, the next look reads what is really there.
    this.#known.clear();
    const changed = this.#attempt(() => this.#db.transaction(act).immediate());
    this.#known.clear();
    return changed;
  }

  #attempt<Value>(act: () => Result<Value, Problem>): Result<Value, Problem> {
    try {
      return act();
    } catch (cause) {
      return err(devicesUnreadableProblem(diskSentence(sqliteCodeOf(cause))));
    }
  }
}

/** What SQLite's code means, as a sentence; an empty one comes from a connection that is closed. */
function diskSentence(code: string): string {
  if (/^SQLITE_(?:BUSY|LOCKED)/u.test(code)) return 'Another program keeps it busy.';
  if (code.startsWith('SQLITE_FULL')) return 'There is no room left on the disk.';
  if (code.startsWith('SQLITE_READONLY')) return 'Its file, folder or disk is read-only.';
  if (/^SQLITE_(?:CORRUPT|NOTADB)/u.test(code)) return 'Its file is damaged.';
  return code === '' ? 'It is closed.' : 'The disk reported an error.';
}
