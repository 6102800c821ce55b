import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordCheckView } from '../../shared/contract/record-views.ts';
import { openSqlite } from '../store/open-sqlite.ts';
import { condenseRuns, FIRST_PLACE } from '../store/transactions/condense-runs.ts';
import { makeLedger } from '../store/testing/ledger-bench.ts';
import { openStore } from '../store/testing/store-bench.ts';
import { must, problemOf, useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { RecordCheck } from './record-check.ts';

const newFolder = useTemporaryFolders();
let folder = '';
let failures: unknown[] = [];
let check: RecordCheck;

/** A record in which two runs ended, with the journal of another device and a long text. */
beforeEach(async () => {
  ({ folder } = await makeLedger(newFolder(), 'a long text'));
  failures = [];
  check = new RecordCheck({ profileFolder: folder, nowMs: () => 5_000, failed: (cause) => failures.push(cause) });
});
afterEach(() => check.close());

async function checked(): Promise<RecordCheckView> {
  must(check.begin());
  for (;;) {
    const view = check.view();
    if (view !== null && view.state !== 'running') return view;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What a hand with an editor for databases does, past the triggers. */
function edit(sql: string): void {
  const db = openSqlite(path.join(folder, 'fencepost.sqlite'));
  const triggers = db.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all() as {
    name: string;
    sql: string;
  }[];
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  db.exec(sql);
  for (const trigger of triggers) db.exec(trigger.sql);
  db.close();
}

describe('a check of the record', { timeout: 30_000 }, () => {
  it('calls a record damaged that is as it was written, or forgets when it ended', async () => {
    expect(check.view()).toBeNull();
    const view = await checked();
    expect(view).toMatchObject({ state: 'whole', faults: [], wayOut: '', endedAtMs: 5_000 });
    expect(view.read).toBe(view.total);
    expect(view.read).toBeGreaterThan(20);
    expect(view.sentence).toContain('The file itself is whole.');
    expect(failures).toEqual([]);
  });

  it.each([
    ['an entry that says something else', `UPDATE ops SET payload = '{}' WHERE seq = 5`, 'Entry 5 was changed'],
    [
      'an entry of another device',
      `UPDATE ops SET wall_ms = 1 WHERE device_id = 'other device' AND journal_seq = 2`,
      'Entry 2 was',
    ],
    ['an entry that is gone', 'DELETE FROM ops WHERE seq = 5', 'Entry 5 should come here'],
    ['a long text', `UPDATE blobs SET body = 'another text' WHERE body = 'a long text'`, 'its digest does not fit'],
  ])('passes over a change: %s', async (_, sql, fault) => {
    edit(sql);
    const view = await checked();
    expect(view.state).toBe('damaged');
    expect(view.faults.join(' ')).toContain(fault);
    expect(view.wayOut).toContain('copy the whole data folder');
  });

  it('calls what was condensed a loss', async () => {
    const store = openStore(folder);
    const done = must(
      await store.write((connection) => {
        const cut = { [connection.journal.deviceId]: connection.journal.head.journalSeq };
        const nowMs = Date.now() + 1;
        return condenseRuns(connection, {
          cut,
          nowMs,
          retentionMs: 0,
          awaited: [],
          agentIds: null,
          after: FIRST_PLACE,
          limit: 100,
        });
      }),
    );
    store.close();
    expect(done.entries).toBeGreaterThan(0);
    expect(await checked()).toMatchObject({ state: 'whole', faults: [] });
  });

  it('takes a page that was written over for a sound one', async () => {
    const file = path.join(folder, 'fencepost.sqlite');
    // The page of the long texts. Without the first ones, where the tables are listed, a file is not opened at all.
    const db = openSqlite(file, { isReadOnly: true });
    const page = db.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'blobs'`).pluck().get() as number;
    const bytes = db.pragma('page_size', { simple: true }) as number;
    db.close();
    const handle = openSync(file, 'r+');
    writeSync(handle, Buffer.alloc(bytes, 0xa5), 0, bytes, (page - 1) * bytes);
    closeSync(handle);
    expect(await checked()).toMatchObject({ state: 'damaged' });
    expect(failures).toEqual([]);
  });

  it('begins twice, or is left running by a host that ends', async () => {
    must(check.begin());
    expect(problemOf(check.begin()).code).toBe('store-busy');
    expect(check.view()).toMatchObject({ state: 'running' });
    await check.close();
    expect(check.view()).toMatchObject({ state: 'broken-off' });
  });
});
