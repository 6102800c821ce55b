import type { Database } from 'better-sqlite3';
import { readAll } from '../../src/main/store/connection.ts';
import { readJournalHead } from '../../src/main/store/foreign-journals.ts';
import { foldHash } from '../../src/main/store/fold-hash.ts';
import { haveOf } from '../../src/main/host/sync/known-journals.ts';
import { recoveryWordsOf } from '../../src/main/relays/seal/space-secret.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import { canonicalJson } from '../../src/shared/lib/canonical-json.ts';
import type { Random } from '../harness/random.ts';
import type { Checker } from './checker.ts';
import { drawKeyBytes } from './device-keys.ts';
import { DeviceSharing } from './device-sharing.ts';
import { NATURE } from './event-queue.ts';
import { createFolderRelays } from './folder-relays.ts';
import type { MachineClock } from './machine-clock.ts';
import { RelayLog } from './relay-log.ts';
import type { SimDevice } from './sim-device.ts';
import type { SimRelays, SimRelaysOptions } from './sim-relays.ts';
import { createStoreRelays } from './store-relays.ts';
import type { Telling } from './telling.ts';

/** What sharing through a relay is made of. */
export interface SharedJournalsOptions extends Omit<SimRelaysOptions, 'log'> {
  readonly devices: readonly SimDevice[];
  readonly telling: Telling;
}

/** How often somebody looks at journals that were put aside, ms, at a mean. */
const LOOK_GAP_MS = 30_000;

/** The journals of the devices, through the real exchange of each and the relay that a hub keeps, over a network of its own. */
export class SharedJournals {
  readonly log: RelayLog;
  readonly #of: SharedJournalsOptions;
  readonly #relays: SimRelays;
  readonly #words: string;
  /** Journals that were seen put aside: the entry that was next, by reader and author. */
  readonly #aside = new Map<string, number>();
  folded = 0;
  judged = 0;

  constructor(of: SharedJournalsOptions) {
    this.#of = of;
    this.log = new RelayLog(of.telling);
    const create = of.plan.kind === 'folder' ? createFolderRelays : createStoreRelays;
    this.#relays = create({ ...of, log: this.log });
    this.#words = recoveryWordsOf(drawKeyBytes(of.random)).join(' ');
  }

  /** For the next device. */
  sharingFor(name: string, of: { readonly random: Random; readonly clock: MachineClock }): DeviceSharing {
    const { queue, plan } = this.#of;
    const { log } = this;
    return new DeviceSharing({
      queue,
      random: of.random,
      words: this.#words,
      condensing: plan.condensing,
      openRelay: this.#relays.openerFor({ name, randomOfMachine: of.random, clockOfMachine: of.clock }),
      died: () => log.brokeOff(name),
      log: ({ event, code, message }) => {
        const line = `${name} ${event} ${code ?? ''} ${message ?? ''}`;
        this.#of.telling.note(line);
        this.#of.telling.add(line);
        if (event === 'checkpoint-taken') log.count('a device that began from a checkpoint');
      },
    });
  }

  begin(): void {
    this.#relays.begin();
    this.#planLooks();
  }

  #planLooks(): void {
    const { queue, random, faults } = this.#of;
    queue.after(-Math.log(1 - random.next()) * LOOK_GAP_MS, NATURE, () => {
      if (faults.isOver) return;
      this.#planLooks();
      this.#lookAtAside(random.pick(this.#of.devices));
    });
  }

  /** Somebody sees that a journal was put aside, and has it looked at again. */
  #lookAtAside(device: SimDevice): void {
    const db = device.openConnection()?.db;
    if (db === undefined) return;
    const aside = readAll<{ device_id: DeviceId; journal_seq: number }>(db, 'SELECT * FROM quarantines');
    for (const { device_id: deviceId, journal_seq: seq } of aside) {
      this.#aside.set(`${device.deviceId} ${deviceId}`, seq);
      void device.sharing?.sync?.tryAgain(deviceId);
    }
  }

  /** Everything works again, and every calendar is set: nobody is a day ahead of another. */
  end(): void {
    this.#relays.end();
    this.#setCalendars();
  }

  #setCalendars(): void {
    const { devices } = this.#of;
    const newestMs = Math.max(...devices.map((device) => this.#newestMs(device)));
    for (const { clock } of devices) clock.stepWall(newestMs - clock.read().wallMs);
  }

  /** The newest time that a device knows of, also from a journal that it put aside for being ahead. */
  #newestMs(device: SimDevice): number {
    const connection = device.openConnection();
    const { wallMs } = device.clock.read();
    if (connection === null) return wallMs;
    return Math.max(wallMs, connection.journal.head.time.wallMs, ...aheadOf(connection.db));
  }

  /** Everybody asks the relay now. Somebody who is gone may have been years ahead, and is not there to be set right. */
  deliverAll(): void {
    const isAhead = this.#of.devices.some((device) => aheadOf(device.openConnection()?.db ?? null).length > 0);
    if (isAhead) this.#setCalendars();
    for (const device of this.#of.devices) {
      this.#lookAtAside(device);
      void device.sharing?.sync?.now();
    }
  }

  /** I7: everything that was handed over is with everybody, and everybody makes the same of it. */
  judge(checker: Checker): void {
    const { devices } = this.#of;
    const off = devices.find((device) => device.openConnection() === null);
    if (off !== undefined) return checker.fail('I9', `the record of ${off.name} stays closed`);
    for (const device of devices) {
      const aside = readAll<{ facts: string }>(device.connection().db, 'SELECT facts FROM quarantines');
      for (const { facts } of aside) checker.fail('I7', `${device.name} put a sound journal aside: ${facts}`);
      const { problem = null } = device.sharing?.sync?.status() ?? {};
      if (problem !== null) checker.fail('I9', `${device.name} does not share: ${problem.code} ${problem.message}`);
    }
    const known = devices.map((device) => canonicalJson({ ...haveOf(device.connection()) }));
    if (new Set(known).size > 1) return checker.fail('I9', `not all that was written came to all: ${known.join(' ')}`);
    this.judged += 1;
    const hashes = devices.map((device) => foldHash(device.connection().db));
    if (new Set(hashes).size > 1) checker.fail('I7', 'devices that know the same entries do not agree');
    for (const device of devices) this.#read(device);
  }

  #read(device: SimDevice): void {
    const { db } = device.connection();
    for (const [pair, seq] of this.#aside) {
      const [reader, author = ''] = pair.split(' ');
      if (reader !== device.deviceId || readJournalHead(db, author as DeviceId).seq < seq) continue;
      this.log.count('a journal put aside and taken in later');
    }
    const shared = `SELECT 1 FROM ops WHERE kind = 'effect.started' GROUP BY run_id HAVING count(DISTINCT device_id) > 1`;
    this.log.count('a run continued from the journal of another device', readAll(db, shared).length);
    const foreign = 'SELECT count(*) AS count FROM ops WHERE device_id <> ?';
    this.folded += readAll<{ count: number }>(db, foreign, device.deviceId)[0]?.count ?? 0;
  }

  close(): Promise<void> {
    return this.#relays.close();
  }
}

/** The times of entries that were put aside for being ahead, wall ms. */
function aheadOf(db: Database | null): number[] {
  if (db === null) return [];
  const sql = `SELECT at_ms + json_extract(facts, '$.aheadMs') AS wallMs FROM quarantines WHERE reason = 'clock-ahead'`;
  return readAll<{ wallMs: number }>(db, sql).map(({ wallMs }) => wallMs);
}
