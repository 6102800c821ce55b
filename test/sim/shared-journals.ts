import { mkdirSync } from 'node:fs';
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
import type { EventQueue } from './event-queue.ts';
import type { FaultLog } from './fault-log.ts';
import type { MachineClock } from './machine-clock.ts';
import { RelayLog } from './relay-log.ts';
import { RelayNode } from './relay-node.ts';
import type { SimDevice } from './sim-device.ts';
import type { Link } from './sim-network.ts';
import { createSimRelay } from './sim-relay.ts';
import type { Fault, RelayPlan, Swarm } from './swarm.ts';

/** What sharing through a relay is made of. */
export interface SharedJournalsOptions {
  readonly queue: EventQueue;
  readonly random: Random;
  readonly swarm: Swarm;
  readonly plan: RelayPlan;
  readonly faults: FaultLog;
  readonly devices: readonly SimDevice[];
  readonly clock: MachineClock;
  readonly folder: string;
  note(line: string): void;
}

type Trouble = Extract<Fault, 'relay-gone' | 'relay-full' | 'cut' | 'one-way-cut'>;

/** How long passes between two of a kind at intensity 1, ms. */
const MEAN_GAP_MS: Readonly<Record<Trouble, number>> = {
  'relay-gone': 90_000,
  'relay-full': 120_000,
  cut: 40_000,
  'one-way-cut': 60_000,
};
/** How often somebody looks at journals that were put aside, ms, at a mean. */
const LOOK_GAP_MS = 30_000;

/** The journals of the devices, through the real exchange of each and the relay that a hub keeps, over a network of its own. */
export class SharedJournals {
  readonly log: RelayLog;
  readonly #of: SharedJournalsOptions;
  readonly #node: RelayNode;
  readonly #words: string;
  readonly #links: Link[] = [];
  /** Journals that were seen put aside: the entry that was next, by reader and author. */
  readonly #aside = new Map<string, number>();
  folded = 0;
  judged = 0;

  constructor(of: SharedJournalsOptions) {
    this.#of = of;
    this.log = new RelayLog((line) => of.note(line));
    mkdirSync(of.folder);
    this.#node = new RelayNode({ folder: of.folder, clock: of.clock });
    this.#words = recoveryWordsOf(drawKeyBytes(of.random)).join(' ');
  }

  /** For the next device. */
  sharingFor(name: string, of: { readonly random: Random; readonly clock: MachineClock }): DeviceSharing {
    const { queue, swarm, faults, plan } = this.#of;
    const link: Link = { cutUntilMs: 0, deafUntilMs: 0 };
    this.#links.push(link);
    const { log } = this;
    const way = { name, queue, swarm, faults, link, log, node: this.#node, pageOperations: plan.pageOperations };
    return new DeviceSharing({
      queue,
      random: of.random,
      words: this.#words,
      condensing: plan.condensing,
      openRelay: (owner, deviceId) => createSimRelay({ ...way, ...of, owner, deviceId }),
      log: ({ event, code, message }) => {
        this.#of.note(`${name} ${event} ${code ?? ''} ${message ?? ''}`);
        if (event === 'checkpoint-taken') log.count('a device that began from a checkpoint');
      },
    });
  }

  begin(): void {
    for (const kind of Object.keys(MEAN_GAP_MS) as Trouble[]) if (this.#of.swarm.faults.has(kind)) this.#plan(kind);
    this.#planLooks();
  }

  #plan(kind: Trouble): void {
    const { queue, random, swarm, faults } = this.#of;
    const gapMs = (-Math.log(1 - random.next()) * MEAN_GAP_MS[kind]) / swarm.intensity;
    queue.after(gapMs, NATURE, () => {
      if (faults.isOver) return;
      this.#plan(kind);
      faults.count(kind);
      this.#make(kind, random.pick(this.#links));
    });
  }

  #make(kind: Trouble, link: Link): void {
    const { queue, random } = this.#of;
    const node = this.#node;
    const untilMs = queue.nowMs + random.heavyTail(15_000);
    if (kind === 'cut') link.cutUntilMs = untilMs;
    else if (kind === 'one-way-cut') link.deafUntilMs = untilMs;
    else if (kind === 'relay-full') {
      node.isFull = true;
      queue.at(untilMs, NATURE, () => void (node.isFull = false));
    } else {
      node.isUp = false;
      queue.at(untilMs, NATURE, () => void node.restart());
    }
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
    this.#node.isFull = false;
    if (!this.#node.isUp) void this.#node.restart();
    for (const link of this.#links) Object.assign(link, { cutUntilMs: 0, deafUntilMs: 0 });
    const { devices } = this.#of;
    const newestMs = Math.max(...devices.map((device) => this.#newestMs(device)));
    for (const { clock } of devices) clock.stepWall(newestMs - clock.read().wallMs);
  }

  #newestMs(device: SimDevice): number {
    const { wallMs } = device.clock.read();
    return Math.max(wallMs, device.openConnection()?.journal.head.time.wallMs ?? 0);
  }

  /** Everybody asks the relay now. */
  deliverAll(): void {
    for (const device of this.#of.devices) {
      this.#lookAtAside(device);
      void device.sharing?.sync?.now();
    }
  }

  /** I7: everything that was handed over is with everybody, and everybody makes the same of it. */
  judge(checker: Checker): void {
    const { devices } = this.#of;
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

  close(): void {
    void this.#node.close();
  }
}
