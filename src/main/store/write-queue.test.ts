import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventPayloads } from '../../shared/contract/events.ts';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import { Receiver } from '../../../test/harness/receiver.ts';
import { HostBench, twoSteps } from '../host/testing/host-bench.ts';
import { change, prepared, readAll, readOne, sha256 } from './connection.ts';
import type { Connection } from './connection.ts';
import { verifyJournal } from './journal-rows.ts';
import { openSqlite } from './open-sqlite.ts';
import type { Store } from './store.ts';
import { connectionOf, deviceIdOf, openStore } from './testing/store-bench.ts';
import { must, problemOf, useTemporaryFolders } from './testing/temporary-folder.ts';

const newFolder = useTemporaryFolders();

function saved(name: string): EventPayloads['agent.saved'] {
  return { agentId: name as AgentId, revisionDigest: sha256(name), name, description: '', source: name };
}

const append =
  (name: string) =>
  ({ journal }: Connection): number =>
    journal.append('agent.saved', saved(name)).seq;

/**
 * Fault injection: the next COMMIT of this connection reaches the disk, and then reports an error of the disk all the same.
 * That is what a real disk may do; nothing else of SQLite is pretended.
 */
function commitThenFail({ db }: Connection): void {
  const commit = prepared(db, 'COMMIT');
  const real = commit.run.bind(commit);
  commit.run = (...parameters: unknown[]) => {
    real(...parameters);
    throw new BetterSqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC');
  };
}

describe('the write queue', { timeout: 20_000 }, () => {
  let folder: string;
  let store: Store;
  beforeEach(() => {
    folder = newFolder();
    store = openStore(folder);
  });
  afterEach(() => store.close());

  function names(): string[] {
    return readAll<{ name: string }>(connectionOf(store).db, 'SELECT name FROM agents ORDER BY name').map(
      (row) => row.name,
    );
  }

  it('answers nobody before the shared commit, which another connection can see by then', async () => {
    const other = openSqlite(join(folder, 'fencepost.sqlite'), { isReadOnly: true });
    const seen = (): number => (other.prepare('SELECT count(*) AS seen FROM ops').get() as { seen: number }).seen;
    const within: number[] = [];
    const answers = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        const result = await store.write((connection) => {
          const seq = append(name)(connection);
          within.push(seen());
          return seq;
        });
        return { seq: must(result), seen: seen() };
      }),
    );
    expect(within).toEqual([0, 0, 0]);
    expect(answers).toEqual([
      { seq: 1, seen: 3 },
      { seq: 2, seen: 3 },
      { seq: 3, seen: 3 },
    ]);
    other.close();
  });

  it('takes back only the work of a job that throws, and the journal goes on where it was', async () => {
    const broken = (connection: Connection): never => {
      append('broken')(connection);
      throw new Error('a bug');
    };
    const results = await Promise.all([store.write(append('a')), store.write(broken), store.write(append('b'))]);
    expect(results[0]).toEqual({ ok: true, value: 1 });
    expect(problemOf(results[1]).code).toBe('internal');
    expect(results[2]).toEqual({ ok: true, value: 2 });
    // Alone, without a savepoint.
    expect(problemOf(await store.write(broken)).code).toBe('internal');
    expect(must(await store.write(append('c')))).toBe(3);
    expect(names()).toEqual(['a', 'b', 'c']);
    const { db, journal } = connectionOf(store);
    expect(journal.head.seq).toBe(3);
    expect(verifyJournal(db, deviceIdOf(store))).toBeNull();
  });

  it('takes back a job that breaks a rule of the tables, and nobody else with it', async () => {
    const twice = ({ db }: Connection): void => {
      change(db, `INSERT INTO profile VALUES ('one', '')`);
      change(db, `INSERT INTO profile VALUES ('one', '')`);
    };
    const [bad, good] = await Promise.all([store.write(twice), store.write(append('a'))]);
    expect(problemOf(bad).code).toBe('internal');
    expect(good).toEqual({ ok: true, value: 1 });
    expect(readOne(connectionOf(store).db, `SELECT 1 FROM profile WHERE key = 'one'`)).toBeNull();
    expect(store.state().state).toBe('ready');
  });

  it('on a full disk tells everybody in the batch, replaces the connection, and is usable again with space', async () => {
    must(await store.write(append('before')));
    const full = connectionOf(store);
    full.db.pragma(`max_page_count = ${String(full.db.pragma('page_count', { simple: true }))}`);
    const big = ({ journal }: Connection): unknown =>
      journal.append('agent.saved', { ...saved('big'), source: 'x'.repeat(200_000) });
    const results = await Promise.all([store.write(append('a')), store.write(big), store.write(append('b'))]);
    expect(results.map((result) => problemOf(result).code)).toEqual(['store-full', 'store-full', 'store-full']);
    expect(problemOf(await store.write(append('c'))).code, 'until it is open again nothing is written').toBe(
      'store-unsure',
    );
    expect(store.state().state).toBe('full');
    expect(full.db.open).toBe(false);
    await store.reopened();
    expect(connectionOf(store)).not.toBe(full);
    expect(store.state()).toEqual({ state: 'ready', message: '' });
    expect(names()).toEqual(['before']);
    expect(must(await store.write(append('after')))).toBe(2);
    expect(verifyJournal(connectionOf(store).db, deviceIdOf(store))).toBeNull();
  });

  it('does not take an error from COMMIT for a no: the row may be there, and the caller is told that nobody knows', async () => {
    commitThenFail(connectionOf(store));
    const [one, other] = await Promise.all([store.write(append('a')), store.write(append('b'))]);
    expect(problemOf(one).code).toBe('store-unsure');
    expect(problemOf(other).code).toBe('store-unsure');
    await store.reopened();
    expect(names()).toEqual(['a', 'b']);
    expect(must(await store.write(append('c')))).toBe(3);
    expect(verifyJournal(connectionOf(store).db, deviceIdOf(store))).toBeNull();
  });
});

describe('a disk that fails under a running host', { timeout: 30_000 }, () => {
  let receiver: Receiver;
  let bench: HostBench;
  beforeEach(async () => {
    receiver = await Receiver.start();
    bench = await HostBench.start(newFolder());
  });
  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  function failCommit(): void {
    const connection = bench.host.control.connection();
    if (connection !== null) commitThenFail(connection);
  }

  it('a settlement whose commit reported an error is offered again and found there; the effect is performed once', async () => {
    const agentId = await bench.agent(twoSteps('settled', receiver.origin));
    bench.at('after-effect', failCommit);
    const runId = await bench.run(agentId);
    expect(await bench.ended(runId)).toBe('done');
    expect(bench.count('settle.recorded')).toBe(2);
    expect(bench.count('recovery.in-doubt')).toBe(0);
    expect(receiver.hits('/settled/first')).toBe(1);
    expect(receiver.hits('/settled/second')).toBe(1);
  });

  // mist-agent-harness/mist-agent#11
  it('a dispatch whose commit reported an error sends nothing, and what it marked as on its way is a question', async () => {
    const agentId = await bench.agent(
      twoSteps('marked', receiver.origin).replace('start:', 'leaseTtlMs: 3000\nstart:'),
    );
    bench.at('before-intent', failCommit);
    const runId = await bench.run(agentId);
    await bench.until('somebody is asked', () => bench.look(runId)?.phase === 'needs-recovery');
    expect(receiver.hits('/marked/first')).toBe(0);
    expect(bench.count('effect.started')).toBe(1);
  });
});
