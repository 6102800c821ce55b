import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRegister } from '../contract/etcd-bench.ts';
import { AGENT, ANNA, BEN, TTL_MS } from '../contract/coordinator-bench.ts';
import { makePlace } from '../contract/postgres-bench.ts';
import { EtcdCluster, hasEtcd } from '../harness/etcd-server.ts';
import { reportFigures } from '../harness/figures.ts';
import { canMakeNetworks, Network } from '../harness/network.ts';
import type { Lan } from '../harness/network.ts';
import { PostgresServer } from '../harness/postgres-server.ts';
import { Random } from '../harness/random.ts';
import { describeLinearizability, historiesUntilCaught, shortOf } from './describe-linearizability.ts';
import type { RegisterUnderTest } from './describe-linearizability.ts';
import type { EtcdPlace } from './drivers/etcd-register.ts';
import { endLeases } from './etcd-leases.ts';
import { beginHubElsewhere } from './hub-elsewhere.ts';
import { pause, repeatedly } from './repeatedly.ts';

const PROCESSES = 3;
const LANES = 2;
const CLIENTS = Array.from({ length: PROCESSES }, (_, client) => `client-${client}`);
const MEMBERS = ['member-0', 'member-1', 'member-2'];

/** What befell the cables. */
const befell = { 'cuts of clients': 0, 'cuts of servers': 0, 'cuts of leaders': 0 };

/** Every client and every server on a machine of its own, as `client-0` and so on; what all three have in common. */
function onNetwork(network: () => Network): Pick<RegisterUnderTest, 'processes' | 'lanes' | 'canReboot' | 'within'> {
  return {
    processes: PROCESSES,
    lanes: LANES,
    canReboot: false,
    within: (client) => network().within(`client-${client}`),
  };
}

interface CutOptions {
  readonly seed: number;
  readonly figure: keyof typeof befell;
  /** The longest time between two cuts, ms. */
  readonly calmMs: number;
}

/** Cuts one of the machines off now and then, mostly for less than a client waits for an answer, until it is told to end. */
function cutAtRandom(network: Network, machines: readonly string[], of: CutOptions): () => Promise<void> {
  const random = new Random(of.seed, of.figure);
  return repeatedly(async (_, signal) => {
    await pause(random.between(of.calmMs / 5, of.calmMs), signal);
    const machine = random.pick(machines);
    befell[of.figure] += 1;
    await network.cut(machine, { how: random.chance(0.5) ? 'silent' : 'unplugged' });
    await pause(random.chance(0.1) ? 2_800 : random.between(20, 700), signal);
    await network.heal(machine);
  });
}

/** Ends one after the other, whatever comes of it. */
function both(...ends: readonly (() => Promise<void>)[]): () => Promise<void> {
  return async () => void (await Promise.all(ends.map((end) => end())));
}

/** Cables of clients and of the one server. */
function cutBoth(network: Network, seed: number): () => Promise<void> {
  return both(
    cutAtRandom(network, CLIENTS, { seed, figure: 'cuts of clients', calmMs: 700 }),
    cutAtRandom(network, ['server'], { seed, figure: 'cuts of servers', calmMs: 2_500 }),
  );
}

describe.skipIf(!canMakeNetworks)('while the cables of clients and servers are cut', () => {
  afterAll(() => reportFigures(befell));

  describe('the one server', () => {
    let network: Network;
    let postgres: PostgresServer;
    let runs = 0;

    beforeAll(async () => {
      network = await Network.make([...CLIENTS, 'server']);
      const machine = { host: network.address('server'), within: network.within('server') };
      postgres = await PostgresServer.start({ machine });
    });
    afterAll(async () => {
      await postgres?.end();
      await network?.end();
    });

    const ON_POSTGRES: RegisterUnderTest = {
      module: new URL('drivers/postgres-register.ts', import.meta.url),
      async begin() {
        const { options } = await makePlace(postgres);
        runs += 1;
        return { place: JSON.stringify(options), end: cutBoth(network, runs) };
      },
      ...onNetwork(() => network),
      expiry: { rateTolerance: 1, grainMs: 2, lateMs: null },
      // One long history: in short ones, too little is asked while nobody gets an answer.
      size: { rounds: 1, roundMs: 7_000, agentsPerRound: 1 },
      missing: () => shortOf(befell, { 'cuts of clients': 5, 'cuts of servers': 1 }),
    };

    const HUB: RegisterUnderTest = {
      ...ON_POSTGRES,
      module: new URL('drivers/hub-register.ts', import.meta.url),
      async begin() {
        const clients = { processes: PROCESSES, lanes: LANES };
        const where = { host: network.address('server'), within: network.within('server') };
        const hub = await beginHubElsewhere(clients, where);
        runs += 1;
        const heal = cutBoth(network, runs);
        return {
          place: hub.place,
          async end() {
            await heal();
            await hub.end();
          },
        };
      },
    };

    describeLinearizability('the register on PostgreSQL elsewhere', ON_POSTGRES, { perCommit: 1, perNight: 1_000 });
    describeLinearizability('the hub elsewhere', HUB, { perCommit: 1, perNight: 1_000 });

    test('a driver that says what it was told before, when the answer is cut off, is caught', async () => {
      const module = new URL('drivers/impatient-register.ts', import.meta.url);
      const size = { rounds: 1, roundMs: 3_000, agentsPerRound: 1 };
      expect(await historiesUntilCaught({ ...HUB, module, size }, 20)).toBeLessThanOrEqual(20);
      reportFigures({ 'planted found': 1 });
    });
  });

  describe.skipIf(!hasEtcd)('three members of etcd', () => {
    let network: Network;
    let cluster: EtcdCluster;
    let runs = 0;

    beforeAll(async () => {
      network = await Network.make([...CLIENTS, ...MEMBERS], MEMBERS);
      const machines = MEMBERS.map((name) => {
        return { host: network.address(name), peerHost: network.address(name, 'back'), within: network.within(name) };
      });
      cluster = await EtcdCluster.start({ members: 3, machines });
    });
    afterAll(async () => {
      await cluster?.end();
      await network?.end();
    });

    /** The name of the machine of the present leader. */
    const leaderName = async (): Promise<string> => {
      const leader = await cluster.leader();
      return `member-${cluster.members.indexOf(leader)}`;
    };

    /** Off from the other members and off from the clients, in turn. */
    const cutLeaders = (seed: number): (() => Promise<void>) => {
      const random = new Random(seed, 'leaders');
      return repeatedly(async (count, signal) => {
        await pause(random.between(200, 800), signal);
        const name = await leaderName();
        const lan = count % 2 === 0 ? 'back' : 'front';
        befell['cuts of leaders'] += 1;
        await network.cut(name, { lan, how: random.chance(0.5) ? 'silent' : 'unplugged' });
        await pause(random.between(300, 1_200), signal);
        await network.heal(name, lan);
      });
    };

    test.for<[string, Lan]>([
      ['the other members', 'back'],
      ['the clients', 'front'],
    ])('the leader is cut off from %s: it grants nothing, the others do, and once', async ([, lan]) => {
      const name = await leaderName();
      const url = `//${network.address(name)}:`;
      const prefix = `cut-off/${lan}/`;
      const ofLeader = cluster.endpoints.filter((each) => each.includes(url));
      const ofOthers = cluster.endpoints.filter((each) => !each.includes(url));
      const alone = await openRegister({ endpoints: ofLeader, prefix });
      const others = await openRegister({ endpoints: ofOthers, prefix });
      befell['cuts of leaders'] += 1;
      await network.cut(name, { lan });
      const refused = alone.ask(AGENT, { verb: 'acquire', deviceId: ANNA, nonce: 'anna-1', ttlMs: TTL_MS });
      const bens = { verb: 'acquire', deviceId: BEN, nonce: 'ben-1', ttlMs: TTL_MS } as const;
      // An election takes a while, and each question has one chance.
      await expect.poll(async () => (await others.ask(AGENT, bens)).ok, { timeout: 15_000 }).toBe(true);
      expect(await refused).toMatchObject({ ok: false, error: { code: 'register-unreachable' } });
      await network.heal(name, lan);
      await expect.poll(async () => (await alone.current(AGENT)).ok, { timeout: 15_000 }).toBe(true);
      const seen = { epoch: 1, lease: { holder: BEN, nonce: 'ben-1' } };
      expect(await alone.current(AGENT)).toMatchObject({ ok: true, value: seen });
      await Promise.all([alone.close(), others.close()]);
    });

    describeLinearizability(
      'the register in etcds elsewhere',
      {
        module: new URL('drivers/etcd-register.ts', import.meta.url),
        async begin() {
          runs += 1;
          const place: EtcdPlace = { endpoints: cluster.endpoints, prefix: `lin/${runs}/` };
          const end = both(
            cutLeaders(runs),
            cutAtRandom(network, CLIENTS, { seed: runs, figure: 'cuts of clients', calmMs: 800 }),
            endLeases(cluster, place.prefix, () => {}),
          );
          return { place: JSON.stringify(place), end };
        },
        ...onNetwork(() => network),
        expiry: { rateTolerance: Infinity, grainMs: 0, lateMs: null },
        size: { rounds: 1, roundMs: 6_000, agentsPerRound: 1 },
        missing: () => shortOf(befell, { 'cuts of clients': 10, 'cuts of leaders': 3 }),
      },
      { perCommit: 1, perNight: 1_000 },
    );
  });
});
