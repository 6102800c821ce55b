import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createHostTimers } from '../../src/main/host/timers.ts';
import { newDeviceKey } from '../../src/main/hub/proofs.ts';
import { signHead } from '../../src/main/relays/seal/sign-journal.ts';
import { CheckpointReader } from '../../src/main/store/checkpoint/read-checkpoint.ts';
import { takeCheckpoint } from '../../src/main/store/checkpoint/take-checkpoint.ts';
import { checkpointLines, planCheckpoint } from '../../src/main/store/checkpoint/write-checkpoint.ts';
import { readAll } from '../../src/main/store/connection.ts';
import type { Connection } from '../../src/main/store/connection.ts';
import { foldHash } from '../../src/main/store/fold-hash.ts';
import { foldedUpTo, readJournalHead, readJournalHeads } from '../../src/main/store/foreign-journals.ts';
import { operationOf, verifyJournal } from '../../src/main/store/journal-rows.ts';
import type { OpRow } from '../../src/main/store/journal-rows.ts';
import { rebuildProjections } from '../../src/main/store/projections/rebuild.ts';
import { projectStale } from '../../src/main/store/stale-groups.ts';
import { Store } from '../../src/main/store/store.ts';
import { connectionOf } from '../../src/main/store/testing/store-bench.ts';
import { must, useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import { condenseRuns, FIRST_PLACE } from '../../src/main/store/transactions/condense-runs.ts';
import { foldOperations } from '../../src/main/store/transactions/fold-operations.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import type { Operation } from '../../src/shared/core/sync/operation.ts';
import type { Frontier } from '../../src/shared/core/sync/sealed.ts';
import { stableCut } from '../../src/shared/core/sync/stable-cut.ts';
import { reportFigures, scaled } from '../harness/figures.ts';
import { Random } from '../harness/random.ts';
import { drawEvent } from './drawn-events.ts';
import type { Grants } from './drawn-events.ts';

const STORIES = scaled(30, 2_000);
const FIRST_SEED = Number(process.env['FENCEPOST_PROPERTY_SEED'] ?? 1);
const STEPS = 120;

interface Replica {
  readonly store: Store;
  readonly deviceId: DeviceId;
  /** This one keeps every entry, and tells what is right. */
  readonly keepsAll: boolean;
}

/** Devices that write, hand over, say what they have, and condense what everybody has, in any order. */
class Story {
  readonly #random: Random;
  readonly #folder: string;
  readonly #grants: Grants = new Map();
  readonly #acknowledged = new Map<string, Frontier>();
  readonly #relay = new Map<string, readonly Operation[]>();
  readonly replicas: Replica[] = [];
  /** Those that only read, and began from a checkpoint. */
  readonly joined: Replica[] = [];
  readonly sums = { written: 0, delivered: 0, condensed: 0, dropped: 0, joined: 0, condensedAtJoining: 0 };
  #nowMs = 1_000_000;

  constructor(seed: number, folder: string) {
    this.#random = new Random(seed, 'condensed');
    this.#folder = folder;
    const count = 2 + this.#random.below(3);
    for (let index = 0; index < count; index += 1) this.replicas.push(this.#open(index));
  }

  #open(index: number, keepsAll = index === 0): Replica {
    const folder = join(this.#folder, String(index));
    mkdirSync(folder);
    const offMs = Math.round(this.#random.between(-600_000, 600_000));
    const reading = () => ({ wallMs: this.#nowMs + offMs, monotonicMs: this.#nowMs, bootMs: this.#nowMs });
    const clock = { read: reading, instant: () => ({ bootId: 'boot', bootMs: this.#nowMs }) };
    const store = must(Store.open(folder, { clock, timers: createHostTimers(), newId: () => `device-${index}` }));
    return { store, deviceId: connectionOf(store).journal.deviceId as DeviceId, keepsAll };
  }

  async live(): Promise<void> {
    for (let step = 0; step < STEPS; step += 1) {
      this.#nowMs += this.#random.below(3) * 1_000;
      const replica = this.#random.pick(this.replicas);
      const draw = this.#random.below(100);
      if (draw < 35) await this.#write(replica);
      else if (draw < 55) await this.#finish(replica);
      else if (draw < 75) await this.#deliver(replica, this.#random.pick(this.replicas), 1 + this.#random.below(60));
      else if (draw < 85) this.#acknowledged.set(replica.deviceId, haveOf(replica));
      else if (draw < 95) await this.#condense(replica);
      else await this.#gather();
      if (step === 2 * (STEPS / 3)) await this.#join();
    }
    await this.#gather();
  }

  /** Everybody takes in everything, and some say so. */
  async #gather(): Promise<void> {
    for (const to of this.#random.shuffled([...this.replicas, ...this.joined])) {
      for (const from of this.#random.shuffled(this.replicas)) await this.#deliver(to, from, Number.MAX_SAFE_INTEGER);
      if (this.#random.chance(0.9) && !this.joined.includes(to)) this.#acknowledged.set(to.deviceId, haveOf(to));
    }
  }

  /** What a device wrote, as a relay holds it that drops nothing. */
  #handOver({ store, deviceId }: Replica): void {
    const held = this.#relay.get(deviceId) ?? [];
    const sql = 'SELECT * FROM ops WHERE device_id = ? AND journal_seq > ? ORDER BY journal_seq';
    const fresh = readAll<OpRow>(connectionOf(store).db, sql, deviceId, held.at(-1)?.seq ?? 0).map(operationOf);
    this.#relay.set(deviceId, [...held, ...fresh]);
  }

  async #write(replica: Replica): Promise<void> {
    const { store, deviceId } = replica;
    const events = Array.from({ length: 1 + this.#random.below(3) }, () =>
      drawEvent(this.#random, { deviceId, grants: this.#grants }),
    );
    must(
      await store.write(({ db, journal }) => {
        for (const { kind, payload } of events) {
          const ofDevice = payload['deviceId'] as DeviceId;
          // A journal is ended where whoever ends it knows it to.
          const said =
            kind === 'sync.device-let-go' ? { ...payload, upToSeq: readJournalHead(db, ofDevice).seq } : payload;
          if (kind === 'sync.device-let-go' && (ofDevice === deviceId || this.#random.chance(0.7))) continue;
          journal.append(kind as never, said as never);
        }
      }),
    );
    this.sums.written += events.length;
    this.#handOver(replica);
  }

  /** Brings a run to its end: whatever is open is settled, as a holder does in the course of time. */
  async #finish(replica: Replica): Promise<void> {
    must(
      await replica.store.write(({ db, journal }) => {
        const runs = readAll<{ run_id: string; agent_id: string }>(
          db,
          'SELECT run_id, agent_id FROM runs ORDER BY run_id',
        );
        if (runs.length === 0) return;
        const { run_id: runId, agent_id: agentId } = this.#random.pick(runs);
        for (const run of runs.filter((each) => each.run_id.startsWith(runId))) {
          const ids = { agentId, runId: run.run_id };
          const attempts = `SELECT attempt_token AS token, effect_key AS key FROM attempts WHERE run_id = ? AND progress <> 'settled'`;
          for (const { token, key } of readAll<{ token: string; key: string }>(db, attempts, run.run_id)) {
            const effect = { ...ids, effectKey: key };
            const output = { digest: 'd-x', bytes: 1, inline: 'x' };
            const outcome = { kind: 'success' };
            const settled = { effect, attemptToken: token, outcome, outputDigest: 'd-x', output, summary: 'Done' };
            journal.append('settle.recorded', { ...settled, settledBy: 'executor', tookMs: 1 } as never);
          }
          journal.append('run.ended', { ...ids, ending: 'done', summary: 'Ended' } as never);
        }
      }),
    );
    this.#handOver(replica);
  }

  async #deliver(to: Replica, from: Replica, limit: number): Promise<void> {
    if (to === from) return;
    const have = foldedUpTo(connectionOf(to.store).db)[from.deviceId] ?? 0;
    const operations = (this.#relay.get(from.deviceId) ?? []).slice(have, have + limit);
    const folded = must(await to.store.write((connection) => foldOperations(connection, from.deviceId, operations)));
    expect(folded).toEqual({ kind: 'folded', count: operations.length });
    this.sums.delivered += folded.count;
  }

  async #condense(replica: Replica): Promise<void> {
    if (replica.keepsAll) return;
    const cut = this.#cutOf(replica);
    const { nowMs } = this;
    const request = { cut, nowMs, retentionMs: 0, awaited: [], agentIds: null, after: FIRST_PLACE, limit: 100 };
    const done = must(await replica.store.write((connection) => condenseRuns(connection, request)));
    this.sums.condensed += done.runs;
    this.sums.dropped += done.entries;
  }

  get nowMs(): number {
    return this.#nowMs + 1_000_000;
  }

  #cutOf(replica: Replica): Frontier {
    const sql = 'SELECT device_id AS id, let_go_up_to AS upTo FROM sync_devices WHERE let_go_up_to IS NOT NULL';
    const gone = readAll<{ id: string; upTo: number }>(connectionOf(replica.store).db, sql);
    const ended = Object.fromEntries(
      gone.filter(({ id }) => id !== replica.deviceId).map(({ id, upTo }) => [id, upTo]),
    );
    const members = this.replicas
      .filter(({ deviceId }) => deviceId !== replica.deviceId && !Object.hasOwn(ended, deviceId))
      .map(({ deviceId }) => ({ deviceId, acknowledged: this.#acknowledged.get(deviceId) ?? null }));
    return stableCut({ held: haveOf(replica), members, ended });
  }

  /** Somebody begins from a checkpoint of one that takes part, and reads what follows. */
  async #join(): Promise<void> {
    const makers = this.replicas.filter((replica) => !replica.keepsAll && !isLetGo(this.replicas, replica));
    if (makers.length === 0) return;
    const maker = this.#random.pick(makers);
    for (let count = 0; count < 4; count += 1) await this.#finish(maker);
    await this.#gather();
    for (const replica of this.replicas) this.#acknowledged.set(replica.deviceId, haveOf(replica));
    await this.#condense(maker);
    const keys = new Map(this.replicas.map(({ deviceId }) => [deviceId, newDeviceKey()]));
    const checkpoint = must(
      await maker.store.write((connection) => {
        const { db } = connection;
        const heads = [...readJournalHeads(db), { deviceId: maker.deviceId, ...ownHead(connection) }];
        for (const { deviceId, seq, opId } of heads.filter((head) => head.seq > 0)) {
          const key = keys.get(deviceId) ?? newDeviceKey();
          db.prepare('INSERT INTO journal_keys VALUES (?,?)').run(deviceId, key.publicKey);
          const signature = signHead(key.privateKey, { deviceId, seq, opId });
          db.prepare('INSERT INTO signatures VALUES (?,?,?,?)').run(deviceId, seq, opId, signature);
        }
        const ownKey = keys.get(maker.deviceId)?.publicKey ?? '';
        const plan = planCheckpoint(connection, { limit: haveOf(maker), ownKey });
        if (plan === null) return null;
        return { frontier: plan.frontier, content: [...checkpointLines(connection, plan)].join('') };
      }),
    );
    if (checkpoint === null) return;
    const joiner = this.#open(this.replicas.length, true);
    const { content, frontier } = checkpoint;
    const reader = new CheckpointReader();
    reader.add(content);
    const read = reader.end(frontier);
    if (!read.ok) throw new Error(read.error);
    const taken = must(await joiner.store.write((connection) => takeCheckpoint(connection, read.value, [content])));
    if (!taken.ok) throw new Error(taken.error);
    must(await joiner.store.write(({ db }) => projectStale(db, Number.MAX_SAFE_INTEGER)));
    expect(foldHash(connectionOf(joiner.store).db)).toBe(foldHash(connectionOf(maker.store).db));
    this.joined.push(joiner);
    this.sums.joined += 1;
    this.sums.condensedAtJoining += readAll(connectionOf(joiner.store).db, 'SELECT 1 FROM compacted_runs').length;
  }

  close(): void {
    for (const { store } of this.joined) store.close();
    for (const { store } of this.replicas) store.close();
  }
}

function ownHead({ journal }: Connection) {
  return { seq: journal.head.journalSeq, opId: journal.head.opId };
}

function haveOf({ store, deviceId }: Replica): Frontier {
  const { db, journal } = connectionOf(store);
  return { ...foldedUpTo(db), [deviceId]: journal.head.journalSeq };
}

/** Whether any device knows that it was let go: then it goes on by itself. */
function isLetGo(replicas: readonly Replica[], { deviceId }: Replica): boolean {
  const sql = 'SELECT 1 FROM sync_devices WHERE device_id = ? AND let_go_up_to IS NOT NULL';
  return replicas.some(({ store }) => readAll(connectionOf(store).db, sql, deviceId).length > 0);
}

describe('records of which some condensed what everybody has', () => {
  const newFolder = useTemporaryFolders();
  const sums = {
    stories: 0,
    written: 0,
    delivered: 0,
    condensed: 0,
    dropped: 0,
    behind: 0,
    compared: 0,
    joined: 0,
    condensedAtJoining: 0,
  };
  afterAll(() => reportFigures(sums));

  test('one that dropped entries makes something else of the same journals than one that kept them', async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + STORIES; seed += 1) {
      const story = new Story(seed, newFolder());
      await story.live();
      const all = [...story.replicas, ...story.joined];
      for (const { store } of all) must(await store.write(({ db }) => projectStale(db, Number.MAX_SAFE_INTEGER)));
      const together = all.filter((replica) => !isLetGo(story.replicas, replica));
      const hashes = together.map(({ store }) => foldHash(connectionOf(store).db));
      expect(new Set(hashes).size, `seed ${seed}`).toBeLessThan(2);
      for (const [index, { store }] of together.entries()) {
        const { db } = connectionOf(store);
        for (const { deviceId } of story.replicas) expect(verifyJournal(db, deviceId), `seed ${seed}`).toBeNull();
        sums.behind += readAll(db, 'SELECT 1 FROM compacted_bases').length;
        rebuildProjections(db);
        expect(foldHash(db), `seed ${seed}, made again`).toBe(hashes[index]);
      }
      sums.compared += together.length;
      sums.stories += 1;
      sums.written += story.sums.written;
      sums.delivered += story.sums.delivered;
      sums.condensed += story.sums.condensed;
      sums.dropped += story.sums.dropped;
      sums.joined += story.sums.joined;
      sums.condensedAtJoining += story.sums.condensedAtJoining;
      story.close();
    }
    expect(Math.min(...Object.values(sums))).toBeGreaterThan(0);
  });
});
