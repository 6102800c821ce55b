import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../../test/harness/receiver.ts';
import type { DeviceId, RunId } from '../../../shared/contract/identifiers.ts';
import { operationText, payloadText } from '../../../shared/core/sync/operation.ts';
import { verifyLedger } from '../../cli/verify-ledger.ts';
import { HostBench, twoSteps } from '../../host/testing/host-bench.ts';
import { change, readAll, readOne, sha256 } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { foldHash } from '../fold-hash.ts';
import { verifyJournal } from '../journal-rows.ts';
import { rebuildProjections } from '../projections/rebuild.ts';
import { findRun } from '../rows.ts';
import type { Store } from '../store.ts';
import { exportedBy, withFittingEnd } from '../testing/ledger-bench.ts';
import { connectionOf, deviceIdOf, openStore } from '../testing/store-bench.ts';
import { must, useTemporaryFolders } from '../testing/temporary-folder.ts';
import { condenseRuns, FIRST_PLACE } from './condense-runs.ts';
import type { CondensingRequest } from './condense-runs.ts';
import { foldOperations } from './fold-operations.ts';
import { startRun } from './start-run.ts';

const OTHER = 'other device' as DeviceId;
const newFolder = useTemporaryFolders();
let folder = '';
let store: Store;
let runIds: readonly RunId[] = [];

/** A record in which two runs of one agent ended. */
beforeEach(async () => {
  folder = newFolder();
  const receiver = await Receiver.start();
  const host = await HostBench.start(folder);
  const agentId = await host.agent(twoSteps('report', receiver.origin));
  const ended: RunId[] = [];
  for (const press of ['one', 'two']) {
    const runId = await host.run(agentId, press);
    await host.ended(runId);
    ended.push(runId);
  }
  runIds = ended;
  await host.close();
  await receiver.close();
  store = openStore(folder);
});

afterEach(() => store.close());

async function condensed(request: Partial<CondensingRequest> = {}) {
  const { journal } = connectionOf(store);
  const cut = { [journal.deviceId]: journal.head.journalSeq };
  const whole = {
    cut,
    nowMs: Date.now() + 1,
    retentionMs: 0,
    awaited: [],
    agentIds: null,
    after: FIRST_PLACE,
    limit: 100,
    ...request,
  };
  return must(await store.write((connection) => condenseRuns(connection, whole)));
}

/** Every key that was ever committed. */
const oracle = ({ db }: Connection) => readAll(db, 'SELECT * FROM oracle ORDER BY agent_id, run_id, effect_key');
const count = ({ db }: Connection): number =>
  readOne<{ count: number }>(db, 'SELECT count(*) AS count FROM ops')?.count ?? 0;

describe('a record whose old runs were condensed', () => {
  it('has lost what was ever committed, or anything else that is projected', async () => {
    const connection = connectionOf(store);
    const before = { oracle: oracle(connection), hash: foldHash(connection.db), count: count(connection) };
    expect(before.oracle).toHaveLength(6);
    const { runs, entries } = await condensed();
    expect(runs).toBe(2);
    expect(count(connection)).toBe(before.count - entries);
    expect(entries).toBeGreaterThan(before.count / 2);
    expect(oracle(connection)).toEqual(before.oracle);
    expect(foldHash(connection.db)).toBe(before.hash);
    rebuildProjections(connection.db);
    expect(foldHash(connection.db)).toBe(before.hash);
    expect(await condensed()).toEqual({ runs: 0, entries: 0, next: null });
  });

  it('starts a run a second time', async () => {
    await condensed();
    const run = findRun(connectionOf(store).db, runIds[0] ?? '');
    if (run === null) throw new Error('The run is gone.');
    const start = (requestDigest: string) =>
      store.write((connection) =>
        startRun(connection, { runId: run.run_id, requestDigest, revisionDigest: run.revision_digest } as never),
      );
    expect(must(await start(run.request_digest))).toMatchObject({ value: { isNew: false } });
    expect(must(await start('another'))).toMatchObject({ ok: false, error: { code: 'idempotency-conflict' } });
  });

  it('writes a second story after a restart, or one that does not continue the first', async () => {
    const { head } = connectionOf(store).journal;
    await condensed();
    store.close();
    store = openStore(folder);
    expect(connectionOf(store).journal.head).toEqual(head);
    must(
      await store.write(({ journal }) => journal.append('run.stop-requested', { runId: runIds[0], by: 'x' } as never)),
    );
    expect(verifyJournal(connectionOf(store).db, deviceIdOf(store))).toBeNull();
  });

  it('lets go of anything else', async () => {
    await condensed({ limit: 1 });
    const { db } = connectionOf(store);
    const before = readAll(db, 'SELECT * FROM ops');
    for (const sql of [
      'DELETE FROM ops',
      `DELETE FROM ops WHERE run_id = '${runIds[1]}'`,
      `DELETE FROM ops WHERE run_id = '${runIds[0]}' AND kind = 'trigger.fired'`,
      'DELETE FROM compacted_runs',
      'DELETE FROM journal_cuts',
      'UPDATE journal_cuts SET journal_seq = journal_seq - 1',
    ])
      expect(() => db.exec(sql), sql).toThrow();
    expect(readAll(db, 'SELECT * FROM ops')).toEqual(before);
  });

  it('drops what not everybody has, what is awaited, or what has not ended long enough ago', async () => {
    const { journal } = connectionOf(store);
    const short = { [journal.deviceId]: journal.head.journalSeq - 4 };
    expect(await condensed({ cut: {} })).toMatchObject({ runs: 0 });
    expect(await condensed({ retentionMs: 60_000 })).toMatchObject({ runs: 0 });
    expect(await condensed({ awaited: [{ agentId: null, afterSeq: 0 }] })).toMatchObject({ runs: 0 });
    expect((await condensed({ cut: short })).runs).toBeLessThan(2);
  });

  it('is exported as if nothing were missing, or cannot be checked any more', async () => {
    await condensed({ limit: 1 });
    store.close();
    const { bytes } = await exportedBy(folder);
    store = openStore(folder);
    const file = join(folder, 'ledger');
    const check = async (text: string) => {
      writeFileSync(file, text);
      return await verifyLedger(file, new Map());
    };
    const text = bytes.toString('utf8');
    const report = await check(text);
    expect(report.findings).toEqual([]);
    expect(report.journals[0]?.condensed).toBeGreaterThan(5);
    const lines = text.split('\n').slice(0, -1);
    const at = lines.findIndex((line) => line.includes('"cutId"'));
    const moved = (lines[at] ?? '').replace(/"cutSeq":(\d+)/u, (_, seq: string) => `"cutSeq":${Number(seq) + 1}`);
    for (const changed of [lines.toSpliced(at, 1), lines.with(at, moved)]) {
      expect((await check(withFittingEnd(changed).toString('utf8'))).isSound).toBe(false);
    }
  });

  it('is changed by an entry that says that it came before', async () => {
    await condensed();
    const connection = connectionOf(store);
    const before = foldHash(connection.db);
    const reopened = { agentId: 'report', runId: runIds[0], stateId: 'first', stateVisit: 9 };
    const entry = (wallMs: number) => {
      const of = { deviceId: OTHER, seq: 1, prevHash: '', time: { wallMs, counter: 0 }, epoch: 1 };
      const unnamed = { ...of, kind: 'run.entered', payload: payloadText(reopened) };
      return { ...unnamed, opId: sha256(operationText(unnamed)) };
    };
    const fold = async (wallMs: number) =>
      must(await store.write((within) => foldOperations(within, OTHER, [entry(wallMs)])));
    expect(await fold(1)).toEqual({ kind: 'too-late', count: 0, seq: 1 });
    expect(foldHash(connection.db)).toBe(before);
    // What comes behind is worked in, on top of what is kept, however often that is made again.
    expect(await fold(Date.now())).toEqual({ kind: 'folded', count: 1 });
    const after = foldHash(connection.db);
    expect(after).not.toBe(before);
    rebuildProjections(connection.db);
    expect(foldHash(connection.db)).toBe(after);
    change(connection.db, `INSERT INTO stale_groups (kind, id) VALUES ('run', ?)`, runIds[0]);
    expect(await condensed()).toMatchObject({ runs: 0 });
  });
});
