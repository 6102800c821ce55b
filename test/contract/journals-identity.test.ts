import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONDENSING_TERMS } from '../../src/main/host/sync/condensing.ts';
import { HostBench, twoSteps } from '../../src/main/host/testing/host-bench.ts';
import { backupDatabase } from '../../src/main/store/backup.ts';
import { foldHash } from '../../src/main/store/fold-hash.ts';
import { verifyJournal } from '../../src/main/store/journal-rows.ts';
import { restoreBackup } from '../../src/main/store/restore-backup.ts';
import { openSqlite } from '../../src/main/store/open-sqlite.ts';
import { must, useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import type { RelayChoice } from '../../src/shared/contract/sync-requests.ts';
import { Receiver } from '../harness/receiver.ts';

/** What everybody has is dropped from the relay at once, and nothing is condensed. */
const DROPPING = { ...CONDENSING_TERMS, lookEveryMs: 50, checkpointEntries: 1 };
const SECRETS = { password: '', privateKeyPem: '' };
const newFolder = useTemporaryFolders();
let receiver: Receiver;
let folder: string;
let relay: RelayChoice;
let condensing = CONDENSING_TERMS;
let open: HostBench[] = [];

beforeEach(async () => {
  receiver = await Receiver.start();
  folder = newFolder();
  relay = { kind: 'folder', folder: join(folder, 'shared') };
  condensing = CONDENSING_TERMS;
});
afterEach(async () => {
  for (const bench of open.splice(0)) await bench.close();
  await receiver.close();
});

async function start(name: string, machineId = 'desk'): Promise<HostBench> {
  mkdirSync(join(folder, name), { recursive: true });
  const bench = await HostBench.start(join(folder, name), join(folder, 'register.sqlite'), { machineId, condensing });
  open.push(bench);
  return bench;
}

async function close(bench: HostBench): Promise<void> {
  open = open.filter((each) => each !== bench);
  await bench.close();
}

function syncOf(bench: HostBench) {
  const { sync } = bench.host.control;
  if (sync === null) throw new Error('This host shares nothing.');
  return sync;
}

function recordOf(bench: HostBench) {
  const connection = bench.host.control.connection();
  if (connection === null) throw new Error('The record is not open.');
  return connection;
}

const idOf = (bench: HostBench): DeviceId => bench.host.control.device.deviceId;

/** Anna with an agent and one run, and ben, who knows it. */
async function two(): Promise<{ anna: HostBench; ben: HostBench; agentId: Awaited<ReturnType<HostBench['agent']>> }> {
  const anna = await start('anna');
  const words = must(await syncOf(anna).create(relay, SECRETS)).join(' ');
  const ben = await start('ben');
  must(await syncOf(ben).join(relay, { words, secrets: SECRETS }));
  const agentId = await anna.agent(twoSteps('report', receiver.origin));
  expect(await anna.ended(await anna.run(agentId, 'first'))).toBe('done');
  await inStep(anna, ben);
  return { anna, ben, agentId };
}

/** Until all make the same of all journals. */
async function inStep(...benches: readonly HostBench[]): Promise<void> {
  const hashes = () => new Set(benches.map((bench) => foldHash(recordOf(bench).db)));
  const [first] = benches;
  await first?.until('all know the same', () => {
    for (const bench of benches) void syncOf(bench).now();
    return hashes().size === 1 && benches.every((bench) => (syncOf(bench).status()?.problem ?? null) === null);
  });
}

function keyOf(bench: HostBench, deviceId: string): string | undefined {
  const sql = 'SELECT public_key FROM sync_devices WHERE device_id = ?';
  return bench.rows<{ public_key: string }>(sql, deviceId)[0]?.public_key;
}

/** That a profile goes on as a new device beside the one it was, and that everybody can tell the two apart. */
async function expectAnother(again: HostBench, ben: HostBench, before: DeviceId): Promise<void> {
  expect(idOf(again)).not.toBe(before);
  await inStep(again, ben);
  for (const bench of [again, ben]) {
    for (const deviceId of [before, idOf(again)]) expect(verifyJournal(recordOf(bench).db, deviceId)).toBe(null);
    expect(bench.rows('SELECT 1 FROM quarantines')).toEqual([]);
    expect(keyOf(bench, before)).toMatch(/^[\w-]{43}$/u);
    expect(keyOf(bench, idOf(again))).toMatch(/^[\w-]{43}$/u);
    expect(keyOf(bench, idOf(again))).not.toBe(keyOf(bench, before));
  }
}

describe('a profile that must not go on as the device that it was', { timeout: 120_000 }, () => {
  it('a backup that is put back tells a second story, or sends again what it has forgotten', async () => {
    const { anna, ben, agentId } = await two();
    const file = join(folder, 'anna', 'fencepost.sqlite');
    const before = idOf(anna);
    const copy = must(backupDatabase(recordOf(anna).db, file, { label: 'manual' }));
    expect(await anna.ended(await anna.run(agentId, 'second'))).toBe('done');
    await inStep(anna, ben);
    const written = recordOf(anna).journal.head.journalSeq;
    await close(anna);
    must(restoreBackup(copy, file));
    const again = await start('anna');
    await expectAnother(again, ben, before);
    // What it had forgotten comes back from the others, and the same request is not carried out once more.
    expect(again.rows('SELECT 1 FROM ops WHERE device_id = ?', before).length).toBeGreaterThanOrEqual(written);
    expect(receiver.received).toHaveLength(4);
    expect(await again.ended(await again.run(agentId, 'second'))).toBe('done');
    expect(receiver.received).toHaveLength(4);
    expect(await again.ended(await again.run(agentId, 'third'))).toBe('done');
    expect(receiver.received).toHaveLength(6);
    await inStep(again, ben);
    expect(ben.rows('SELECT 1 FROM runs')).toHaveLength(3);
    const log = readFileSync(join(folder, 'anna', 'host.log'), 'utf8');
    expect(log).toContain('"event":"identity-renewed","reason":"restored"');
  });

  it('a profile copied to another machine acts as the same device as the first one', async () => {
    const { anna, ben, agentId } = await two();
    const before = idOf(anna);
    await close(anna);
    cpSync(join(folder, 'anna'), join(folder, 'copy'), { recursive: true });
    const first = await start('anna');
    const copy = await start('copy', 'laptop');
    expect(idOf(first)).toBe(before);
    await expectAnother(copy, ben, before);
    expect(await first.ended(await first.run(agentId, 'second'))).toBe('done');
    await inStep(first, copy, ben);
    expect(copy.rows('SELECT 1 FROM runs')).toHaveLength(2);
    expect(receiver.received).toHaveLength(4);
    expect(readFileSync(join(folder, 'copy', 'host.log'), 'utf8')).toContain('"reason":"copied"');
    const own = join(folder, 'anna', 'host.log');
    expect(existsSync(own) ? readFileSync(own, 'utf8') : '').not.toContain('identity-renewed');
  });
});

describe('an older record that nobody told Fencepost of', { timeout: 120_000 }, () => {
  it('an older record put there by hand goes on, or a person cannot help it', async () => {
    const { older, ben, agentId, before } = await olderRecord();
    expect(await syncOf(older).now()).toMatchObject({ ok: false, error: { code: 'relay-fork' } });
    must(await syncOf(older).newIdentity('Ada'));
    // The host that runs ends as the device that it began as.
    expect(idOf(older)).toBe(before);
    await close(older);
    const again = await start('anna');
    await expectAnother(again, ben, before);
    const log = readFileSync(join(folder, 'anna', 'host.log'), 'utf8');
    expect(log).toContain('"event":"identity-renewed","reason":"asked","by":"Ada"');
    expect(await again.ended(await again.run(agentId, 'third'))).toBe('done');
    expect(receiver.received).toHaveLength(6);
  });

  it.each([
    ['one by one', CONDENSING_TERMS],
    ['in a checkpoint only', DROPPING],
  ])('what an older record wrote is mixed with what the others know, where that is held %s', async (_how, terms) => {
    condensing = terms;
    const { older, agentId, before } = await olderRecord();
    const runId = await older.run(agentId, 'third');
    await heldBack(older);
    must(await syncOf(older).newIdentity('Ada'));
    await close(older);
    const again = await start('anna');
    await twoStoriesSeen(again, before);
    must(await syncOf(again).tryAgain(before));
    expect(again.rows('SELECT 1 FROM quarantines WHERE device_id = ?', before)).toHaveLength(1);
    // It lacks what the register says that it has to know: nothing is sent.
    await again.until('it is refused', () => again.refusals().length > 0);
    expect(again.look(runId)?.ending ?? null).toBe(null);
    expect(receiver.received).toHaveLength(4);
  });

  it.each([
    ['one by one', CONDENSING_TERMS],
    ['in a checkpoint only', DROPPING],
  ])(
    'an older record that wrote as much as the newer one is taken for it, where that is held %s',
    async (_how, terms) => {
      condensing = terms;
      const { older, written, before } = await olderRecord();
      for (let nth = 0; recordOf(older).journal.head.journalSeq < written; nth += 1)
        await older.agent(twoSteps(`another-${nth}`, receiver.origin));
      await heldBack(older);
      expect(syncOf(older).status()?.problem?.message).toContain('another story');
      must(await syncOf(older).newIdentity('Ada'));
      await close(older);
      const again = await start('anna');
      await twoStoriesSeen(again, before);
      must(await syncOf(again).tryAgain(before));
      expect(again.rows('SELECT 1 FROM quarantines WHERE device_id = ?', before)).toHaveLength(1);
    },
  );
});

async function heldBack(older: HostBench): Promise<void> {
  await older.until('it is held back', () => {
    void syncOf(older).now();
    return syncOf(older).status()?.problem?.code === 'relay-fork';
  });
}

async function twoStoriesSeen(again: HostBench, before: DeviceId): Promise<void> {
  await again.until('the two stories are seen', () => {
    void syncOf(again).now();
    return again.rows('SELECT 1 FROM quarantines WHERE device_id = ?', before).length > 0;
  });
}

/** Until the register leaves what was done to the journals, and the relay, where it may, to the checkpoint. */
async function leftToJournals(bench: HostBench): Promise<void> {
  const tails = () => {
    const db = openSqlite(join(folder, 'register.sqlite'), { mustExist: true });
    try {
      return db.prepare(`SELECT 1 FROM register, json_each(record, '$.tail')`).all().length;
    } finally {
      db.close();
    }
  };
  await bench.until('nothing of it is kept twice', () => {
    void syncOf(bench).now();
    return tails() === 0 && (condensing !== DROPPING || entriesOnRelay() === 0);
  });
}

const entriesOnRelay = (): number =>
  readdirSync(join(folder, 'shared'), { recursive: true }).filter((name) => String(name).includes('segment-')).length;

/** The record of anna as it was before her second run, in the place of the newer one, by nobody who told Fencepost. */
async function olderRecord() {
  const { anna, ben, agentId } = await two();
  const file = join(folder, 'anna', 'fencepost.sqlite');
  const before = idOf(anna);
  await close(anna);
  copyFileSync(file, join(folder, 'older.sqlite'));
  const newer = await start('anna');
  expect(await newer.ended(await newer.run(agentId, 'second'))).toBe('done');
  await inStep(newer, ben);
  await leftToJournals(newer);
  await close(newer);
  // What it wrote at its end is handed over as well.
  const idle = await start('anna');
  await leftToJournals(idle);
  const written = recordOf(idle).journal.head.journalSeq;
  await close(idle);
  for (const part of ['', '-wal', '-shm']) rmSync(`${file}${part}`, { force: true });
  copyFileSync(join(folder, 'older.sqlite'), file);
  const older = await start('anna');
  expect(idOf(older)).toBe(before);
  return { older, ben, agentId, before, written };
}
