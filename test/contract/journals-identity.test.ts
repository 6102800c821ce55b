import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HostBench, twoSteps } from '../../src/main/host/testing/host-bench.ts';
import { backupDatabase } from '../../src/main/store/backup.ts';
import { foldHash } from '../../src/main/store/fold-hash.ts';
import { verifyJournal } from '../../src/main/store/journal-rows.ts';
import { restoreBackup } from '../../src/main/store/restore-backup.ts';
import { must, useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import type { RelayChoice } from '../../src/shared/contract/sync-requests.ts';
import { Receiver } from '../harness/receiver.ts';

const SECRETS = { password: '', privateKeyPem: '' };
const newFolder = useTemporaryFolders();
let receiver: Receiver;
let folder: string;
let relay: RelayChoice;
let open: HostBench[] = [];

beforeEach(async () => {
  receiver = await Receiver.start();
  folder = newFolder();
  relay = { kind: 'folder', folder: join(folder, 'shared') };
});
afterEach(async () => {
  for (const bench of open.splice(0)) await bench.close();
  await receiver.close();
});

async function start(name: string, machineId = 'desk'): Promise<HostBench> {
  mkdirSync(join(folder, name), { recursive: true });
  const bench = await HostBench.start(join(folder, name), join(folder, 'register.sqlite'), { machineId });
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

  it('what an older record wrote before a person looked is mixed with what the others know', async () => {
    const { older, agentId, before } = await olderRecord();
    const runId = await older.run(agentId, 'third');
    await older.until('it is held back', () => {
      void syncOf(older).now();
      return syncOf(older).status()?.problem?.code === 'relay-fork';
    });
    must(await syncOf(older).newIdentity('Ada'));
    await close(older);
    const again = await start('anna');
    await again.until('the two stories are seen', () => {
      void syncOf(again).now();
      return again.rows('SELECT 1 FROM quarantines WHERE device_id = ?', before).length > 0;
    });
    must(await syncOf(again).tryAgain(before));
    expect(again.rows('SELECT 1 FROM quarantines WHERE device_id = ?', before)).toHaveLength(1);
    // It lacks what the register says that it has to know: nothing is sent.
    await again.until('it is refused', () => again.refusals().length > 0);
    expect(again.look(runId)?.ending ?? null).toBe(null);
    expect(receiver.received).toHaveLength(4);
  });
});

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
  await close(newer);
  for (const part of ['', '-wal', '-shm']) rmSync(`${file}${part}`, { force: true });
  copyFileSync(join(folder, 'older.sqlite'), file);
  const older = await start('anna');
  expect(idOf(older)).toBe(before);
  return { older, ben, agentId, before };
}
