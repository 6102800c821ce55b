import { Client } from 'pg';
import { openPostgresCoordinator } from '../src/main/coordinators/postgres/postgres-coordinator.ts';
import { lockStatements, saveStatements } from '../src/main/coordinators/postgres/postgres-statements.ts';
import type { AgentId } from '../src/shared/contract/identifiers.ts';
import { makePlace } from '../test/contract/postgres-bench.ts';
import { PostgresServer } from '../test/harness/postgres-server.ts';
import { announcing, ANNOUNCES_PER_AGENT, must } from './coordinators-hub.ts';
import type { Measured } from './coordinators.ts';
import { figure, timeEach } from './measure.ts';

const OF = { warmUp: 150, count: 300 };

/** Announces one at a time, against a bare client that sends the same statements to the same server. */
export async function measurePostgres(): Promise<Measured> {
  const server = await PostgresServer.start();
  const place = await makePlace(server);
  const { options } = place;
  const coordinator = must(await openPostgresCoordinator(options));
  const { address, password } = options;
  const bare = new Client({ ...address, password: password ?? undefined });
  await bare.connect();
  const { announce, agentId } = announcing(coordinator);
  // As long as the record of an agent is in the middle of its announces.
  for (let n = 0; n < ANNOUNCES_PER_AGENT / 2; n += 1) await announce();
  const [row] = await place.admin(`SELECT record FROM fencepost.register WHERE agent_id = '${agentId()}'`);
  const text = String(row?.['record']);
  let nowUs = Date.now() * 1_000;
  const same = async (): Promise<void> => {
    await bare.query(lockStatements('bare' as AgentId));
    nowUs += 1_000;
    await bare.query(saveStatements('bare' as AgentId, { nowUs, record: { epoch: 1, text }, ttlMs: null }));
  };
  return {
    steps: [
      { name: 'postgres', run: () => timeEach('postgres', OF, announce) },
      { name: 'postgresBare', run: () => timeEach('postgresBare', OF, same) },
    ],
    lines: (of) => [
      `PostgreSQL, one at a time: p50 ${figure(of('postgres').p50)} ms, a bare client ${figure(of('postgresBare').p50)} ms: ${figure(of('postgres').p50 / of('postgresBare').p50)} x`,
    ],
    figures: (of) => ({ postgresOverBare: of('postgres').p50 / of('postgresBare').p50 }),
    async end() {
      await coordinator.close();
      await bare.end();
      await server.end();
    },
  };
}
