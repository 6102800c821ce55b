import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFileCoordinator } from '../../src/main/coordinators/sqlite/file-coordinator.ts';
import { UNKNOWN_BOOT } from '../../src/main/host/clock.ts';
import { canMakeDisks, makeSmallDisk } from '../../src/main/store/testing/small-disk.ts';
import type { SmallDisk } from '../../src/main/store/testing/small-disk.ts';
import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import type { RegisterVerb } from '../../src/shared/core/lease/register.ts';
import { AGENT, agentId, ANNA, ask, attemptToken, BEN, effect, look, take, TTL_MS } from './coordinator-bench.ts';
import { makeEmbeddedBench, makeFileBench, must } from './sqlite-benches.ts';
import type { SqliteBench } from './sqlite-benches.ts';

const BENCHES = [
  ['the embedded register', makeEmbeddedBench],
  ['the register file', makeFileBench],
] as const;

/** Room for a write-ahead log of its usual length, and then some. */
const DISK_BYTES = 16 * 1_048_576;
const RENEW = { verb: 'renew', deviceId: ANNA, epoch: 1, nonce: 'nonce' } as const;
const ACQUIRE = { verb: 'acquire', deviceId: BEN, nonce: 'theft', ttlMs: TTL_MS } as const;

describe.each(BENCHES)('%s, damaged', (_name, make) => {
  const bench = useBench(make);

  it('refuses to take an epoch back, to drop a row or to change its name, whatever program tries', async () => {
    await take(bench(), ANNA);
    await bench().pass(TTL_MS);
    await take(bench(), BEN);
    const db = new BetterSqlite(bench().file);
    const tries = [
      'UPDATE register SET epoch = 1',
      'DELETE FROM register',
      `UPDATE register SET agent_id = 'other'`,
      `INSERT OR REPLACE INTO register SELECT agent_id, 1, record, boot_id, 0, 0 FROM register`,
      'DELETE FROM register_identity',
      `UPDATE register_identity SET coordinator_id = 'other'`,
    ];
    for (const sql of tries) expect(() => db.exec(sql), sql).toThrow(/never|keeps/u);
    db.close();
    expect((await look(bench())).epoch).toBe(2);
  });

  // etcd-io/etcd#14019
  it.each([
    ['is not JSON', 'nonsense'],
    ['lacks a member', '{"epoch":1}'],
    ['has one too many', null],
    ['names another epoch', null],
  ])('gives no answer about a row that %s', async (what, text) => {
    await take(bench(), ANNA);
    await bench().pass(TTL_MS);
    edit(bench().file, (stored) => {
      if (what === 'has one too many') return { ...stored, surprise: 1 };
      return what === 'names another epoch' ? { ...stored, epoch: 9 } : text;
    });
    await expectNoAnswer(bench(), 'register-unreachable');
    const other = await bench()
      .coordinator()
      .ask('agent-2' as typeof AGENT, ACQUIRE);
    expect(other.ok, 'other agents are not drawn in').toBe(true);
  });

  it('does not take a lease of an earlier boot for a live one because the new clock has come as far', async () => {
    bench().clock.set({ bootId: 'boot-1', bootMs: 500_000 });
    await take(bench(), ANNA);
    bench().clock.set({ bootId: 'boot-2', bootMs: 500_001 });
    expect(await ask(bench(), ACQUIRE)).toMatchObject({ kind: 'granted', epoch: 2, holdOff: true });
  });

  it('takes a clock that went back for a restart where the boot has no name', async () => {
    bench().clock.set({ bootId: UNKNOWN_BOOT, bootMs: 500_000 });
    await take(bench(), ANNA);
    bench().clock.set({ bootId: UNKNOWN_BOOT, bootMs: 499_999 });
    expect(await ask(bench(), ACQUIRE)).toMatchObject({ kind: 'granted', epoch: 2, holdOff: true });
  });

  it('does not take a small step back of a named boot for a restart, and a large one it does', async () => {
    bench().clock.set({ bootId: 'boot', bootMs: 500_000 });
    await take(bench(), ANNA);
    bench().clock.set({ bootId: 'boot', bootMs: 499_100 });
    expect(await ask(bench(), ACQUIRE)).toMatchObject({ kind: 'held', holder: ANNA });
    bench().clock.set({ bootId: 'boot', bootMs: 30_000 });
    expect(await ask(bench(), ACQUIRE)).toMatchObject({ kind: 'granted', holdOff: true });
  });

  it('gives no answer after it was closed', async () => {
    await bench().coordinator().close();
    await expectNoAnswer(bench(), 'register-unreachable');
  });

  it('does not keep what could not be read again', async () => {
    const asked = await bench()
      .coordinator()
      .ask(AGENT, { ...ACQUIRE, ttlMs: Number.POSITIVE_INFINITY });
    expect(asked).toMatchObject({ ok: false, error: { code: 'register-unreachable' } });
    expect((await look(bench())).epoch).toBe(0);
  });
});

describe('the register file, taken away', () => {
  const bench = useBench(makeFileBench);
  const disks: SmallDisk[] = [];
  afterEach(() => {
    for (const disk of disks.splice(0)) disk.remove();
  });
  const useDisk = (): SmallDisk => {
    const disk = makeSmallDisk(DISK_BYTES);
    disks.push(disk);
    return disk;
  };

  it('gives no answer while another program holds it, and the right one afterwards', async () => {
    await take(bench(), ANNA);
    const db = new BetterSqlite(bench().file);
    db.exec('BEGIN IMMEDIATE');
    await expectNoAnswer(bench(), 'register-unreachable');
    db.exec('ROLLBACK');
    db.close();
    expect(await ask(bench(), ACQUIRE)).toMatchObject({ kind: 'held', holder: ANNA });
  });

  it('waits for another program that is soon done', async () => {
    const db = new BetterSqlite(bench().file);
    db.exec('BEGIN IMMEDIATE');
    setTimeout(() => db.exec('COMMIT').close(), 300);
    expect(await ask(bench(), ACQUIRE)).toMatchObject({ kind: 'granted' });
  });

  // flynn-archive/go-discoverd#28
  it('never makes a new register for one that was deleted, and knows it again when it is put back', async () => {
    const grant = await take(bench(), ANNA);
    const aside = join(bench().folder, 'aside');
    renameSync(bench().file, aside);
    const entry = { effect: effect('mail'), attemptToken: attemptToken('mail-try-1'), digest: 'digest' };
    const announcing = { ...grant, verb: 'announce', entry, permit: null } as const;
    await expectNoAnswer(bench(), 'register-unreachable', [announcing]);
    renameSync(`${bench().file}-wal`, `${aside}-wal`);
    await expectNoAnswer(bench(), 'register-unreachable');
    expect(existsSync(bench().file)).toBe(false);
    renameSync(aside, bench().file);
    renameSync(`${aside}-wal`, `${bench().file}-wal`);
    expect(await ask(bench(), ACQUIRE)).toMatchObject({ kind: 'held', holder: ANNA, epoch: 1 });
    expect((await look(bench())).tail, 'nothing was written into the lost file').toEqual([]);
  });

  it('does not go on with another register that stands in its place', async () => {
    await take(bench(), ANNA);
    const other = await makeFileBench();
    await other.coordinator().close();
    rmSync(`${bench().file}-wal`);
    renameSync(other.file, bench().file);
    await expectNoAnswer(bench(), 'register-unreachable', [ACQUIRE]);
    await expectNoAnswer(bench(), 'register-went-back');
    await other.close();
  });

  it('notices an older copy of itself by the epoch, which is what the high-water mark is for', async () => {
    await bench().coordinator().close();
    copyFileSync(bench().file, join(bench().folder, 'old'));
    await bench().restart();
    await take(bench(), ANNA);
    await bench().coordinator().close();
    renameSync(join(bench().folder, 'old'), bench().file);
    await bench().restart();
    expect((await look(bench())).epoch, 'the register cannot know; the device that has seen epoch 1 does').toBe(0);
  });

  it.each([
    ['cut in half', (file: string) => truncateSync(file, Math.floor(readFileSync(file).length / 2))],
    ['overwritten', (file: string) => writeFileSync(file, 'not a database at all, but long enough to be read as one')],
  ])('gives no answer when its file was %s, and grants nothing', async (_what, damage) => {
    await take(bench(), ANNA);
    await bench().coordinator().close();
    damage(bench().file);
    const again = openFileCoordinator({ file: bench().file, clock: bench().clock });
    expect(again).toMatchObject({ ok: false, error: { code: 'store-corrupt' } });
  });

  it('has another name after its file was emptied, which no device takes for its own (rule 11)', async () => {
    const { identity } = bench().coordinator();
    await bench().coordinator().close();
    truncateSync(bench().file, 0);
    await bench().restart();
    expect(bench().coordinator().identity.coordinatorId).not.toBe(identity.coordinatorId);
  });

  it.runIf(canMakeDisks)('gives no answer while its disk is full, and goes on when there is room again', async () => {
    const disk = useDisk();
    const coordinator = must(openFileCoordinator({ file: join(disk.folder, 'register.sqlite'), clock: bench().clock }));
    const agents = Array.from({ length: 200 }, (_, index) => agentId(`agent-${index}-${'x'.repeat(140)}`));
    disk.fill();
    const granted: AgentId[] = [];
    for (const agent of agents) {
      const asked = await coordinator.ask(agent, ACQUIRE);
      if (asked.ok) granted.push(agent);
      else expect(asked.error.code).toBe('register-unreachable');
    }
    expect(granted.length, 'the disk was full').toBeLessThan(agents.length);
    disk.free();
    // What was granted is there. What was answered with a problem may be either, and stays what it is.
    for (const agent of granted) {
      expect(await coordinator.current(agent)).toMatchObject({ ok: true, value: { epoch: 1 } });
    }
    for (const agent of agents) expect(await coordinator.ask(agent, ACQUIRE)).toMatchObject({ ok: true });
    await coordinator.close();
  });

  it.runIf(canMakeDisks)('gives no answer when its disk became read-only', async () => {
    const disk = useDisk();
    const coordinator = must(openFileCoordinator({ file: join(disk.folder, 'register.sqlite'), clock: bench().clock }));
    expect(await coordinator.ask(AGENT, ACQUIRE)).toMatchObject({ ok: true });
    await coordinator.close();
    disk.setReadOnly(true);
    const again = openFileCoordinator({ file: join(disk.folder, 'register.sqlite'), clock: bench().clock });
    expect(again).toMatchObject({ ok: false, error: { code: 'folder-read-only' } });
  });

  // Permissions stop nobody who is root: there, the disk that became read-only above is the same hazard.
  const test = process.getuid?.() === 0 ? null : it;
  test?.('gives no answer when its file may only be read', async () => {
    await take(bench(), ANNA);
    await bench().coordinator().close();
    chmodSync(bench().file, 0o400);
    const again = openFileCoordinator({ file: bench().file, clock: bench().clock });
    expect(again).toMatchObject({ ok: false, error: { code: 'store-read-only' } });
    chmodSync(bench().file, 0o600);
  });
});

function useBench(make: () => Promise<SqliteBench>): () => SqliteBench {
  let bench: SqliteBench | null = null;
  beforeEach(async () => {
    bench = await make();
  });
  afterEach(async () => {
    await bench?.close();
    bench = null;
  });
  return () => {
    if (bench === null) throw new Error('There is no bench.');
    return bench;
  };
}

/** Every verb and the read: a problem, never a grant and never a "no". */
async function expectNoAnswer(
  bench: SqliteBench,
  code: string,
  verbs: readonly RegisterVerb[] = [ACQUIRE, RENEW],
): Promise<void> {
  for (const verb of verbs) {
    expect(await bench.coordinator().ask(AGENT, verb)).toMatchObject({ ok: false, error: { code } });
  }
  expect((await bench.coordinator().current(AGENT)).ok).toBe(false);
}

function edit(file: string, change: (record: object) => object | string | null): void {
  const db = new BetterSqlite(file);
  const { record } = db.prepare('SELECT record FROM register WHERE agent_id = ?').get(AGENT) as { record: string };
  const changed = change(JSON.parse(record) as object);
  const text = typeof changed === 'string' ? changed : JSON.stringify(changed);
  db.prepare('UPDATE register SET record = ? WHERE agent_id = ?').run(text, AGENT);
  db.close();
}
