import { afterAll, beforeAll, describe } from 'vitest';
import { makePlace } from '../contract/postgres-bench.ts';
import { reportFigures } from '../harness/figures.ts';
import { PostgresServer } from '../harness/postgres-server.ts';
import { Random } from '../harness/random.ts';
import { canStepServerClocks, ServerClock } from '../harness/server-clock.ts';
import { describeLinearizability, shortOf } from './describe-linearizability.ts';
import type { RegisterUnderTest } from './describe-linearizability.ts';
import { beginHubElsewhere } from './hub-elsewhere.ts';
import { pause, repeatedly } from './repeatedly.ts';

const CLIENTS = { processes: 3, lanes: 2 };

/** How often a server's calendar was set, and how often the server said so itself. */
const befell = { 'server clocks set forward': 0, 'server clocks set back': 0, 'steps seen by the server': 0 };

/** Sets it 5 to 60 seconds wrong, forward and back in turn, and now and then right; `wallMs` is what the server says then. */
function stepAtRandom(clock: ServerClock, seed: number, wallMs: () => Promise<number>): () => Promise<void> {
  const random = new Random(seed, 'server clock');
  return repeatedly(async (count, signal) => {
    await pause(random.between(150, 700), signal);
    const isForward = count % 2 === 0;
    const seconds = random.chance(0.2) ? 0 : Math.round(random.between(5, 60)) * (isForward ? 1 : -1);
    befell[isForward ? 'server clocks set forward' : 'server clocks set back'] += 1;
    clock.set(seconds);
    const wrongMs = (await wallMs()) - Date.now();
    if (seconds !== 0 && Math.abs(wrongMs - seconds * 1_000) < 2_000) befell['steps seen by the server'] += 1;
  });
}

// Not etcd: it is a static Go program, which asks the kernel for the time without the C library, so that nothing of this
// kind reaches it. Its leases run on the monotonic clock of the leader.
describe.skipIf(!canStepServerClocks)('while the calendar of the server is set forward and back', () => {
  let clock: ServerClock;
  let postgres: PostgresServer;
  let runs = 0;

  beforeAll(async () => {
    clock = new ServerClock();
    postgres = await PostgresServer.start({ environment: clock.environment });
  });
  afterAll(async () => {
    await postgres?.end();
    clock?.end();
    reportFigures(befell);
  });

  const ON_POSTGRES: RegisterUnderTest = {
    module: new URL('drivers/postgres-register.ts', import.meta.url),
    async begin() {
      const { options, database } = await makePlace(postgres);
      const admin = await postgres.connect(database);
      runs += 1;
      const settle = stepAtRandom(clock, runs, async () => {
        const { rows } = await admin.query<{ ms: number }>(
          'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
        );
        return rows[0]?.ms ?? 0;
      });
      return {
        place: JSON.stringify(options),
        async end() {
          await settle();
          clock.set(0);
          await admin.end();
        },
      };
    },
    ...CLIENTS,
    canReboot: false,
    // Its leases end by the calendar: early after a step forward, which the hold-off of the next holder bears, and late
    // after a step back. What stays is the order.
    expiry: { rateTolerance: Infinity, grainMs: 0, lateMs: null },
    size: { rounds: 1, roundMs: 5_000, agentsPerRound: 1 },
    missing: () =>
      shortOf(befell, { 'server clocks set forward': 1, 'server clocks set back': 1, 'steps seen by the server': 2 }),
  };

  const HUB: RegisterUnderTest = {
    ...ON_POSTGRES,
    module: new URL('drivers/hub-register.ts', import.meta.url),
    async begin() {
      const hub = await beginHubElsewhere(CLIENTS, { environment: clock.environment });
      runs += 1;
      const settle = stepAtRandom(clock, runs, () => hub.wallMs());
      return {
        place: hub.place,
        async end() {
          await settle();
          clock.set(0);
          await hub.end();
        },
      };
    },
    // A clock that measures: no step of the calendar ends a lease of the hub early.
    expiry: { rateTolerance: 1, grainMs: 2, lateMs: null },
  };

  describeLinearizability('the register on a PostgreSQL that is misled', ON_POSTGRES, {
    perCommit: 1,
    perNight: 1_000,
  });
  describeLinearizability('the hub that is misled', HUB, { perCommit: 1, perNight: 1_000 });
});
