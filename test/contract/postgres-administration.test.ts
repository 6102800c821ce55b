import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testPostgres } from '../../src/main/coordinators/postgres/check-postgres.ts';
import { openPostgresCoordinator } from '../../src/main/coordinators/postgres/postgres-coordinator.ts';
import { installPostgresRegister } from '../../src/main/coordinators/postgres/postgres-install.ts';
import type { PostgresOptions } from '../../src/main/coordinators/postgres/postgres-options.ts';
import { POSTGRES_REGISTER_SQL } from '../../src/main/coordinators/postgres/register-schema.ts';
import { LOOPBACK_CERTIFICATE } from '../harness/loopback-certificate.ts';
import { PostgresServer } from '../harness/postgres-server.ts';
import { AGENT, agentId, ANNA, TTL_MS } from './coordinator-bench.ts';
import { makePlace, ownerOptions } from './postgres-bench.ts';
import { must } from './sqlite-benches.ts';

const ACQUIRE = { verb: 'acquire', deviceId: ANNA, nonce: 'mine', ttlMs: TTL_MS } as const;
const VERIFIED = { kind: 'verified', caPem: LOOPBACK_CERTIFICATE.cert, client: null } as const;

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start({ tls: true });
});
afterAll(async () => {
  await server?.end();
});

describe('installing', () => {
  it('does what the published migration says, word for word', () => {
    const file = new URL('../../src/main/coordinators/postgres/migrations/0010-register.sql', import.meta.url);
    expect(POSTGRES_REGISTER_SQL).toBe(readFileSync(file, 'utf8'));
  });

  it('is asked for where there is no register, and is not done by the way', async () => {
    const owner = ownerOptions(server, await server.createDatabase());
    expect(await openPostgresCoordinator(owner)).toMatchObject({
      ok: false,
      error: { code: 'register-not-installed' },
    });
    expect(await failuresOf(owner)).toEqual([['schema', 'This database holds no register of Fencepost yet.']]);
    must(await installPostgresRegister(owner));
    must(await openPostgresCoordinator(owner));
  });

  it('makes one register, however often and by however many at once it is asked for', async () => {
    const owner = ownerOptions(server, await server.createDatabase());
    for (const installed of await Promise.all([1, 2, 3].map(() => installPostgresRegister(owner)))) must(installed);
    const { identity } = must(await openPostgresCoordinator(owner));
    must(await installPostgresRegister(owner));
    expect(must(await openPostgresCoordinator(owner)).identity).toEqual(identity);
  });

  it('works for an owner that may make no roles', async () => {
    const database = await server.createDatabase();
    await server.query(`CREATE ROLE modest LOGIN PASSWORD 'modest'; GRANT CREATE ON DATABASE ${database} TO modest`);
    const owner = ownerOptions(server, database);
    const modest = { ...owner, address: { ...owner.address, user: 'modest' }, password: 'modest' };
    must(await installPostgresRegister(modest));
    const coordinator = must(await openPostgresCoordinator(modest));
    expect(must(await coordinator.ask(AGENT, ACQUIRE)).reply.kind).toBe('granted');
    await coordinator.close();
  });

  it('is not touched by a Fencepost of another version', async () => {
    const place = await makePlace(server);
    const coordinator = must(await openPostgresCoordinator(place.options));
    await place.admin('UPDATE fencepost.meta SET schema_version = 20');
    expect(await coordinator.ask(AGENT, ACQUIRE)).toMatchObject({ ok: false, error: { code: 'register-unreachable' } });
    expect(await openPostgresCoordinator(place.options)).toMatchObject({ ok: false });
    expect(await place.admin('SELECT * FROM fencepost.register')).toEqual([]);
    await coordinator.close();
  });
});

describe('a device’s role', () => {
  it('cannot delete, empty, drop, rename or take back anything', async () => {
    const place = await makePlace(server);
    const coordinator = must(await openPostgresCoordinator(place.options));
    must(await coordinator.ask(AGENT, ACQUIRE));
    const { user } = place.options.address;
    for (const sql of [
      'DELETE FROM fencepost.register',
      'DELETE FROM fencepost.meta',
      'TRUNCATE fencepost.register',
      'DROP TABLE fencepost.register',
      'DROP SCHEMA fencepost CASCADE',
      'UPDATE fencepost.register SET epoch = 0',
      `UPDATE fencepost.register SET clock_high_water = '-infinity'`,
      `UPDATE fencepost.register SET agent_id = 'other'`,
      'UPDATE fencepost.meta SET incarnation = gen_random_uuid()',
      `INSERT INTO fencepost.register (agent_id) VALUES ('other')`,
      'ALTER TABLE fencepost.register DISABLE TRIGGER ALL',
      'DROP TRIGGER register_never_goes_back ON fencepost.register',
      `SET session_replication_role = 'replica'`,
      'CREATE TABLE fencepost.other ()',
      'CREATE OR REPLACE FUNCTION fencepost.timeline() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$',
    ]) {
      const tried = place.admin(`SET ROLE ${user}; ${sql}`);
      await expect(tried, sql).rejects.toThrow(/permission denied|must be owner|never goes/u);
    }
    expect(must(await coordinator.current(AGENT)).epoch).toBe(1);
    await coordinator.close();
  });

  it('is one of a few that can do anything at all, and even the owner is stopped by mistake only', async () => {
    const place = await makePlace(server);
    const coordinator = must(await openPostgresCoordinator(place.options));
    must(await coordinator.ask(AGENT, ACQUIRE));
    await server.query(`CREATE ROLE stranger LOGIN`);
    const looking = place.admin(`SET ROLE stranger; SELECT * FROM fencepost.lock_agent('agent-1', true)`);
    await expect(looking).rejects.toThrow(/permission denied/u);
    for (const sql of [
      'DELETE FROM fencepost.register',
      'TRUNCATE fencepost.register',
      'DELETE FROM fencepost.meta',
      'UPDATE fencepost.register SET epoch = 0',
      'UPDATE fencepost.meta SET coordinator_id = gen_random_uuid()',
    ]) {
      await expect(place.admin(sql), sql).rejects.toThrow(/Fencepost: /u);
    }
    await coordinator.close();
  });
});

describe('a row that Fencepost did not write', () => {
  it.each([
    ['is not JSON', `record = 'nonsense'`],
    ['lacks a member', `record = '{"epoch":1}'`],
    ['has one too many', `record = replace(record, '{"epoch"', '{"surprise":1,"epoch"')`],
    ['names another epoch', 'epoch = 9'],
  ])('and that %s gives no answer, and draws no other agent in', async (_what, change) => {
    const place = await makePlace(server);
    const coordinator = must(await openPostgresCoordinator(place.options));
    must(await coordinator.ask(AGENT, { ...ACQUIRE, ttlMs: 1 }));
    await place.admin(`UPDATE fencepost.register SET ${change}`);
    const noAnswer = { ok: false, error: { code: 'register-unreachable' } };
    expect(await coordinator.ask(AGENT, { ...ACQUIRE, nonce: 'other' })).toMatchObject(noAnswer);
    expect(await coordinator.current(AGENT)).toMatchObject(noAnswer);
    expect(must(await coordinator.ask(agentId('agent-2'), ACQUIRE)).reply.kind).toBe('granted');
    await coordinator.close();
  });

  it('is never written by Fencepost: what would not read back is refused, and so is a text that ends early', async () => {
    const place = await makePlace(server);
    const coordinator = must(await openPostgresCoordinator(place.options));
    const noAnswer = { ok: false, error: { code: 'register-unreachable' } };
    expect(await coordinator.ask(AGENT, { ...ACQUIRE, ttlMs: Number.POSITIVE_INFINITY })).toMatchObject(noAnswer);
    expect(await coordinator.ask(agentId('a\0b'), ACQUIRE)).toMatchObject(noAnswer);
    expect(await place.admin('SELECT * FROM fencepost.register')).toEqual([]);
    await coordinator.close();
    expect(await coordinator.ask(AGENT, ACQUIRE), 'nor after it was closed').toMatchObject(noAnswer);
  });
});

describe('trying the settings', () => {
  it('finds nothing wrong with what is right', async () => {
    const { options } = await makePlace(server);
    const checks = await testPostgres(overTls(options));
    expect(checks.map(({ id, state }) => [id, state])).toEqual(
      ['reachable', 'tls', 'password', 'database', 'version', 'primary', 'durable', 'schema', 'rights', 'timeline']
        .concat(['clock', 'round-trip'])
        .map((id) => [id, 'ok']),
    );
  });

  it('has a sentence of its own for each thing that is wrong, and never says the password', async () => {
    const place = await makePlace(server);
    const { options } = place;
    const at = (change: Partial<PostgresOptions['address']>): PostgresOptions => {
      return { ...options, address: { ...options.address, ...change } };
    };
    await server.query(`CREATE ROLE outsider LOGIN PASSWORD '${options.password ?? ''}'`);
    const otherAuthority = { ...VERIFIED, caPem: null };
    const cases: (readonly [PostgresOptions, string, RegExp])[] = [
      [at({ port: 1 }), 'reachable', /No database answers/u],
      [at({ host: 'no-such-machine.invalid' }), 'reachable', /no machine of this name|looked up/u],
      [{ ...options, password: 'wrong' }, 'password', /does not accept/u],
      [{ ...options, password: null }, 'password', /password/u],
      [at({ database: 'missing' }), 'database', /no database of this name/u],
      [at({ user: 'outsider' }), 'rights', /may not use/u],
      [{ ...overTls(options), tls: otherAuthority }, 'tls', /did not prove who it is/u],
      [{ ...options, tls: VERIFIED }, 'tls', /for another name/u],
    ];
    const sentences = new Set<string>();
    for (const [wrong, id, sentence] of cases) {
      const failures = await failuresOf(wrong);
      expect(failures).toEqual([[id, expect.stringMatching(sentence)]]);
      sentences.add(String(failures[0]?.[1]));
      const said = JSON.stringify([await testPostgres(wrong), await openPostgresCoordinator(wrong)]);
      expect(said).not.toContain(options.password);
    }
    expect(sentences.size).toBe(cases.length);
    expect(server.log).not.toContain(options.password);
  });

  it('warns of a user that may do more than it has to, and of a network where everybody can listen', async () => {
    const { database } = await makePlace(server);
    const checks = await testPostgres(ownerOptions(server, database));
    expect(checks.filter(({ state }) => state === 'warning').map(({ id }) => id)).toEqual(['rights']);
  });

  it('does not take a server for safe that forgets what it has confirmed', async () => {
    const { options } = await makePlace(server);
    await server.query('ALTER SYSTEM SET full_page_writes = off');
    await server.query('SELECT pg_reload_conf()');
    await expect.poll(() => failuresOf(options)).toEqual([['durable', expect.stringMatching(/power fails/u)]]);
    await server.query('ALTER SYSTEM RESET full_page_writes');
    await server.query('SELECT pg_reload_conf()');
  });

  it('says so where a server does not encrypt although it was asked to', async () => {
    const plain = await PostgresServer.start();
    const place = await makePlace(plain);
    expect(await failuresOf(overTls(place.options))).toEqual([['tls', 'The server does not encrypt.']]);
    await plain.end();
  });
});

function overTls(options: PostgresOptions): PostgresOptions {
  return { ...options, address: { ...options.address, host: 'localhost' }, tls: VERIFIED };
}

async function failuresOf(options: PostgresOptions): Promise<(readonly [string, string])[]> {
  const failed = (await testPostgres(options)).filter(({ state }) => state === 'failed');
  return failed.map(({ id, sentence }) => [id, sentence]);
}
