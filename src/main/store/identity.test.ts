import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { AgentId, DeviceId, Digest } from '../../shared/contract/identifiers.ts';
import { createHostClock } from '../host/clock.ts';
import { createHostTimers } from '../host/timers.ts';
import { backupDatabase } from './backup.ts';
import { readOne } from './connection.ts';
import { readJournalHead } from './foreign-journals.ts';
import { areKeysDue, markForNewIdentity, noteKeysForgotten } from './identity.ts';
import { verifyJournal } from './journal-rows.ts';
import { openSqlite } from './open-sqlite.ts';
import { readProfile, writeProfile } from './profile-values.ts';
import { restoreBackup } from './restore-backup.ts';
import { Store } from './store.ts';
import { connectionOf } from './testing/store-bench.ts';
import { must, useTemporaryFolders } from './testing/temporary-folder.ts';

const newFolder = useTemporaryFolders();
const open: Store[] = [];
afterEach(() => {
  for (const store of open.splice(0)) store.close();
});

function start(folder: string, machineId: string | null = 'desk'): Store {
  const parts = { clock: createHostClock(), timers: createHostTimers(), newId: randomUUID };
  const store = must(Store.open(folder, { ...parts, machineId }));
  open.push(store);
  return store;
}

async function write(store: Store, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const revisionDigest = name as Digest;
    const saved = { agentId: name as AgentId, revisionDigest, name, description: '', source: '' };
    must(await store.write(({ journal }) => journal.append('agent.saved', saved)));
  }
}

function headOf(store: Store) {
  const { deviceId, head } = connectionOf(store).journal;
  return { deviceId, seq: head.journalSeq, opId: head.opId };
}

function incarnationOf(store: Store): string | undefined {
  return readOne<{ incarnation: string }>(connectionOf(store).db, 'SELECT incarnation FROM register_identity')
    ?.incarnation;
}

/** A record with two entries, a copy of it, and a third entry that the copy lacks. */
async function withBackup(folder: string): Promise<{ copy: string; file: string; deviceId: DeviceId }> {
  const file = join(folder, 'fencepost.sqlite');
  const store = start(folder);
  await write(store, 'one', 'two');
  const copy = must(backupDatabase(connectionOf(store).db, file, { label: 'manual' }));
  await write(store, 'three');
  store.close();
  return { copy, file, deviceId: store.identity().deviceId };
}

describe('a backup that was put back', () => {
  it('goes on under its old id and tells a second story', async () => {
    const folder = newFolder();
    const { copy, file, deviceId } = await withBackup(folder);
    must(restoreBackup(copy, file));
    const store = start(folder);
    expect(store.identity().renewed).toEqual({ reason: 'restored', before: deviceId, by: '' });
    const { db } = connectionOf(store);
    const before = readJournalHead(db, deviceId);
    expect(before).toMatchObject({ deviceId, seq: 2 });
    expect(verifyJournal(db, deviceId)).toBe(null);
    expect(headOf(store)).toEqual({ deviceId: store.identity().deviceId, seq: 0, opId: '' });
    expect(store.identity().deviceId).not.toBe(deviceId);
    await write(store, 'four');
    expect(headOf(store).seq).toBe(1);
    expect(verifyJournal(db, store.identity().deviceId)).toBe(null);
    const own = readOne<{ prev_hash: string; wall_ms: number; seq: number }>(
      db,
      'SELECT prev_hash, wall_ms, seq FROM ops WHERE device_id = ?',
      store.identity().deviceId,
    );
    expect(own).toMatchObject({ prev_hash: '', seq: 3 });
    expect(own?.wall_ms).toBeGreaterThanOrEqual(before.time.wallMs);
  });

  it('becomes yet another device at every later start', async () => {
    const folder = newFolder();
    const { copy, file } = await withBackup(folder);
    must(restoreBackup(copy, file));
    const first = start(folder);
    await write(first, 'four');
    first.close();
    const second = start(folder);
    expect(second.identity()).toMatchObject({ deviceId: first.identity().deviceId, renewed: null });
    expect(headOf(second).seq).toBe(1);
  });

  it('keeps the keys of the device it was, or nobody knows that they are to go', async () => {
    const folder = newFolder();
    const { copy, file } = await withBackup(folder);
    must(restoreBackup(copy, file));
    start(folder).close();
    const store = start(folder);
    expect(areKeysDue(connectionOf(store).db)).toBe(true);
    must(await store.write(({ db }) => noteKeysForgotten(db)));
    expect(areKeysDue(connectionOf(store).db)).toBe(false);
  });
});

describe('a profile that was copied', () => {
  it('is the same device on two machines, and its register the same as the other one', async () => {
    const folder = newFolder();
    const desk = start(folder);
    await write(desk, 'one');
    const { deviceId } = desk.identity();
    const incarnation = incarnationOf(desk);
    desk.close();
    const copied = newFolder();
    copyFileSync(join(folder, 'fencepost.sqlite'), join(copied, 'fencepost.sqlite'));
    const laptop = start(copied, 'laptop');
    expect(laptop.identity().renewed).toEqual({ reason: 'copied', before: deviceId, by: '' });
    expect(incarnationOf(laptop)).not.toBe(incarnation);
    laptop.close();
    expect(start(copied, 'laptop').identity()).toMatchObject({
      deviceId: laptop.identity().deviceId,
      renewed: null,
    });
    expect(start(folder).identity()).toMatchObject({ deviceId, renewed: null });
  });

  it('is not noticed after a start on which the machine did not say which one it is', async () => {
    const folder = newFolder();
    const first = start(folder);
    first.close();
    const unsure = start(folder, null);
    expect(unsure.identity()).toEqual({ deviceId: first.identity().deviceId, renewed: null, isMachineKnown: false });
    unsure.close();
    expect(start(folder, 'laptop').identity().renewed).toMatchObject({ reason: 'copied' });
  });

  it('is seen in a profile from before machines were remembered', async () => {
    const folder = newFolder();
    const old = start(folder);
    await old.write(({ db }) => writeProfile(db, 'machine', null));
    old.close();
    const store = start(folder, 'laptop');
    expect(store.identity()).toMatchObject({ deviceId: old.identity().deviceId, renewed: null });
    store.close();
    expect(start(folder, 'desk').identity().renewed).toMatchObject({ reason: 'copied' });
  });

  it('tells in the open what its machine is called', async () => {
    const folder = newFolder();
    const store = start(folder, 'the-name-of-this-machine');
    const values = connectionOf(store).db.prepare('SELECT value FROM profile').pluck().all().join(' ');
    expect(values).toContain(store.identity().deviceId);
    expect(values).not.toContain('the-name-of-this-machine');
  });
});

describe('a new identity that a person asked for', () => {
  it('begins in the middle, or is forgotten', async () => {
    const folder = newFolder();
    const store = start(folder);
    await write(store, 'one');
    const { deviceId } = store.identity();
    must(await store.write(({ db }) => markForNewIdentity(db, { reason: 'asked', by: 'Ada' })));
    // The record is opened again after a doubt: the host that runs is still the device that it was.
    const { db } = connectionOf(store);
    db.close();
    await store.write(() => null);
    await store.reopened();
    await write(store, 'two');
    expect(headOf(store)).toMatchObject({ deviceId, seq: 2 });
    store.close();
    const next = start(folder);
    expect(next.identity().renewed).toEqual({ reason: 'asked', before: deviceId, by: 'Ada' });
    expect(readJournalHead(connectionOf(next).db, deviceId).seq).toBe(2);
  });

  it('is lost with a mark that does not read back', async () => {
    const folder = newFolder();
    const store = start(folder);
    must(await store.write(({ db }) => writeProfile(db, 'new-identity', '{"reason":')));
    store.close();
    expect(start(folder).identity().renewed).toMatchObject({ before: store.identity().deviceId });
  });

  it('is half done after a failure in the middle of it', () => {
    const folder = newFolder();
    const store = start(folder);
    const { db } = connectionOf(store);
    markForNewIdentity(db, { reason: 'asked', by: 'Ada' });
    db.exec(`CREATE TRIGGER breaks BEFORE UPDATE ON register_identity BEGIN SELECT RAISE(ABORT, 'no'); END`);
    store.close();
    const parts = { clock: createHostClock(), timers: createHostTimers(), newId: randomUUID };
    expect(Store.open(folder, parts).ok).toBe(false);
    const file = openSqlite(join(folder, 'fencepost.sqlite'), { mustExist: true });
    expect(readProfile(file, 'device-id')).toBe(store.identity().deviceId);
    expect(areKeysDue(file)).toBe(false);
    expect(readOne(file, 'SELECT 1 FROM journals')).toBe(null);
    file.exec('DROP TRIGGER breaks');
    file.close();
    expect(start(folder).identity().renewed).toMatchObject({ reason: 'asked', before: store.identity().deviceId });
  });
});
