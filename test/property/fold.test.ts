import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createHostTimers } from '../../src/main/host/timers.ts';
import { readAll } from '../../src/main/store/connection.ts';
import { foldHash } from '../../src/main/store/fold-hash.ts';
import { operationOf, verifyJournal } from '../../src/main/store/journal-rows.ts';
import type { OpRow } from '../../src/main/store/journal-rows.ts';
import { rebuildProjections } from '../../src/main/store/projections/rebuild.ts';
import { projectStale } from '../../src/main/store/stale-groups.ts';
import { Store } from '../../src/main/store/store.ts';
import { connectionOf } from '../../src/main/store/testing/store-bench.ts';
import { must, useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import { foldOperations } from '../../src/main/store/transactions/fold-operations.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import { reportFigures, scaled } from '../harness/figures.ts';
import { Random } from '../harness/random.ts';
import { drawEvent } from './drawn-events.ts';
import type { Grants } from './drawn-events.ts';

const STORIES = scaled(30, 3_000);
const FIRST_SEED = Number(process.env['FENCEPOST_PROPERTY_SEED'] ?? 1);
const STEPS = 120;

/** A device with a real record, and a calendar that is wrong by minutes. */
interface Replica {
  readonly store: Store;
  readonly deviceId: DeviceId;
}

class Story {
  readonly #random: Random;
  readonly #folder: string;
  readonly #grants: Grants = new Map();
  readonly replicas: Replica[] = [];
  readonly sums = { written: 0, delivered: 0, repeated: 0, late: 0, future: 0 };
  #nowMs = 1_000_000;

  constructor(seed: number, folder: string) {
    this.#random = new Random(seed, 'fold');
    this.#folder = folder;
    const count = 2 + this.#random.below(4);
    for (let index = 0; index < count; index += 1) this.replicas.push(this.#open(index));
  }

  #open(index: number): Replica {
    const folder = join(this.#folder, String(index));
    mkdirSync(folder);
    const offMs = Math.round(this.#random.between(-600_000, 600_000));
    const reading = () => ({ wallMs: this.#nowMs + offMs, monotonicMs: this.#nowMs, bootMs: this.#nowMs });
    const clock = { read: reading, instant: () => ({ bootId: 'boot', bootMs: this.#nowMs }) };
    const store = must(Store.open(folder, { clock, timers: createHostTimers(), newId: () => `device-${index}` }));
    return { store, deviceId: connectionOf(store).journal.deviceId as DeviceId };
  }

  async live(): Promise<void> {
    for (let step = 0; step < STEPS; step += 1) {
      this.#nowMs += this.#random.below(3) * 1_000;
      const replica = this.#random.pick(this.replicas);
      if (this.#random.chance(0.6)) await this.#write(replica);
      else await this.#deliver(replica, this.#random.pick(this.replicas), 1 + this.#random.below(40));
    }
    for (const to of this.#random.shuffled(this.replicas))
      for (const from of this.#random.shuffled(this.replicas)) await this.#deliver(to, from, Number.MAX_SAFE_INTEGER);
  }

  async #write({ store, deviceId }: Replica): Promise<void> {
    const events = Array.from({ length: 1 + this.#random.below(3) }, () =>
      drawEvent(this.#random, { deviceId, grants: this.#grants }),
    );
    must(
      await store.write(({ journal }) => {
        for (const { kind, payload } of events) journal.append(kind as never, payload as never);
      }),
    );
    this.sums.written += events.length;
    this.sums.future += events.filter((event) => event.kind === 'future.thing').length;
  }

  /** The next entries of `from` that `to` lacks, some of them once more, whole or in two parts. */
  async #deliver(to: Replica, from: Replica, limit: number): Promise<void> {
    if (to === from) return;
    const { db } = connectionOf(from.store);
    const known = connectionOf(to.store).db;
    const have = readAll<{ seq: number }>(
      known,
      'SELECT journal_seq AS seq FROM journals WHERE device_id = ?',
      from.deviceId,
    );
    const after = Math.max(0, (have[0]?.seq ?? 0) - this.#random.below(4));
    const rows = readAll<OpRow>(
      db,
      'SELECT * FROM ops WHERE device_id = ? AND journal_seq > ? ORDER BY journal_seq LIMIT ?',
      from.deviceId,
      after,
      limit,
    );
    const operations = rows.map(operationOf);
    const cut = this.#random.below(operations.length + 1);
    for (const part of [operations.slice(0, cut), operations.slice(cut)]) {
      const folded = must(await to.store.write((connection) => foldOperations(connection, from.deviceId, part)));
      expect(folded.kind).toBe('folded');
      this.sums.delivered += folded.count;
      this.sums.repeated += part.length - folded.count;
    }
  }

  close(): void {
    for (const { store } of this.replicas) store.close();
  }
}

/** Whether any device knows that it was let go: then it goes on by itself. */
function isLetGo(replicas: readonly Replica[], { deviceId }: Replica): boolean {
  const sql = 'SELECT 1 FROM sync_devices WHERE device_id = ? AND let_go_up_to IS NOT NULL';
  return replicas.some(({ store }) => readAll(connectionOf(store).db, sql, deviceId).length > 0);
}

describe('journals of several devices', () => {
  const newFolder = useTemporaryFolders();
  const sums = { stories: 0, replicas: 0, written: 0, delivered: 0, repeated: 0, future: 0, compared: 0 };
  afterAll(() => reportFigures(sums));

  // reearth/ygo#111, y-crdt/y-octo#53, y-crdt/y-crdt#268, elem-azar-unis/CRDT-Redis#1
  test('two devices that know the same make different things of it, or one after a restart or a rebuild does', async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + STORIES; seed += 1) {
      const story = new Story(seed, newFolder());
      await story.live();
      // What was written by a device that was let go, and came in before that was known, is taken out of what was made of it.
      for (const { store } of story.replicas)
        must(await store.write(({ db }) => projectStale(db, Number.MAX_SAFE_INTEGER)));
      const together = story.replicas.filter((replica) => !isLetGo(story.replicas, replica));
      const hashes = together.map(({ store }) => foldHash(connectionOf(store).db));
      expect(new Set(hashes).size, `seed ${seed}`).toBeLessThan(2);
      for (const { store } of story.replicas) {
        const { db, journal } = connectionOf(store);
        for (const { deviceId } of story.replicas) expect(verifyJournal(db, deviceId), `seed ${seed}`).toBeNull();
        const seq = readAll<{ seq: number }>(db, 'SELECT max(seq) AS seq FROM ops')[0]?.seq;
        expect(journal.head.seq).toBe(seq);
      }
      sums.compared += together.length;
      const [first] = together;
      if (first !== undefined) {
        rebuildProjections(connectionOf(first.store).db);
        expect(foldHash(connectionOf(first.store).db), `seed ${seed}, made again`).toBe(hashes[0]);
      }
      sums.stories += 1;
      sums.replicas += story.replicas.length;
      sums.written += story.sums.written;
      sums.delivered += story.sums.delivered;
      sums.repeated += story.sums.repeated;
      sums.future += story.sums.future;
      story.close();
    }
    expect(Math.min(...Object.values(sums))).toBeGreaterThanOrEqual(STORIES);
  });
});
