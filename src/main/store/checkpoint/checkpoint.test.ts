import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../../test/harness/receiver.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import type { Frontier } from '../../../shared/core/sync/sealed.ts';
import { condenseAll } from '../../host/sync/condensing.ts';
import { openCheckpoint, sealCheckpointOf } from '../../host/sync/sealed-checkpoint.ts';
import { HostBench, twoSteps } from '../../host/testing/host-bench.ts';
import { steadyClock } from '../../host/testing/steady-clock.ts';
import { newDeviceKey } from '../../hub/proofs.ts';
import type { Relay } from '../../relays/relay.ts';
import { newKeyRing, rotateKeys } from '../../relays/seal/key-ring.ts';
import { signHead } from '../../relays/seal/sign-journal.ts';
import { newSpaceSecret } from '../../relays/seal/space-secret.ts';
import { change, readAll } from '../connection.ts';
import { foldHash } from '../fold-hash.ts';
import { readJournalHead, writeJournalHead } from '../foreign-journals.ts';
import { verifyJournal } from '../journal-rows.ts';
import { projectStale } from '../stale-groups.ts';
import type { Store } from '../store.ts';
import { connectionOf, deviceIdOf, openStore } from '../testing/store-bench.ts';
import { must, useTemporaryFolders } from '../testing/temporary-folder.ts';
import { CheckpointReader } from './read-checkpoint.ts';
import { takeCheckpoint } from './take-checkpoint.ts';
import { checkpointLines, planCheckpoint } from './write-checkpoint.ts';

const ring = newKeyRing(newSpaceSecret());
const newFolder = useTemporaryFolders();
let maker: Store;
let other: Store;
let content = '';
let frontier: Frontier = {};

/** A record with two runs of which one was condensed, and a checkpoint of it. */
beforeEach(async () => {
  const folder = newFolder();
  const receiver = await Receiver.start();
  const host = await HostBench.start(folder);
  const agentId = await host.agent(twoSteps('report', receiver.origin));
  await host.ended(await host.run(agentId, 'one'));
  await host.close();
  maker = openStore(folder);
  const { journal } = connectionOf(maker);
  const cut = { [journal.deviceId]: journal.head.journalSeq };
  expect(must(await condenseAll({ store: maker, cut, retentionMs: 0, awaited: () => [], agentIds: null })).runs).toBe(
    1,
  );
  maker.close();
  const again = await HostBench.start(folder);
  await again.ended(await again.run(agentId, 'two'));
  await again.close();
  await receiver.close();
  maker = openStore(folder);
  other = openStore(newFolder());
  const connection = connectionOf(maker);
  const { privateKey, publicKey } = newDeviceKey();
  const { journalSeq: seq, opId } = connection.journal.head;
  const { deviceId } = connection.journal;
  const signature = signHead(privateKey, { deviceId, seq, opId });
  change(connection.db, 'INSERT INTO signatures VALUES (?,?,?,?)', deviceId, seq, opId, signature);
  const plan = planCheckpoint(connection, { limit: { [deviceId]: seq }, ownKey: publicKey });
  if (plan === null) throw new Error('No checkpoint can be made.');
  ({ frontier } = plan);
  content = [...checkpointLines(connection, plan)].join('');
});

afterEach(() => {
  maker.close();
  other.close();
});

/** Looks at a text in chunks that end anywhere. */
function read(text = content, upTo = frontier, chunkCharacters = 777) {
  const reader = new CheckpointReader();
  for (const chunk of chunksOf(text, chunkCharacters)) reader.add(chunk);
  return reader.end(upTo);
}

function* chunksOf(text: string, characters: number): Generator<string> {
  for (let from = 0; from < text.length; from += characters) yield text.slice(from, from + characters);
}

async function take(store: Store) {
  const sound = read();
  if (!sound.ok) throw new Error(sound.error);
  return must(await store.write((connection) => takeCheckpoint(connection, sound.value, chunksOf(content, 555))));
}

describe('a checkpoint', () => {
  it('makes another record than the one that it was made from', async () => {
    expect(await take(other)).toMatchObject({ ok: true, value: { journals: 1 } });
    const { db } = connectionOf(other);
    must(await other.write((connection) => projectStale(connection.db, 100)));
    expect(foldHash(db)).toBe(foldHash(connectionOf(maker).db));
    expect(verifyJournal(db, deviceIdOf(maker))).toBeNull();
    const bodies = 'SELECT digest FROM blobs ORDER BY digest';
    expect(readAll(db, bodies)).toEqual(readAll(connectionOf(maker).db, bodies));
    // Once more is nothing new.
    expect(await take(other)).toEqual({ ok: true, value: { journals: 0, entries: 0 } });
  });

  it('is believed although a line is missing, doubled or cut, or it reaches less far', () => {
    const lines = content.split('\n').slice(0, -1);
    const whole = (some: readonly string[]) => some.map((line) => `${line}\n`).join('');
    expect(read(whole(lines)).ok).toBe(true);
    for (const [at, line] of lines.entries()) {
      expect(read(whole(lines.toSpliced(at, 1))).ok, `without ${line}`).toBe(false);
      expect(read(whole(lines.toSpliced(at, 0, line))).ok, `twice ${line}`).toBe(false);
      expect(read(whole(lines.with(at, line.slice(0, -1)))).ok, `cut ${line}`).toBe(false);
    }
    expect(read(content.slice(0, -1)).ok).toBe(false);
    expect(read(content, { ...frontier, another: 1 }).ok).toBe(false);
  });

  it('is believed although an entry, its journal or what came of a run is somebody else’s', () => {
    const changed = (from: RegExp | string, to: string): string => {
      const text = content.replace(from, to);
      expect(text).not.toBe(content);
      return text;
    };
    for (const text of [
      changed(/"kind":"run\.ended"/u, '"kind":"run.waiting"'),
      // A signature may begin with any letter, also with the one that is put there.
      /"signature":"_/u.test(content)
        ? changed(/"signature":"_/u, '"signature":"A')
        : changed(/"signature":"./u, '"signature":"_'),
      changed(/"format":1/u, '"format":2'),
      changed(/("cut":"[^"]+","opId":")[0-9a-f]{8}/u, '$100000000'),
      changed(/"rows":\{(.*?)"run_id":"[^"]+"/u, '"rows":{$1"run_id":"another"'),
    ])
      expect(read(text).ok).toBe(false);
  });

  it('is put together of parts that do not belong to its name', async () => {
    const deviceId = deviceIdOf(maker) as DeviceId;
    const seal = (lines: string[], upTo = frontier) => {
      const sealed = sealCheckpointOf(ring, { deviceId, frontier: upTo, lines });
      if (!sealed.ok) throw new Error(sealed.error);
      return sealed.value;
    };
    const { header, parts } = seal([content]);
    const open = async (given: readonly string[], of = header) => {
      const checkpointPart = async (_id: string, index: number) => ({ ok: true, value: given[index] ?? '' }) as const;
      const seen: string[] = [];
      const look = (chunk: string) => void seen.push(chunk);
      const opened = await openCheckpoint({ checkpointPart } as unknown as Relay, of, { ring, look });
      if (!opened.ok) return opened;
      return { ok: true, content: seen.join(''), again: [...opened.value.chunks()].join('') };
    };
    expect(await open(parts)).toEqual({ ok: true, content, again: content });
    const long = ['\u{1F600}'.repeat(700_000)];
    const many = seal(long);
    expect(many.parts.length).toBeGreaterThan(1);
    expect(await open(many.parts, many.header)).toEqual({ ok: true, content: long[0], again: long[0] });
    expect((await open(many.parts.toReversed(), many.header)).ok).toBe(false);
    expect((await open(parts, { ...header, frontier: { ...frontier, another: 1 } })).ok).toBe(false);
    expect((await open(parts, { ...header, checkpointId: 'a'.repeat(64) })).ok).toBe(false);
    expect((await open(seal(['{}\n']).parts)).ok).toBe(false);
  });

  it('does not tell whether a device that was let go made it', async () => {
    const rotated = rotateKeys(ring, []);
    if (!rotated.ok) throw new Error(rotated.error.kind);
    const of = { deviceId: deviceIdOf(maker) as DeviceId, frontier, lines: [content] };
    for (const [by, epoch] of [
      [ring, 1],
      [rotated.value.ring, 2],
    ] as const) {
      const sealed = sealCheckpointOf(by, of);
      if (!sealed.ok) throw new Error(sealed.error);
      const { header, parts } = sealed.value;
      const relay = { checkpointPart: async (_id: string, index: number) => ({ ok: true, value: parts[index] ?? '' }) };
      const opened = await openCheckpoint(relay as unknown as Relay, header, {
        ring: rotated.value.ring,
        look: () => undefined,
      });
      expect(opened).toMatchObject({ ok: true, value: { epoch } });
    }
  });

  it('is laid over a record that has a part of what was condensed', async () => {
    const connection = connectionOf(other);
    const deviceId = deviceIdOf(maker) as DeviceId;
    writeJournalHead(connection.db, { deviceId, seq: 2, opId: 'x', time: { wallMs: 1, counter: 0 } });
    const before = foldHash(connection.db);
    expect(await take(other)).toMatchObject({ ok: false, error: expect.stringContaining('a part of what was') });
    expect(foldHash(connection.db)).toBe(before);
    expect(readAll(connection.db, 'SELECT 1 FROM compacted_runs')).toEqual([]);
  });

  it('leaves what came before an entry that is refused', async () => {
    const sound = read();
    if (!sound.ok) throw new Error(sound.error);
    // By this calendar every entry is from a day that has not come yet; the condensed run stands before them.
    const early = openStore(newFolder(), { ...steadyClock, read: () => ({ ...steadyClock.read(), wallMs: 0 }) });
    const { db } = connectionOf(early);
    const before = foldHash(db);
    const refused = must(await early.write((connection) => takeCheckpoint(connection, sound.value, [content])));
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining('not come yet') });
    for (const table of ['compacted_runs', 'runs', 'ops', 'journals', 'stale_groups'])
      expect(readAll(db, `SELECT 1 FROM ${table} LIMIT 1`), table).toEqual([]);
    expect(foldHash(db)).toBe(before);
    early.close();
  });

  it('is no help to a device that was away, or is taken over another story of the same journal', async () => {
    expect((await take(other)).ok).toBe(true);
    must(await other.write((connection) => projectStale(connection.db, 100)));
    const connection = connectionOf(maker);
    const { privateKey, publicKey } = newDeviceKey();
    change(connection.db, 'DELETE FROM signatures');
    must(await maker.write(({ journal }) => journal.append('agent.pause-requested', { agentId: null, by: 'x' })));
    const { journalSeq: seq, opId } = connection.journal.head;
    const deviceId = deviceIdOf(maker);
    const signature = signHead(privateKey, { deviceId, seq, opId });
    change(connection.db, 'INSERT INTO signatures VALUES (?,?,?,?)', deviceId, seq, opId, signature);
    const plan = planCheckpoint(connection, { limit: { [deviceId]: seq }, ownKey: publicKey });
    if (plan === null) throw new Error('No checkpoint can be made.');
    const text = [...checkpointLines(connection, plan)].join('');
    const later = read(text, plan.frontier);
    if (!later.ok) throw new Error(later.error);
    const again = () => other.write((within) => takeCheckpoint(within, later.value, [text]));
    expect(must(await again())).toMatchObject({ ok: false, error: expect.stringContaining('another key') });
    change(connectionOf(other).db, 'DELETE FROM journal_keys');
    const { db } = connectionOf(other);
    const head = readJournalHead(db, deviceId as DeviceId);
    writeJournalHead(db, { ...head, opId: 'another' });
    expect(must(await again())).toMatchObject({ ok: false, error: expect.stringContaining('does not continue') });
    writeJournalHead(db, head);
    expect(must(await again())).toEqual({ ok: true, value: { journals: 1, entries: 1 } });
    must(await other.write((within) => projectStale(within.db, 100)));
    expect(foldHash(db)).toBe(foldHash(connection.db));
  });
});
