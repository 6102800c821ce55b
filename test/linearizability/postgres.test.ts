import { afterAll, beforeAll } from 'vitest';
import { makePlace } from '../contract/postgres-bench.ts';
import { reportFigures } from '../harness/figures.ts';
import { PostgresServer } from '../harness/postgres-server.ts';
import { Random } from '../harness/random.ts';
import { describeLinearizability } from './describe-linearizability.ts';

let server: PostgresServer;
let runs = 0;
const befell = { 'server stops': 0, 'server kills': 0, 'server restarts': 0 };

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(async () => {
  await server?.end();
  reportFigures(befell);
});

/** Stops the server now and then, and ends it once in the middle; told to end, it leaves a server that runs. */
function trouble(seed: number): () => Promise<void> {
  const random = new Random(seed, 'server');
  let isOver = false;
  const going = (async () => {
    const endAt = random.below(6);
    for (let each = 0; ; each += 1) {
      await pause(random.between(700, 3_500));
      if (isOver) return;
      if (each === endAt) await endAndBegin(random.chance(0.5));
      else if (process.platform !== 'win32') await stopFor(random.between(5, 400));
    }
  })();
  return async () => {
    isOver = true;
    await going;
  };
}

async function stopFor(ms: number): Promise<void> {
  befell['server stops'] += 1;
  await server.freeze();
  await pause(ms);
  await server.thaw();
}

async function endAndBegin(isKilled: boolean): Promise<void> {
  befell[isKilled ? 'server kills' : 'server restarts'] += 1;
  if (isKilled) await server.kill();
  else await server.stop();
  await server.begin();
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describeLinearizability(
  'the register on PostgreSQL',
  {
    module: new URL('drivers/postgres-register.ts', import.meta.url),
    async begin() {
      const { options } = await makePlace(server);
      runs += 1;
      const settle = trouble(runs);
      return { place: JSON.stringify(options), end: settle };
    },
    processes: 4,
    lanes: 2,
    // The wall clock of the same machine, to the microsecond. A lease of a row that nobody can lock meanwhile, because the
    // server is stopped, restarted or waits for a silent client, runs out while they wait: late is not measurable from outside.
    expiry: { rateTolerance: 1, grainMs: 2, lateMs: null },
    canReboot: false,
    size: { rounds: 8, roundMs: 2_000, agentsPerRound: 1 },
  },
  { perCommit: 12, perNight: 2_500 },
);
