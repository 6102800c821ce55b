import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresCoordinator } from '../../src/main/coordinators/postgres/postgres-coordinator.ts';
import { openPostgresRelay } from '../../src/main/relays/postgres/postgres-relay.ts';
import { installPostgresRelay } from '../../src/main/relays/postgres/relay-install.ts';
import { POSTGRES_RELAY_SQL } from '../../src/main/relays/postgres/relay-schema.ts';
import type { Relay } from '../../src/main/relays/relay.ts';
import { PostgresServer } from '../harness/postgres-server.ts';
import { makePlace, ownerOptions, throughPort } from './postgres-bench.ts';
import type { PostgresPlace } from './postgres-bench.ts';
import { makeJournalPlace } from './relay-postgres-bench.ts';
import { ANNA, BEN, codeOf, must, pullAll, pushAll, sampleCheckpoint } from './relay-samples.ts';
import { sampleOperations, stateOf } from './relay-samples.ts';

const HOME = { spaceId: 'home', deviceId: ANNA };
const NO_ANSWER = { ok: false, error: { code: 'relay-unreachable' } };

let server: PostgresServer;
let place: PostgresPlace;
let anna: Relay;
const relays: Relay[] = [];
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(async () => {
  await server?.end();
});
afterEach(async () => {
  for (const relay of relays.splice(0)) await relay.close();
});

async function open(spaceId: string): Promise<Relay> {
  const relay = must(await openPostgresRelay(place.options, { ...HOME, spaceId }));
  relays.push(relay);
  return relay;
}

async function usePlace(): Promise<void> {
  place = await makeJournalPlace(server);
  anna = await open(HOME.spaceId);
}

describe('installing the journals', () => {
  it('does what the published migration says, word for word', () => {
    const file = new URL('../../src/main/relays/postgres/migrations/0020-journals.sql', import.meta.url);
    expect(POSTGRES_RELAY_SQL).toBe(readFileSync(file, 'utf8'));
  });

  it('is asked for where there is a register alone, and is not done by the way', async () => {
    const bare = await makePlace(server);
    const opened = await openPostgresRelay(bare.options, HOME);
    expect(opened).toMatchObject({ error: { message: expect.stringMatching(/holds no journals/u) as string } });
    const installed = await installPostgresRelay(bare.options);
    expect(installed, 'a device’s role can install nothing').toMatchObject(NO_ANSWER);
    must(await installPostgresRelay(ownerOptions(server, bare.database)));
    await must(await openPostgresRelay(bare.options, HOME)).close();
  });

  it('brings the register along, so that a register installed later is not taken for one that is there', async () => {
    const owner = ownerOptions(server, await server.createDatabase());
    expect(await openPostgresRelay(owner, HOME)).toMatchObject(NO_ANSWER);
    must(await installPostgresRelay(owner));
    await must(await openPostgresCoordinator(owner)).close();
    await must(await openPostgresRelay(owner, HOME)).close();
  });

  it('keeps what is there, however often and by however many at once it is asked for', async () => {
    const owner = ownerOptions(server, await server.createDatabase());
    for (const installed of await Promise.all([1, 2, 3].map(() => installPostgresRelay(owner)))) must(installed);
    const relay = must(await openPostgresRelay(owner, HOME));
    await pushAll(relay, sampleOperations(ANNA, [1, 3]));
    must(await installPostgresRelay(owner));
    expect((await pullAll(relay)).operations).toHaveLength(3);
    await relay.close();
  });
});

describe('a device’s role', () => {
  beforeEach(usePlace);

  it('touches no table by itself, and makes and changes nothing', async () => {
    await pushAll(anna, sampleOperations(ANNA, [1, 3]));
    const { user } = place.options.address;
    for (const sql of [
      'SELECT * FROM fencepost.relay_operations',
      'DELETE FROM fencepost.relay_operations',
      'TRUNCATE fencepost.relay_operations',
      'DROP TABLE fencepost.relay_operations CASCADE',
      `UPDATE fencepost.relay_operations SET box = 'other'`,
      'UPDATE fencepost.relay_journals SET head = 0',
      'DELETE FROM fencepost.relay_members',
      `UPDATE fencepost.relay_checkpoints SET state = 'newest'`,
      'DELETE FROM fencepost.relay_checkpoint_parts',
      'UPDATE fencepost.relay_meta SET schema_version = 1',
      'DROP FUNCTION fencepost.relay_let_go(text, text)',
      'CREATE TABLE fencepost.relay_other ()',
    ]) {
      const tried = place.admin(`SET ROLE ${user}; ${sql}`);
      await expect(tried, sql).rejects.toThrow(/permission denied|must be owner/u);
    }
    expect((await pullAll(anna)).operations).toHaveLength(3);
  });

  it('is one of a few: a stranger calls nothing', async () => {
    await place.admin('CREATE ROLE passer_by LOGIN');
    const calls = await place.admin(`SELECT p.oid::regprocedure::text AS call FROM pg_proc AS p
      WHERE pronamespace = 'fencepost'::regnamespace AND has_function_privilege('passer_by', p.oid, 'EXECUTE')`);
    expect(calls).toEqual([]);
    const looking = place.admin(`SET ROLE passer_by; SELECT fencepost.relay_contact('home', 'anna')`);
    await expect(looking).rejects.toThrow(/permission denied/u);
  });

  it('that may do nothing yet is told what is missing', async () => {
    await place.admin(`CREATE ROLE newcomer LOGIN PASSWORD '${place.options.password ?? ''}'`);
    const address = { ...place.options.address, user: 'newcomer' };
    const opened = await openPostgresRelay({ ...place.options, address }, HOME);
    expect(opened).toMatchObject({ error: { wayOut: expect.stringMatching(/GRANT fencepost_app/u) as string } });
    expect(JSON.stringify(opened)).not.toContain(place.options.password);
  });
});

describe('journals that are not as they should be', () => {
  beforeEach(async () => {
    await usePlace();
    must(await anna.contact());
    await pushAll(anna, sampleOperations(ANNA, [1, 5]));
  });

  it('are not used where they are of another version', async () => {
    await place.admin('UPDATE fencepost.relay_meta SET schema_version = 30');
    expect(await anna.contact()).toMatchObject({ error: { message: expect.stringMatching(/version 30/u) as string } });
    expect(await openPostgresRelay(place.options, HOME)).toMatchObject(NO_ANSWER);
  });

  it.each([
    ['lack one in the middle', 'DELETE FROM fencepost.relay_operations WHERE seq = 3'],
    ['lack the first', 'DELETE FROM fencepost.relay_operations WHERE seq = 1'],
    ['lack all', 'DELETE FROM fencepost.relay_operations'],
    ['hold a box that is none', `UPDATE fencepost.relay_operations SET box = 'no box!' WHERE seq = 2`],
    ['hold an empty box', `UPDATE fencepost.relay_operations SET box = '' WHERE seq = 2`],
    [
      'hold a time beyond all numbers',
      'UPDATE fencepost.relay_operations SET wall_ms = 9007199254740993 WHERE seq = 2',
    ],
    [
      'name a device as none is called',
      `UPDATE fencepost.relay_operations SET device_id = E'a\\tb';
      UPDATE fencepost.relay_journals SET device_id = E'a\\tb'`,
    ],
  ])('and %s are said to be damaged, and nothing of that page is given out', async (_what, change) => {
    await place.admin(change);
    const pulled = await anna.pull({});
    expect(pulled).toMatchObject({
      ...NO_ANSWER,
      error: { wayOut: expect.stringMatching(/changed its tables/u) as string },
    });
  });

  it.each([
    ['a member', `UPDATE fencepost.relay_members SET acknowledged = '"nonsense"'`],
    ['a number of a member', `UPDATE fencepost.relay_members SET acknowledged = '{"anna": -1}'`],
    ['a checkpoint’s frontier', `UPDATE fencepost.relay_checkpoints SET frontier = '{"anna": "much"}'`],
    ['a checkpoint’s name', `UPDATE fencepost.relay_checkpoints SET checkpoint_id = '../x'`],
  ])(
    'and where %s is nonsense, every answer is a problem or right, and operations still come',
    async (_what, change) => {
      const { header, parts } = sampleCheckpoint(ANNA, { anna: 2 });
      must(await anna.putCheckpoint(header, parts));
      await place.admin(change);
      expect(codeOf(await anna.contact())).toBe('relay-unreachable');
      const answers = [
        await anna.acknowledge({ anna: 5 }),
        await anna.putCheckpoint(header, parts),
        await anna.collect(),
      ];
      for (const answer of answers) expect([null, 'relay-unreachable']).toContain(codeOf(answer));
      expect(must(await anna.pull({ anna: 2 })).operations).toEqual(sampleOperations(ANNA, [3, 5]));
    },
  );

  it('and have lost entries are made whole again by what the guide for administrators says', async () => {
    await place.admin('DELETE FROM fencepost.relay_operations WHERE seq IN (3, 5)');
    await place.admin(`DELETE FROM fencepost.relay_operations WHERE space_id = 'home' AND device_id = 'anna' AND seq >= 3;
      UPDATE fencepost.relay_journals SET head = 3 - 1 WHERE space_id = 'home' AND device_id = 'anna'`);
    expect((await stateOf(anna)).heads).toEqual({ anna: 2 });
    await pushAll(anna, sampleOperations(ANNA, [3, 6]));
    expect((await pullAll(anna)).operations).toEqual(sampleOperations(ANNA, [1, 6]));
  });

  it('take nothing more when the disk is full, and say just that', async () => {
    await place.admin(`CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER fill BEFORE INSERT ON fencepost.relay_operations FOR EACH ROW WHEN (new.seq = 8) EXECUTE FUNCTION fill()`);
    expect(codeOf(await anna.push(sampleOperations(ANNA, [6, 9])))).toBe('relay-full');
    expect((await stateOf(anna)).heads).toEqual({ anna: 5 });
  });

  it('are never asked on a standby, whose answers may be old, even where it is met by the way', async () => {
    await server.stop();
    const standby = await PostgresServer.start({ copyOf: server, isStandby: true });
    try {
      await server.begin();
      const opened = await openPostgresRelay(throughPort(place.options, standby.port), HOME);
      expect(opened).toMatchObject({ error: { message: expect.stringMatching(/standby/u) as string } });
      const reading = `SELECT * FROM fencepost.relay_pull('home', '{}', 10, 1000)`;
      await expect(standby.query(reading, place.database)).rejects.toThrow(/standby/u);
    } finally {
      await standby.end();
    }
  });
});

it('keeps people apart who share a database, even where their devices are called the same', async () => {
  await usePlace();
  const other = await open('office');
  await pushAll(anna, sampleOperations(ANNA, [1, 4]));
  const theirs = sampleOperations(ANNA, [1, 2], { variant: 'office' });
  await pushAll(other, theirs);
  must(await anna.acknowledge({ anna: 4 }));
  const { header, parts } = sampleCheckpoint(ANNA, { anna: 4 });
  must(await anna.putCheckpoint(header, parts));
  must(await anna.letGo(BEN));
  expect(must(await anna.collect()).dropped).toBe(4);
  expect(must(await other.collect()).dropped).toBe(0);
  expect((await pullAll(other)).operations).toEqual(theirs);
  expect(codeOf(await other.checkpointPart(header.checkpointId, 0))).toBe('relay-truncated');
  expect(await stateOf(other)).toMatchObject({ heads: { anna: 2 }, checkpoint: null, members: [{ acknowledged: {} }] });
});
