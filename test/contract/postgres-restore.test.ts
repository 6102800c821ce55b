import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LeaseCoordinator } from '../../src/main/coordinators/lease-coordinator.ts';
import { testPostgres } from '../../src/main/coordinators/postgres/check-postgres.ts';
import { openPostgresCoordinator } from '../../src/main/coordinators/postgres/postgres-coordinator.ts';
import { confirmRestore } from '../../src/main/coordinators/postgres/postgres-install.ts';
import type { PostgresOptions } from '../../src/main/coordinators/postgres/postgres-options.ts';
import { PostgresServer } from '../harness/postgres-server.ts';
import { AGENT, ANNA, BEN, TTL_MS } from './coordinator-bench.ts';
import { makePlace, throughPort } from './postgres-bench.ts';
import type { PostgresPlace } from './postgres-bench.ts';
import { PostgresWire } from './postgres-wire.ts';
import { must } from './sqlite-benches.ts';

const ACQUIRE = { verb: 'acquire', deviceId: ANNA, nonce: 'mine', ttlMs: TTL_MS } as const;
const THEFT = { ...ACQUIRE, deviceId: BEN, nonce: 'his' } as const;
const WENT_BACK = { ok: false, error: { code: 'register-went-back' } };

let primary: PostgresServer;
let place: PostgresPlace;
let ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  primary = await PostgresServer.start();
});
afterAll(async () => {
  await primary?.end();
});
beforeEach(async () => {
  ends = [];
  place = await makePlace(primary);
});
afterEach(async () => {
  for (const end of ends.toReversed()) await end();
});

async function useServer(starting: Promise<PostgresServer>): Promise<PostgresServer> {
  const server = await starting;
  ends.push(() => server.end());
  return server;
}

async function open(options: PostgresOptions): Promise<LeaseCoordinator> {
  const coordinator = must(await openPostgresCoordinator(options));
  ends.push(() => coordinator.close());
  return coordinator;
}

/** A copy of the primary as it is, which follows nobody; the primary goes on afterwards. */
async function makeStandby(): Promise<{ readonly standby: PostgresServer; readonly options: PostgresOptions }> {
  await primary.stop();
  const standby = await useServer(PostgresServer.start({ copyOf: primary, isStandby: true }));
  await primary.begin();
  return { standby, options: throughPort(place.options, standby.port) };
}

async function promote(standby: PostgresServer): Promise<void> {
  expect(await standby.query('SELECT pg_promote()')).toEqual([{ pg_promote: true }]);
}

describe('a standby', () => {
  it('is not asked, since what it says may be old, and this is said', async () => {
    const { options } = await makeStandby();
    const opened = await openPostgresCoordinator(options);
    expect(opened).toMatchObject({ ok: false, error: { code: 'register-unreachable' } });
    expect(opened).toMatchObject({ error: { message: expect.stringContaining('it is a standby') as string } });
    const checks = await testPostgres(options);
    expect(checks.filter(({ state }) => state === 'failed').map(({ id }) => id)).toEqual(['primary']);
    // A pooler may lead a coordinator to it that was opened on the primary.
    const { lead, coordinator } = await useFailover();
    await lead(options.address.port);
    expect(await coordinator.ask(AGENT, ACQUIRE)).toMatchObject({ ok: false, error: { code: 'register-unreachable' } });
    expect(await coordinator.current(AGENT)).toMatchObject({ ok: false, error: { code: 'register-unreachable' } });
  });
});

interface Failover {
  readonly coordinator: LeaseCoordinator;
  /** Cuts what there is and leads to the server at this port from then on; resolves when the coordinator has noticed. */
  readonly lead: (port: number) => Promise<void>;
}

/** An address behind which the server can be changed, as a name, a virtual address or a pooler is. */
async function useFailover(options = place.options): Promise<Failover> {
  const wire = await PostgresWire.start(options.address.port);
  ends.push(() => wire.close());
  const coordinator = await open(throughPort(options, wire.port));
  const lead = async (port: number): Promise<void> => {
    wire.targetPort = port;
    wire.cut();
    await coordinator.current(AGENT);
  };
  return { coordinator, lead };
}

describe('a failover', () => {
  // sorintlab/stolon#514
  it('to a standby that lacks the last grant is refused until a person confirmed it, and has another life then', async () => {
    const { standby, options } = await makeStandby();
    const { lead, coordinator } = await useFailover();
    must(await coordinator.ask(AGENT, ACQUIRE));
    await promote(standby);
    await lead(standby.port);
    // Every verb, every look, at each connection, and whoever begins anew.
    for (let each = 0; each < 3; each += 1) {
      expect(await coordinator.ask(AGENT, THEFT)).toMatchObject(WENT_BACK);
      expect(await coordinator.current(AGENT)).toMatchObject(WENT_BACK);
    }
    expect(await openPostgresCoordinator(options)).toMatchObject(WENT_BACK);
    const failed = (await testPostgres(options)).filter(({ state }) => state === 'failed');
    expect(failed.map(({ id }) => id)).toEqual(['timeline']);
    expect(await standby.query('SELECT * FROM fencepost.register', place.database), 'nothing was written').toEqual([]);

    must(await confirmRestore(options));
    expect(await coordinator.ask(AGENT, THEFT), 'a host that is running has to begin anew').toMatchObject(WENT_BACK);
    const again = await open(options);
    expect(again.identity.coordinatorId).toBe(coordinator.identity.coordinatorId);
    expect(again.identity.incarnation).not.toBe(coordinator.identity.incarnation);
    expect(must(await again.ask(AGENT, THEFT)).reply).toMatchObject({ kind: 'granted', epoch: 1 });
    must(await confirmRestore(options));
    expect(must(await again.current(AGENT)).epoch, 'confirming twice makes no second life').toBe(1);
  });

  it('does not let the old primary go on with those who have followed it', async () => {
    const { standby, options } = await makeStandby();
    const old = await open(place.options);
    must(await old.ask(AGENT, ACQUIRE));
    await promote(standby);
    must(await confirmRestore(options));
    const { coordinator: followed, lead } = await useFailover(options);
    must(await followed.ask(AGENT, THEFT));
    await lead(primary.port);
    expect(await followed.ask(AGENT, THEFT)).toMatchObject(WENT_BACK);
    expect(await followed.current(AGENT)).toMatchObject(WENT_BACK);
  });

  it('is noticed at once, and still after a checkpoint and another start', async () => {
    const { standby, options } = await makeStandby();
    await promote(standby);
    const opened = await openPostgresCoordinator(options);
    expect(opened).toMatchObject(WENT_BACK);
    await standby.query('CHECKPOINT');
    await standby.restart();
    expect(await openPostgresCoordinator(options)).toMatchObject(WENT_BACK);
  });
});

describe('a copy', () => {
  it('on another server is refused, even where its history has the same number', async () => {
    await place.admin('UPDATE fencepost.meta SET system_identifier = system_identifier + 1');
    expect(await openPostgresCoordinator(place.options)).toMatchObject(WENT_BACK);
    must(await confirmRestore(place.options));
    must(await openPostgresCoordinator(place.options));
  });

  it('of an earlier day in the same place shows a lower epoch, which is what the high-water mark is for', async () => {
    await primary.stop();
    const earlier = await useServer(PostgresServer.start({ copyOf: primary }));
    await primary.begin();
    const { lead, coordinator } = await useFailover();
    must(await coordinator.ask(AGENT, ACQUIRE));
    await lead(earlier.port);
    const { epoch } = must(await coordinator.current(AGENT));
    expect(epoch, 'the server cannot know; the device that has seen epoch 1 does').toBe(0);
  });
});
