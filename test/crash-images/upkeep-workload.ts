import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHostTimers } from '../../src/main/host/timers.ts';
import { backupDatabase } from '../../src/main/store/backup.ts';
import { sha256 } from '../../src/main/store/connection.ts';
import { openDatabase } from '../../src/main/store/database.ts';
import { MIGRATIONS } from '../../src/main/store/migrations/migrations.ts';
import { restoreBackup } from '../../src/main/store/restore-backup.ts';
import { Store } from '../../src/main/store/store.ts';
import type { AgentId, Digest } from '../../src/shared/contract/identifiers.ts';
import { operationText, payloadText } from '../../src/shared/core/sync/operation.ts';
import { createFakeClock } from '../contract/fake-clock.ts';
import { must } from '../contract/sqlite-benches.ts';
import type { SayMark } from './watch-store.ts';

const DEVICE = 'old-device';

/**
 * What is done to a record besides working with it: an old form is brought up to the newest, copies are made, the log is
 * brought into the file, and a copy is put back. In between it is written to, so that there is something to lose.
 */
export async function liveThroughUpkeep(of: {
  root: string;
  say: SayMark;
  rounds: number;
  isOld: boolean;
}): Promise<void> {
  const { say, rounds } = of;
  const file = join(of.root, 'fencepost.sqlite');
  const clock = createFakeClock();
  const storeOptions = { clock, timers: createHostTimers(), newId: randomUUID };
  // A record of the newest form has no copy yet, so that the first one makes the folder that holds them.
  if (of.isOld) liveInOldForm(file, say);
  say({ fact: 'phase', name: 'migrating' });
  let store = must(Store.open(of.root, storeOptions));
  say({ fact: 'phase', name: 'working' });
  for (let round = 0; round < rounds; round += 1) {
    await writeSome(store, 3, round);
    say({ fact: 'phase', name: 'copying' });
    const copy = copyOf(store, file, `round-${round}`);
    say({ fact: 'copy', path: copy.path.slice(of.root.length + 1), head: copy.head });
    say({ fact: 'phase', name: 'working' });
    await writeSome(store, 3, round);
    store.connection()?.db.pragma(round % 2 === 0 ? 'wal_checkpoint(TRUNCATE)' : 'wal_checkpoint(RESTART)');
    await writeSome(store, 2, round);
    store.close();
    // Every other time a log is left behind, by a host that was killed.
    if (round % 2 === 1) await writeAndDie(of.root, round);
    say({ fact: 'phase', name: 'restoring' });
    must(restoreBackup(copy.path, file));
    say({ fact: 'phase', name: 'restored' });
    store = must(Store.open(of.root, storeOptions));
    await writeSome(store, 2, round);
    say({ fact: 'phase', name: 'working' });
  }
  store.close();
}

/** A host in a process of its own, watched as well, which writes and is killed with its log as it is. */
function writeAndDie(root: string, round: number): Promise<void> {
  const given = JSON.stringify({ root, kind: 'killed-writer', seed: 0, rounds: round, synchronous: 'FULL' });
  const child = fork(fileURLToPath(new URL('record-workload.ts', import.meta.url)), [given]);
  return new Promise((resolve, reject) => {
    child.on('exit', (code, signal) => {
      if (signal === 'SIGKILL') resolve();
      else reject(new Error(`The host that was to be killed ended with ${code ?? signal}.`));
    });
  });
}

/** The other side of it. */
export async function writeThenDie(root: string, round: number): Promise<void> {
  const store = must(Store.open(root, { clock: createFakeClock(), timers: createHostTimers(), newId: randomUUID }));
  await writeSome(store, 3, round);
  process.kill(process.pid, 'SIGKILL');
}

/** A record as the first version wrote it, with entries in its journal. */
function liveInOldForm(file: string, say: SayMark): void {
  const db = must(openDatabase(file, { migrations: MIGRATIONS.slice(0, 1) }));
  db.prepare(`INSERT INTO profile (key, value) VALUES ('device-id', ?)`).run(DEVICE);
  say({ fact: 'device', deviceId: DEVICE });
  let prevHash = '';
  for (let index = 0; index < 6; index += 1) {
    const [seq, kind, time] = [index + 1, 'agent.saved', { wallMs: 1_000, counter: index }] as const;
    const payload = payloadText(agentNumber(index));
    const opId = sha256(operationText({ deviceId: DEVICE, seq, prevHash, time, epoch: 0, kind, payload }));
    db.prepare(
      `INSERT INTO ops (seq, op_id, prev_hash, device_id, wall_ms, counter, kind, payload) VALUES (?,?,?,?,?,?,?,?)`,
    ).run(seq, opId, prevHash, DEVICE, time.wallMs, time.counter, kind, payload);
    say({ fact: 'operation', seq, opId, kind, grant: null, startedId: null });
    prevHash = opId;
  }
  db.close();
}

/** Long enough that one entry does not fit onto one page. */
function agentNumber(index: number) {
  return {
    agentId: `agent-${index}` as AgentId,
    revisionDigest: String(index) as Digest,
    name: `Agent ${index}`,
    description: '',
    source: `# ${String(index).repeat(3_000)}`,
  };
}

async function writeSome(store: Store, times: number, round: number): Promise<void> {
  for (let index = 0; index < times; index += 1) {
    must(await store.write(({ journal }) => journal.append('agent.saved', agentNumber(100 * round + index))));
  }
}

function copyOf(store: Store, file: string, label: string): { path: string; head: number } {
  const connection = store.connection();
  if (connection === null) throw new Error('The store is not open.');
  const head = connection.journal.head.seq;
  return { path: must(backupDatabase(connection.db, file, { label })), head };
}
