import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LeaseCoordinator, RegisterAnswer } from '../../src/main/coordinators/lease-coordinator.ts';
import { openPostgresCoordinator } from '../../src/main/coordinators/postgres/postgres-coordinator.ts';
import type { PostgresOptions } from '../../src/main/coordinators/postgres/postgres-options.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import type { Result } from '../../src/shared/lib/result.ts';
import { PostgresServer } from '../harness/postgres-server.ts';
import { AGENT, ANNA, deviceId, TTL_MS } from './coordinator-bench.ts';
import { describeCoordinator } from './coordinator-conformance.ts';
import { makePlace, makePostgresBench, throughPort } from './postgres-bench.ts';
import type { PostgresPlace } from './postgres-bench.ts';
import { PostgresPooler } from './postgres-pooler.ts';
import { must } from './sqlite-benches.ts';

const ACQUIRE = { verb: 'acquire', deviceId: ANNA, nonce: 'mine', ttlMs: TTL_MS } as const;

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(async () => {
  await server?.end();
});

describeCoordinator('the register on PostgreSQL', () => makePostgresBench(server));

let place: PostgresPlace;
let ends: (() => Promise<void>)[] = [];
beforeEach(() => {
  ends = [];
});
afterEach(async () => {
  for (const end of ends.toReversed()) await end();
});

async function open(options: PostgresOptions): Promise<LeaseCoordinator> {
  const coordinator = must(await openPostgresCoordinator(options));
  ends.push(() => coordinator.close());
  return coordinator;
}

describe('a transaction pooler', () => {
  it('may hand each transaction to another connection and forget the session behind it', async () => {
    place = await makePlace(server);
    const pooler = await PostgresPooler.start(place.options, 3);
    ends.push(() => pooler.close());
    const devices = await Promise.all([0, 1, 2].map(() => open(throughPort(place.options, pooler.port))));
    const direct = await open(place.options);
    for (let race = 1; race <= 10; race += 1) {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) => {
          const verb = { ...ACQUIRE, deviceId: deviceId(`device-${index}`), nonce: `${race}-${index}` };
          return (devices[index % 3] ?? direct).ask(AGENT, verb);
        }),
      );
      const winners = answers.flatMap((answer) => (must(answer).reply.kind === 'granted' ? [must(answer)] : []));
      expect(winners.map(({ reply }) => reply)).toMatchObject([{ epoch: race }]);
      const holder = winners[0]?.view.lease?.holder ?? ANNA;
      const release = {
        verb: 'release',
        deviceId: holder,
        epoch: race,
        pendingClaims: 0,
        isHoldOffOver: true,
      } as const;
      must(await direct.ask(AGENT, release));
    }
    expect(Math.min(...pooler.transactions)).toBeGreaterThan(10);
  });
});

describe('several processes', () => {
  const PROCESSES = 4;
  const CONTENDERS = 12;
  let children: ChildProcess[] = [];
  afterEach(async () => {
    const living = children.filter((child) => child.exitCode === null && child.signalCode === null);
    await Promise.all(living.map((child) => (child.kill('SIGKILL'), once(child, 'exit'))));
  });

  it('have one winner among 12 contenders in each of 50 races', async () => {
    place = await makePlace(server);
    const each = CONTENDERS / PROCESSES;
    const program = fileURLToPath(new URL('postgres-contender.ts', import.meta.url));
    children = Array.from({ length: PROCESSES }, (_, index) =>
      fork(program, [JSON.stringify(place.options), String(index * each), String(each)], { execArgv: [] }),
    );
    await Promise.all(children.map((child) => once(child, 'message')));
    const direct = await open(place.options);
    for (let race = 1; race <= 50; race += 1) {
      const answers = (await Promise.all(children.map((child) => raceIn(child, `race-${race}`)))).flat();
      const replies = answers.map((answer) => (answer.ok ? answer.value.reply : answer.error));
      const granted = replies.filter((reply) => 'kind' in reply && reply.kind === 'granted');
      expect(granted, JSON.stringify(replies)).toMatchObject([{ epoch: race, holdOff: false, isReplay: false }]);
      const holder = deviceId(`device-${replies.findIndex((reply) => reply === granted[0])}`);
      const release = {
        verb: 'release',
        deviceId: holder,
        epoch: race,
        pendingClaims: 0,
        isHoldOffOver: true,
      } as const;
      expect(must(await direct.ask(AGENT, release)).reply.kind).toBe('released');
    }
  });
});

async function raceIn(child: ChildProcess, nonce: string): Promise<Result<RegisterAnswer, Problem>[]> {
  const answered = once(child, 'message');
  child.send({ agent: AGENT, nonce });
  return ((await answered) as [Result<RegisterAnswer, Problem>[]])[0];
}
