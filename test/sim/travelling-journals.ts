import { readAll } from '../../src/main/store/connection.ts';
import { foldHash } from '../../src/main/store/fold-hash.ts';
import { readJournalHead } from '../../src/main/store/foreign-journals.ts';
import { operationOf } from '../../src/main/store/journal-rows.ts';
import type { OpRow } from '../../src/main/store/journal-rows.ts';
import { readProfile, writeProfile } from '../../src/main/store/profile-values.ts';
import { foldOperations } from '../../src/main/store/transactions/fold-operations.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import type { Operation } from '../../src/shared/core/sync/operation.ts';
import { SHARING_KEY } from '../../src/main/host/sync/kept-sharing.ts';
import type { Random } from '../harness/random.ts';
import type { Checker } from './checker.ts';
import { NATURE } from './event-queue.ts';
import type { EventQueue } from './event-queue.ts';
import type { FaultLog } from './fault-log.ts';
import type { SimDevice } from './sim-device.ts';
import type { Link } from './sim-network.ts';

/** What journals travel between. */
interface TravelParts {
  readonly queue: EventQueue;
  readonly devices: readonly SimDevice[];
  readonly links: readonly Link[];
  readonly random: Random;
  readonly faults: FaultLog;
}

/** How often some device hears from another, ms, at a mean. */
const MEAN_GAP_MS = 20_000;
const LONGEST_DELAY_MS = 60_000;

/**
 * The journals of the devices, carried by a relay that is late, repeats itself and loses what it carries, and cut like every
 * other cable. What is folded is what the product folds. A disk that lied makes a fork, which is put aside for good.
 */
export class TravellingJournals {
  readonly #of: TravelParts;
  readonly #forked = new Set<string>();
  folded = 0;
  judged = 0;
  readonly log = { counts: new Map<string, number>() };

  constructor(of: TravelParts) {
    this.#of = of;
  }

  begin(): void {
    const { queue, random, faults } = this.#of;
    queue.after(-Math.log(1 - random.next()) * MEAN_GAP_MS, NATURE, () => {
      if (!faults.isOver) this.#exchange();
      this.begin();
    });
  }

  #exchange(): void {
    const { queue, random, devices, links, faults } = this.#of;
    const from = random.below(devices.length);
    const to = random.below(devices.length);
    const isCut = [from, to].some((index) => (links[index]?.cutUntilMs ?? 0) > queue.nowMs);
    const parcel = from === to || isCut ? null : this.#pack(devices[from], devices[to]);
    if (parcel === null) return;
    if (faults.isOver || !random.chance(0.1)) this.#deliver(parcel);
    if (random.chance(0.2)) queue.after(random.next() * LONGEST_DELAY_MS, NATURE, () => this.#deliver(parcel));
  }

  /** Some of what the other lacks, and some of what it has. */
  #pack(from: SimDevice | undefined, to: SimDevice | undefined): Parcel | null {
    const { random, faults } = this.#of;
    const source = from?.openConnection() ?? null;
    const target = to?.openConnection() ?? null;
    if (source === null || target === null || to === undefined || this.#forked.has(source.journal.deviceId))
      return null;
    const deviceId = source.journal.deviceId as DeviceId;
    const have = readJournalHead(target.db, deviceId).seq;
    if (have > source.journal.head.journalSeq) {
      this.#forked.add(deviceId);
      return null;
    }
    const limit = faults.isOver ? Number.MAX_SAFE_INTEGER : 1 + random.below(200);
    const rows = readAll<OpRow>(
      source.db,
      'SELECT * FROM ops WHERE device_id = ? AND journal_seq > ? ORDER BY journal_seq LIMIT ?',
      deviceId,
      Math.max(0, have - random.below(5)),
      limit,
    );
    return rows.length === 0 ? null : { deviceId, to, operations: rows.map(operationOf) };
  }

  #deliver({ deviceId, to, operations }: Parcel): void {
    const { owner, store } = to;
    if (store === null || owner === null) return;
    // A paused process hears of it when it goes on.
    this.#of.queue.after(0, owner, () => {
      void store
        .write((connection) => {
          if (readProfile(connection.db, SHARING_KEY) === null) writeProfile(connection.db, SHARING_KEY, '{}');
          return foldOperations(connection, deviceId, operations);
        })
        .then((folded) => {
          if (!folded.ok) return;
          this.folded += folded.value.count;
          if (folded.value.kind === 'broken' && folded.value.problem.kind !== 'gap') this.#forked.add(deviceId);
          to.host?.wake();
        });
    });
  }

  end(): void {
    // What it carries is late from now on, and no more than that.
  }

  async close(): Promise<void> {
    // There is nothing but memory.
  }

  /** Everything to everybody. */
  deliverAll(): void {
    for (const from of this.#of.devices)
      for (const to of this.#of.devices) {
        const parcel = from === to ? null : this.#pack(from, to);
        if (parcel !== null) this.#deliver(parcel);
      }
  }

  /** I7: whoever knows the same makes the same of it. Where a journal was forked, devices know different things. */
  judge(checker: Checker): void {
    if (this.#forked.size > 0) return;
    const known = this.#of.devices.map((device) => knownBy(device));
    // One that writes while the last parcels are carried is ahead of the others by a few entries of its right to act.
    if (new Set(known).size > 1) return;
    this.judged += 1;
    const hashes = this.#of.devices.map((device) => foldHash(device.connection().db));
    if (new Set(hashes).size > 1) checker.fail('I7', 'devices that know the same entries do not agree');
  }
}

function knownBy(device: SimDevice): string {
  const sql = 'SELECT device_id, max(journal_seq) AS seq FROM ops GROUP BY device_id ORDER BY device_id';
  return JSON.stringify(readAll(device.connection().db, sql));
}

interface Parcel {
  readonly deviceId: DeviceId;
  readonly to: SimDevice;
  readonly operations: readonly Operation[];
}
