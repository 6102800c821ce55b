import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LeaseCoordinator } from '../../src/main/coordinators/lease-coordinator.ts';
import { openPostgresCoordinator } from '../../src/main/coordinators/postgres/postgres-coordinator.ts';
import type { PostgresOptions } from '../../src/main/coordinators/postgres/postgres-options.ts';
import { SEND_WINDOW_MS } from '../../src/shared/core/lease/lease.ts';
import { PostgresServer } from '../harness/postgres-server.ts';
import { AGENT, agentId, ANNA, BEN, TTL_MS } from './coordinator-bench.ts';
import { makePlace, throughPort, untilRow } from './postgres-bench.ts';
import type { PostgresPlace } from './postgres-bench.ts';
import { PostgresWire } from './postgres-wire.ts';
import { must } from './sqlite-benches.ts';

const ACQUIRE = { verb: 'acquire', deviceId: ANNA, nonce: 'mine', ttlMs: TTL_MS } as const;
const NO_ANSWER = { ok: false, error: { code: 'register-unreachable' } };
const WAITS_FOR_LOCK = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

let server: PostgresServer;
let place: PostgresPlace;
let ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(async () => {
  await server?.end();
});
beforeEach(async () => {
  ends = [];
  place = await makePlace(server);
});
afterEach(async () => {
  for (const end of ends.toReversed()) await end();
});

async function open(options: PostgresOptions = place.options): Promise<LeaseCoordinator> {
  const coordinator = must(await openPostgresCoordinator(options));
  ends.push(() => coordinator.close());
  return coordinator;
}

async function useWire(): Promise<{ readonly wire: PostgresWire; readonly coordinator: LeaseCoordinator }> {
  const wire = await PostgresWire.start(server.port);
  ends.push(() => wire.close());
  return { wire, coordinator: await open(throughPort(place.options, wire.port)) };
}

describe('a wait for the row', () => {
  it('is not left out of the time: a renewal that waited past the end of the lease is refused', async () => {
    const coordinator = await open();
    const naive = agentId('naive');
    for (const agent of [AGENT, naive]) must(await coordinator.ask(agent, { ...ACQUIRE, ttlMs: 700 }));
    const holder = await server.connect(place.database);
    const single = await server.connect(place.database);
    ends.push(
      () => holder.end(),
      () => single.end(),
    );
    await holder.query('BEGIN; SELECT * FROM fencepost.register FOR UPDATE');
    const renewal = coordinator.ask(AGENT, { verb: 'renew', deviceId: ANNA, epoch: 1, nonce: 'mine' });
    const update = single.query(`UPDATE fencepost.register SET expires_at = clock_timestamp() + interval '15 s'
      WHERE agent_id = 'naive' AND expires_at > clock_timestamp()`);
    await untilRow(place, `SELECT 1 FROM (${WAITS_FOR_LOCK}) AS waiting HAVING count(*) = 2`);
    await untilRow(place, 'SELECT 1 FROM fencepost.register HAVING bool_and(expires_at < clock_timestamp())');
    await holder.query('ROLLBACK');
    expect((await update).rowCount, 'one statement looks at the clock before it waits, and renews a dead lease').toBe(
      1,
    );
    expect(must(await renewal)).toMatchObject({ reply: { kind: 'lost' }, view: { remainingMs: 0 } });
  });

  it('is not left out by a look, even at an agent whose first grant is on its way', async () => {
    const { wire, coordinator } = await useWire();
    const other = await open();
    const granting = Promise.withResolvers<null>();
    wire.fateOf = (sql) => {
      if (sql.startsWith('UPDATE')) granting.resolve(null);
      return sql.startsWith('UPDATE') ? 'hold' : 'pass';
    };
    const silent = coordinator.ask(AGENT, ACQUIRE);
    await granting.promise;
    let isAnswered = false;
    const look = other.current(AGENT).finally(() => (isAnswered = true));
    await untilRow(place, WAITS_FOR_LOCK);
    expect(isAnswered).toBe(false);
    expect(must(await look).epoch, 'the server gave the silent device up').toBe(0);
    await silent;
  });

  it('ends with no answer, and below the send window, when the row is held for good', async () => {
    const coordinator = await open();
    must(await coordinator.ask(AGENT, ACQUIRE));
    const holder = await server.connect(place.database);
    ends.push(() => holder.end());
    await holder.query('BEGIN; SELECT * FROM fencepost.register FOR UPDATE');
    const startMs = performance.now();
    const answers = await Promise.all([coordinator.ask(AGENT, ACQUIRE), coordinator.current(AGENT)]);
    expect(performance.now() - startMs).toBeLessThan(SEND_WINDOW_MS);
    for (const answer of answers) expect(answer).toMatchObject(NO_ANSWER);
    await holder.query('ROLLBACK');
    expect(must(await coordinator.current(AGENT)).epoch).toBe(1);
  });
});

describe('a clock of the server that is set back', () => {
  it('does not bring a lease back to life that somebody was told has run out', async () => {
    const coordinator = await open();
    must(await coordinator.ask(AGENT, ACQUIRE));
    // As if it had gone an hour ahead when somebody looked, and had been set right since.
    await place.admin(`UPDATE fencepost.register SET clock_high_water = clock_timestamp() + interval '1 hour'`);
    expect(must(await coordinator.current(AGENT)).remainingMs).toBe(0);
    const renewal = { verb: 'renew', deviceId: ANNA, epoch: 1, nonce: 'mine' } as const;
    expect(must(await coordinator.ask(AGENT, renewal)).reply.kind).toBe('lost');
    const theft = { ...ACQUIRE, deviceId: BEN, nonce: 'his' };
    expect(must(await coordinator.ask(AGENT, theft)).reply).toMatchObject({ kind: 'granted', epoch: 2, holdOff: true });
    expect(must(await coordinator.current(AGENT)).remainingMs, 'late, not early').toBe(TTL_MS);
  });

  it('is remembered by a mere look as well', async () => {
    const coordinator = await open();
    must(await coordinator.ask(AGENT, ACQUIRE));
    const [before] = await place.admin('SELECT clock_high_water::text AS seen FROM fencepost.register');
    must(await coordinator.current(AGENT));
    const sql = `SELECT clock_high_water > '${String(before?.['seen'])}' AS is_later FROM fencepost.register`;
    expect(await place.admin(sql)).toEqual([{ is_later: true }]);
  });
});

describe('a connection that is lost', () => {
  const isLock = (sql: string): boolean => sql.includes('lock_agent');
  const isSave = (sql: string): boolean => sql.startsWith('UPDATE');
  it.each([
    ['before the question arrives', isLock, 'lose-question', 0],
    ['with the answer to the lock', isLock, 'lose-answer', 0],
    ['before the decision arrives', isSave, 'lose-question', 0],
    ['with the answer to the commit', isSave, 'lose-answer', 1],
  ] as const)('%s is an unknown outcome, and a look at the nonce tells', async (_when, isMeant, fate, epoch) => {
    const { wire, coordinator } = await useWire();
    wire.fateOf = (sql) => (isMeant(sql) ? fate : 'pass');
    expect(await coordinator.ask(AGENT, ACQUIRE)).toMatchObject(NO_ANSWER);
    wire.fateOf = () => 'pass';
    const view = must(await coordinator.current(AGENT));
    expect(view.lease?.nonce ?? null).toBe(epoch === 1 ? 'mine' : null);
    const again = must(await coordinator.ask(AGENT, ACQUIRE)).reply;
    expect(again).toEqual({ kind: 'granted', epoch: 1, holdOff: false, isReplay: epoch === 1 });
  });

  it('between the update and the commit is one, too, and leaves nothing', async () => {
    const coordinator = await open();
    await place.admin(`CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
      CREATE TRIGGER linger AFTER UPDATE ON fencepost.register FOR EACH ROW EXECUTE FUNCTION linger()`);
    const asked = coordinator.ask(AGENT, ACQUIRE);
    await untilRow(place, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`);
    expect(await asked).toMatchObject(NO_ANSWER);
    await place.admin('DROP TRIGGER linger ON fencepost.register');
    expect(must(await coordinator.current(AGENT)).epoch).toBe(0);
  });

  it('while the commit waits for a standby is one, even if the server then says that it is done', async () => {
    await server.query(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'; `);
    await server.query('SELECT pg_reload_conf()');
    ends.push(async () => {
      await server.query('ALTER SYSTEM RESET synchronous_standby_names');
      await server.query('SELECT pg_reload_conf()');
    });
    const coordinator = await open();
    const asked = coordinator.ask(AGENT, ACQUIRE);
    await untilRow(place, `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
    expect(await asked).toMatchObject(NO_ANSWER);
  });

  it('does not keep a row from the others: a device that falls silent in the middle is given up by the server', async () => {
    const { wire, coordinator } = await useWire();
    const other = await open();
    const held = Promise.withResolvers<null>();
    wire.fateOf = (sql) => {
      if (isSave(sql)) held.resolve(null);
      return isSave(sql) ? 'hold' : 'pass';
    };
    const silent = coordinator.ask(AGENT, ACQUIRE);
    await held.promise;
    const theft = { ...ACQUIRE, deviceId: BEN, nonce: 'his' };
    expect(must(await other.ask(AGENT, theft)).reply).toMatchObject({ kind: 'granted', epoch: 1 });
    expect(await silent).toMatchObject(NO_ANSWER);
  });
});

describe('a server that', () => {
  it.each(['ends and begins again', 'is killed and begins again'])(
    '%s is asked again, and has kept all',
    async (how) => {
      const coordinator = await open();
      // A busy disk takes its time to end a server, and none of that may be the end of the lease.
      const asked = { ...ACQUIRE, ttlMs: 10 * TTL_MS };
      must(await coordinator.ask(AGENT, asked));
      if (how.includes('killed')) await server.kill();
      else await server.stop();
      expect(await coordinator.ask(AGENT, asked)).toMatchObject(NO_ANSWER);
      expect(await openPostgresCoordinator(place.options)).toMatchObject(NO_ANSWER);
      await server.begin();
      const again = must(await coordinator.ask(AGENT, asked));
      expect(again.reply).toMatchObject({ kind: 'granted', epoch: 1, isReplay: true });
      expect(again.view.remainingMs).toBeGreaterThan(0);
    },
  );

  it.runIf(process.platform !== 'win32')(
    'is frozen gives no answer, and this is said below the send window',
    async () => {
      const coordinator = await open();
      must(await coordinator.ask(AGENT, ACQUIRE));
      await server.freeze();
      try {
        const startMs = performance.now();
        const verbs = Array.from({ length: 20 }, () => coordinator.ask(AGENT, ACQUIRE));
        const answers = await Promise.all([
          ...verbs,
          coordinator.current(AGENT),
          openPostgresCoordinator(place.options),
        ]);
        await coordinator.close();
        expect(performance.now() - startMs).toBeLessThan(SEND_WINDOW_MS + 500);
        for (const answer of answers) expect(answer).toMatchObject(NO_ANSWER);
      } finally {
        await server.thaw();
      }
      expect(must(await (await open()).current(AGENT)).epoch).toBe(1);
    },
  );

  it('swallows the answer to a commit is not waited for, and is not asked again by itself', async () => {
    const { wire, coordinator } = await useWire();
    let questions = 0;
    wire.fateOf = () => {
      questions += 1;
      return questions === 2 ? 'silence' : 'pass';
    };
    const startMs = performance.now();
    expect(await coordinator.ask(AGENT, ACQUIRE)).toMatchObject(NO_ANSWER);
    expect(performance.now() - startMs).toBeLessThan(SEND_WINDOW_MS);
    expect(questions).toBe(2);
    expect(must(await coordinator.current(AGENT)).lease?.nonce, 'it had been kept').toBe('mine');
  });
});
