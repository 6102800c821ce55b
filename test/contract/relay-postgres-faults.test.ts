import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresRelay } from '../../src/main/relays/postgres/postgres-relay.ts';
import { PostgresServer } from '../harness/postgres-server.ts';
import { throughPort, untilRow } from './postgres-bench.ts';
import type { PostgresPlace } from './postgres-bench.ts';
import { PostgresPooler } from './postgres-pooler.ts';
import { PostgresWire } from './postgres-wire.ts';
import { makeJournalPlace, PostgresRelayBench } from './relay-postgres-bench.ts';
import { ANNA, BEN, CLEO, codeOf, must, pullAll, sampleCheckpoint } from './relay-samples.ts';
import { sampleOperations, stateOf } from './relay-samples.ts';

const LINGERING = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`;
const DEVICES = [ANNA, BEN, CLEO];

let server: PostgresServer;
let place: PostgresPlace;
let bench: PostgresRelayBench;
let ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await PostgresServer.start();
  place = await makeJournalPlace(server);
});
afterAll(async () => {
  await server?.end();
});
beforeEach(() => {
  bench = new PostgresRelayBench(server, place);
  ends = [() => bench.close()];
});
afterEach(async () => {
  for (const end of ends.toReversed()) await end();
});

/** The same server, over a way on which questions and answers are lost. */
async function useWire(): Promise<PostgresWire> {
  const wire = await PostgresWire.start(server.port);
  ends.push(() => wire.close());
  return wire;
}

/** Whoever writes row `seq` of this table stays there until the test ends it. */
async function lingerAt(table: string, column: string, value: number): Promise<void> {
  await place.admin(`CREATE OR REPLACE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
    CREATE TRIGGER linger AFTER INSERT ON fencepost.${table} FOR EACH ROW
    WHEN (new.${column} = ${value}) EXECUTE FUNCTION linger()`);
  ends.push(async () => void (await place.admin(`DROP TRIGGER IF EXISTS linger ON fencepost.${table}`)));
}

describe('a push whose connection is lost', () => {
  it('in the middle of its rows keeps none of them, and goes through when it is repeated', async () => {
    const anna = await bench.open(ANNA);
    const all = sampleOperations(ANNA, [1, 50]);
    await lingerAt('relay_operations', 'seq', 30);
    const pushed = anna.push(all);
    await untilRow(place, LINGERING);
    expect(codeOf(await pushed)).toBe('relay-unreachable');
    await place.admin('DROP TRIGGER linger ON fencepost.relay_operations');
    expect((await stateOf(anna)).heads).toEqual({});
    expect((await pullAll(anna)).operations).toEqual([]);
    expect(must(await anna.push(all)).head).toBe(50);
  });

  it.each([
    ['before the question arrives', 'lose-question', {}],
    ['with the answer', 'lose-answer', { anna: 4 }],
  ] as const)('%s is an unknown outcome, and a repetition makes it certain', async (_when, fate, heads) => {
    const wire = await useWire();
    const anna = await bench.open(ANNA, throughPort(place.options, wire.port));
    wire.fateOf = (sql) => (sql.includes('relay_push') ? fate : 'pass');
    const all = sampleOperations(ANNA, [1, 4]);
    expect(codeOf(await anna.push(all))).toBe('relay-unreachable');
    wire.fateOf = () => 'pass';
    expect((await stateOf(anna)).heads).toEqual(heads);
    expect(must(await anna.push(all)).head).toBe(4);
    expect((await pullAll(anna)).operations).toEqual(all);
  });
});

describe('a checkpoint whose connection is lost', () => {
  const { header, parts } = sampleCheckpoint(ANNA, { anna: 3 }, { parts: 4, characters: 1_500_000 });

  it.each([
    ['between its parts', 'relay_add_parts'],
    ['before the last word', 'relay_finish_checkpoint'],
  ])('%s is not seen by anybody, and leaves nothing behind once it came whole', async (_when, question) => {
    const wire = await useWire();
    const anna = await bench.open(ANNA, throughPort(place.options, wire.port));
    let questions = 0;
    wire.fateOf = (sql) => {
      if (!sql.includes(question)) return 'pass';
      questions += 1;
      return question === 'relay_add_parts' && questions === 1 ? 'pass' : 'lose-question';
    };
    expect(codeOf(await anna.putCheckpoint(header, parts))).toBe('relay-unreachable');
    wire.fateOf = () => 'pass';
    expect(await stateOf(anna)).toMatchObject({ checkpoint: null, heads: {} });
    expect(codeOf(await anna.checkpointPart(header.checkpointId, 0))).toBe('relay-truncated');
    const kept = `SELECT count(*)::int AS parts FROM fencepost.relay_checkpoint_parts WHERE space_id = '${bench.spaceId}'`;
    const [torn] = await place.admin(kept);
    expect(torn?.['parts'], 'nothing was cut off').toBeGreaterThan(0);
    must(await anna.putCheckpoint(header, parts));
    must(await anna.collect());
    expect(await place.admin(kept)).toEqual([{ parts: 4 }]);
    expect(must(await anna.checkpointPart(header.checkpointId, 3)) === parts[3]).toBe(true);
  });

  it('for good does not fill the disk: its parts go when nothing has come for an hour', async () => {
    const wire = await useWire();
    const anna = await bench.open(ANNA, throughPort(place.options, wire.port));
    wire.fateOf = (sql) => (sql.includes('relay_finish') ? 'lose-question' : 'pass');
    expect(codeOf(await anna.putCheckpoint(header, parts))).toBe('relay-unreachable');
    const ben = await bench.open(BEN);
    const kept = `SELECT count(*)::int AS parts FROM fencepost.relay_checkpoint_parts WHERE space_id = '${bench.spaceId}'`;
    must(await ben.collect());
    expect(await place.admin(kept), 'it may still be on its way').toEqual([{ parts: 4 }]);
    await place.admin(`UPDATE fencepost.relay_checkpoints SET touched_at = touched_at - interval '61 minutes'`);
    must(await ben.collect());
    expect(await place.admin(kept)).toEqual([{ parts: 0 }]);
  });
});

it('a checkpoint that lacks a part is refused by the database itself', async () => {
  const { header } = sampleCheckpoint(ANNA, { anna: 3 });
  const upload = '00000000-0000-4000-8000-000000000000';
  const begin = `SELECT fencepost.relay_begin_checkpoint('${bench.spaceId}', '${upload}', 'anna',
    '${header.checkpointId}', '{"anna": 3}', 3)`;
  await place.admin(`${begin}; SELECT fencepost.relay_add_parts('${bench.spaceId}', '${upload}', 1, '{b,c}')`);
  const finish = `SELECT fencepost.relay_finish_checkpoint('${bench.spaceId}', '${upload}') AS is_newest`;
  await expect(place.admin(finish)).rejects.toThrow(/part of the checkpoint is missing/u);
  await place.admin(`SELECT fencepost.relay_add_parts('${bench.spaceId}', '${upload}', 0, '{a}')`);
  expect(await place.admin(finish)).toEqual([{ is_newest: true }]);
});

describe('two at once', () => {
  it('who make a checkpoint leave one of the two, whole', async () => {
    const relays = await Promise.all(DEVICES.map((device) => bench.open(device)));
    const made = DEVICES.map((device) => sampleCheckpoint(device, { anna: 2 }, { parts: 3 }));
    const put = await Promise.all(
      relays.map((relay, index) => relay.putCheckpoint(made[index]?.header ?? failed(), made[index]?.parts ?? [])),
    );
    for (const each of put) must(each);
    const { checkpoint } = await stateOf(relays[0] ?? failed());
    const newest = made.find(({ header }) => header.checkpointId === checkpoint?.checkpointId) ?? failed();
    for (const [index, part] of newest.parts.entries()) {
      expect(must(await (relays[1] ?? failed()).checkpointPart(newest.header.checkpointId, index))).toBe(part);
    }
  });

  it('do not block each other for good, whatever they do in whatever order', async () => {
    const rounds = DEVICES.map(async (device) => {
      const [relay, twin] = [await bench.open(device), await bench.open(device)];
      for (let round = 1; round <= 10; round++) {
        const upTo = { anna: round * 4, ben: round * 4, cleo: round * 4 };
        const { header, parts } = sampleCheckpoint(device, upTo);
        const own = sampleOperations(device, [round * 4 - 3, round * 4]);
        const answers = [relay.push(own), twin.push(own), relay.putCheckpoint(header, parts), twin.collect()];
        for (const answer of await Promise.all([...answers, relay.acknowledge(upTo), twin.contact()])) {
          must<unknown>(answer);
        }
      }
    });
    await Promise.all(rounds);
    expect((await stateOf(await bench.open(ANNA))).heads).toEqual({ anna: 40, ben: 40, cleo: 40 });
  });

  it('wait for each other in one journal only, and not for ever', async () => {
    const [anna, ben] = [await bench.open(ANNA), await bench.open(BEN)];
    must(await anna.push(sampleOperations(ANNA, [1, 1])));
    const holder = await server.connect(place.database);
    ends.push(() => holder.end());
    await holder.query(`BEGIN; SELECT FROM fencepost.relay_journals WHERE space_id = '${bench.spaceId}' FOR UPDATE`);
    expect(must(await ben.push(sampleOperations(BEN, [1, 2]))).head).toBe(2);
    expect(must(await anna.pull({})).operations).toHaveLength(3);
    const waited = await anna.push(sampleOperations(ANNA, [2, 2]));
    expect(waited).toMatchObject({
      error: { code: 'relay-unreachable', message: expect.stringMatching(/busy/u) as string },
    });
    await holder.query('ROLLBACK');
    expect(must(await anna.push(sampleOperations(ANNA, [2, 2]))).head).toBe(2);
  });
});

describe('the way to the server', () => {
  it('may be a pooler that hands every transaction to another connection', async () => {
    const pooler = await PostgresPooler.start(place.options, 2);
    ends.push(() => pooler.close());
    const options = throughPort(place.options, pooler.port);
    const [anna, ben] = [await bench.open(ANNA, options), await bench.open(BEN, options)];
    const all = sampleOperations(ANNA, [1, 20]);
    await Promise.all([anna.contact(), ben.contact(), anna.push(all), ben.push(sampleOperations(BEN, [1, 5]))]);
    expect((await pullAll(ben, { ben: 5 })).operations).toEqual(all);
    const { header, parts } = sampleCheckpoint(ANNA, { anna: 10 }, { parts: 3 });
    must(await anna.putCheckpoint(header, parts));
    expect(must(await ben.checkpointPart(header.checkpointId, 2))).toBe(parts[2]);
    for (const transactions of pooler.transactions) expect(transactions).toBeGreaterThan(2);
  });

  it('may end and begin again, and what stands in the way has a sentence', async () => {
    const anna = await bench.open(ANNA);
    must(await anna.push(sampleOperations(ANNA, [1, 3])));
    await server.stop();
    expect(codeOf(await anna.push(sampleOperations(ANNA, [4, 4])))).toBe('relay-unreachable');
    expect(codeOf(await anna.pull({}))).toBe('relay-unreachable');
    expect(codeOf(await openPostgresRelay(place.options, { spaceId: 'x', deviceId: ANNA }))).toBe('relay-unreachable');
    await server.begin();
    expect(must(await anna.push(sampleOperations(ANNA, [4, 4]))).head).toBe(4);
  });

  it('that swallows an answer is not waited for without end', async () => {
    const wire = await useWire();
    const anna = await bench.open(ANNA, throughPort(place.options, wire.port));
    wire.fateOf = (sql) => (sql.includes('relay_contact') ? 'silence' : 'pass');
    const startMs = performance.now();
    expect(codeOf(await anna.contact())).toBe('relay-unreachable');
    expect(performance.now() - startMs).toBeLessThan(15_000);
  });
});

function failed(): never {
  throw new Error('It is not there.');
}
