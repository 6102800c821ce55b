import { afterAll, beforeAll } from 'vitest';
import { PostgresServer } from '../harness/postgres-server.ts';
import type { PostgresPlace } from './postgres-bench.ts';
import { describeRelay } from './relay-conformance.ts';
import { makeJournalPlace, PostgresRelayBench } from './relay-postgres-bench.ts';

let server: PostgresServer;
let place: PostgresPlace;
beforeAll(async () => {
  server = await PostgresServer.start();
  place = await makeJournalPlace(server);
});
afterAll(async () => {
  await server?.end();
});

// All tests share one database, each in a space of its own: what leaks from one into another fails there.
describeRelay('the relay on PostgreSQL', () => Promise.resolve(new PostgresRelayBench(server, place)));
