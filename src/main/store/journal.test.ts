import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from 'better-sqlite3';
import { INLINE_LIMIT_BYTES } from '../../shared/contract/stored-text.ts';
import type { EventPayloads } from '../../shared/contract/events.ts';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import { createHostClock } from '../host/clock.ts';
import { readAll, readOne, sha256 } from './connection.ts';
import { readEvents, verifyJournal } from './journal-rows.ts';
import { openSqlite } from './open-sqlite.ts';
import type { Store } from './store.ts';
import { connectionOf, deviceIdOf, openStore } from './testing/store-bench.ts';
import { must, useTemporaryFolders } from './testing/temporary-folder.ts';

const newFolder = useTemporaryFolders();
/** NUL, a right-to-left override, its end, and a pair of surrogates: text that programs like to lose. */
const AWKWARD = 'a\u0000b\u202Egpj.exe\u202C\uD83D\uDE00\u2028';

interface OpRow {
  readonly seq: number;
  readonly op_id: string;
  readonly prev_hash: string;
  readonly payload: string;
  readonly wall_ms: number;
  readonly counter: number;
}

function saved(name: string): EventPayloads['agent.saved'] {
  const agentId = `agent-${name.length}` as AgentId;
  return { agentId, revisionDigest: sha256(name), name, description: AWKWARD, source: `name: ${name}` };
}

describe('the journal', () => {
  let folder: string;
  let store: Store;
  let wallMs: number;
  beforeEach(() => {
    folder = newFolder();
    wallMs = 1_000_000;
    const real = createHostClock();
    store = openStore(folder, { read: () => ({ ...real.read(), wallMs }), instant: () => real.instant() });
  });
  afterEach(() => store.close());

  async function write(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      must(await store.write(({ journal }) => journal.append('agent.saved', saved('x'.repeat(index + 1)))));
    }
  }

  /** A second, raw connection on which the triggers that keep the journal were taken down. */
  function tamperer(): Database {
    const raw = openSqlite(join(folder, 'fencepost.sqlite'));
    raw.exec('DROP TRIGGER ops_are_immutable; DROP TRIGGER ops_are_kept;');
    return raw;
  }

  it('is sound after writing, after opening again, and still continues its chain then', async () => {
    await write(5);
    const deviceId = deviceIdOf(store);
    expect(verifyJournal(connectionOf(store).db, deviceId)).toBeNull();
    store.close();
    store = openStore(folder);
    expect(deviceIdOf(store)).toBe(deviceId);
    await write(2);
    const { db, journal } = connectionOf(store);
    expect(journal.head.seq).toBe(7);
    expect(verifyJournal(db, deviceId)).toBeNull();
  });

  it('tells every single character that was changed in a payload, an id or a link', async () => {
    await write(3);
    const { db } = connectionOf(store);
    const deviceId = deviceIdOf(store);
    const raw = tamperer();
    const row = readOne<OpRow>(db, 'SELECT * FROM ops WHERE seq = 2');
    if (row === null) throw new Error('There is no second entry.');
    for (const column of ['payload', 'op_id', 'prev_hash'] as const) {
      const change = raw.prepare(`UPDATE ops SET ${column} = ? WHERE seq = 2`);
      const whole = row[column];
      for (let at = 0; at < whole.length; at += 1) {
        // One bit of the character: the smallest change there is.
        const flipped =
          whole.slice(0, at) + String.fromCodePoint((whole.codePointAt(at) ?? 0) ^ 1) + whole.slice(at + 1);
        change.run(flipped);
        expect(verifyJournal(db, deviceId), `${column} at ${at}`).toMatchObject({ seq: 2 });
      }
      change.run(whole);
      expect(verifyJournal(db, deviceId)).toBeNull();
    }
    raw.close();
  });

  it('tells an entry that is missing, that comes twice, or that was moved in time', async () => {
    await write(4);
    const { db } = connectionOf(store);
    const deviceId = deviceIdOf(store);
    const raw = tamperer();
    for (const column of ['wall_ms', 'counter']) {
      raw.exec(`UPDATE ops SET ${column} = ${column} + 1 WHERE seq = 3`);
      expect(verifyJournal(db, deviceId)).toEqual({ kind: 'wrong-hash', seq: 3 });
      raw.exec(`UPDATE ops SET ${column} = ${column} - 1 WHERE seq = 3`);
    }
    raw.exec(`UPDATE ops SET kind = 'grant.revoked' WHERE seq = 3`);
    expect(verifyJournal(db, deviceId)).toEqual({ kind: 'wrong-hash', seq: 3 });
    raw.exec(`UPDATE ops SET kind = 'agent.saved' WHERE seq = 3`);
    expect(verifyJournal(db, deviceId)).toBeNull();
    raw.exec('DELETE FROM ops WHERE seq = 2');
    expect(verifyJournal(db, deviceId)).toEqual({ kind: 'gap', seq: 2, found: 3 });
    raw.exec('UPDATE ops SET seq = seq - 1, journal_seq = journal_seq - 1 WHERE seq > 2');
    expect(verifyJournal(db, deviceId)).toEqual({ kind: 'broken-link', seq: 2 });
    raw.close();
  });

  it('refuses to change or drop an entry, also by replacing it', async () => {
    await write(2);
    const { db } = connectionOf(store);
    const before = readAll(db, 'SELECT * FROM ops');
    for (const sql of [
      `UPDATE ops SET payload = '{}' WHERE seq = 1`,
      'DELETE FROM ops WHERE seq = 2',
      'DELETE FROM ops',
      `INSERT OR REPLACE INTO ops SELECT seq, op_id, prev_hash, device_id, wall_ms, counter, kind, run_id, '{}' FROM ops WHERE seq = 1`,
    ]) {
      expect(() => db.exec(sql), sql).toThrow();
      expect(readAll(db, 'SELECT * FROM ops')).toEqual(before);
    }
  });

  it('still rises while the calendar goes back', async () => {
    await write(2);
    wallMs -= 3_600_000;
    await write(2);
    wallMs += 7_200_000;
    await write(1);
    const times = readAll<OpRow>(connectionOf(store).db, 'SELECT * FROM ops ORDER BY seq');
    for (const [index, row] of times.entries()) {
      const last = times[index - 1];
      if (last === undefined) continue;
      const isLater = row.wall_ms > last.wall_ms || (row.wall_ms === last.wall_ms && row.counter > last.counter);
      expect(isLater, `entry ${row.seq}`).toBe(true);
    }
    expect(verifyJournal(connectionOf(store).db, deviceIdOf(store))).toBeNull();
  });

  it('gives back awkward text as it was, in an entry and beside it', async () => {
    await write(1);
    const short = AWKWARD.repeat(10);
    const long = AWKWARD.repeat(Math.ceil(INLINE_LIMIT_BYTES / Buffer.byteLength(AWKWARD)) + 1);
    const kept = must(
      await store.write(({ journal }) => [journal.keep(short), journal.keep(long), journal.keep(long)]),
    );
    const { db } = connectionOf(store);
    const [event] = [...readEvents(db)];
    expect(event?.kind === 'agent.saved' ? event.payload.description : '').toBe(AWKWARD);
    const bytes = Buffer.byteLength(long);
    expect(kept).toEqual([
      { digest: sha256(short), bytes: Buffer.byteLength(short), inline: short },
      { digest: sha256(long), bytes, inline: null },
      { digest: sha256(long), bytes, inline: null },
    ]);
    expect(readAll(db, 'SELECT digest, body FROM blobs')).toEqual([{ digest: sha256(long), body: long }]);
  });

  it('keeps text inline up to the limit and not a byte beyond it', async () => {
    const [within, beyond] = must(
      await store.write(({ journal }) => [
        journal.keep('é'.repeat(INLINE_LIMIT_BYTES / 2)),
        journal.keep(`${'é'.repeat(INLINE_LIMIT_BYTES / 2)}!`),
      ]),
    );
    expect(within?.inline).not.toBeNull();
    expect(beyond?.inline).toBeNull();
  });
});
