import { randomUUID } from 'node:crypto';
import { installPostgresRegister } from '../../src/main/coordinators/postgres/postgres-install.ts';
import { openPostgresCoordinator } from '../../src/main/coordinators/postgres/postgres-coordinator.ts';
import type { PostgresOptions } from '../../src/main/coordinators/postgres/postgres-options.ts';
import type { PostgresServer } from '../harness/postgres-server.ts';
import type { CoordinatorBench } from './coordinator-bench.ts';
import { must } from './sqlite-benches.ts';

/** A database with the register in it, and the role that a device signs in as. */
export interface PostgresPlace {
  readonly database: string;
  readonly options: PostgresOptions;
  /** As the administrator; the rows of the last statement. */
  admin(sql: string): Promise<Record<string, unknown>[]>;
}

/** As the administrator, to whom nothing is refused. */
export function ownerOptions(server: PostgresServer, database: string): PostgresOptions {
  const address = { host: server.host, port: server.port, database, user: server.user };
  return { name: 'The team’s database', address, password: server.password, tls: { kind: 'off' } };
}

/** A new database, installed by its owner, with a role of its own for the devices. */
export async function makePlace(server: PostgresServer): Promise<PostgresPlace> {
  const database = await server.createDatabase();
  const owner = ownerOptions(server, database);
  must(await installPostgresRegister(owner));
  const user = `anna_${randomUUID().replaceAll('-', '')}`;
  const password = `pass-${randomUUID()}`;
  await server.query(`CREATE ROLE ${user} LOGIN PASSWORD '${password}' IN ROLE fencepost_app`);
  const options = { ...owner, address: { ...owner.address, user }, password };
  return { database, options, admin: (sql) => server.query(sql, database) };
}

/** Where the bench's own time begins: so far ahead that the server's clock, which is never taken back, stays out of it. */
const FUTURE_MS = Date.UTC(2090, 0, 1);

/**
 * The register on a real server, with a time that the tests move: a decision is never made before the latest time that was
 * seen (`clock_high_water`), so where that is far ahead, it is the time. The server's own clock is for the tests of faults.
 */
export async function makePostgresBench(server: PostgresServer): Promise<CoordinatorBench> {
  const { options, database } = await makePlace(server);
  const admin = await server.connect(database);
  let nowMs = FUTURE_MS;
  const setClock = async (): Promise<void> => {
    const time = new Date(nowMs).toISOString();
    await admin.query(`ALTER TABLE fencepost.register ALTER clock_high_water SET DEFAULT '${time}';
      UPDATE fencepost.register SET clock_high_water = '${time}'`);
  };
  await setClock();
  let coordinator = must(await openPostgresCoordinator(options));
  return {
    coordinator: () => coordinator,
    async pass(ms) {
      nowMs += ms;
      await setClock();
    },
    async restart() {
      await coordinator.close();
      coordinator = must(await openPostgresCoordinator(options));
    },
    async close() {
      await coordinator.close();
      await admin.end();
    },
  };
}

/** The same register, reached through another port of this machine. */
export function throughPort(options: PostgresOptions, port: number): PostgresOptions {
  return { ...options, address: { ...options.address, port } };
}

/** Resolves when a query of the administrator's has a row; fails the test when it never has. */
export async function untilRow(place: PostgresPlace, sql: string): Promise<Record<string, unknown>> {
  const until = performance.now() + 20_000;
  while (performance.now() < until) {
    const [row] = await place.admin(sql);
    if (row !== undefined) return row;
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  throw new Error(`Never true: ${sql}`);
}
