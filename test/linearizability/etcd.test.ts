import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import { EtcdCluster, hasEtcd } from '../harness/etcd-server.ts';
import type { EtcdClusterOptions } from '../harness/etcd-server.ts';
import { reportFigures } from '../harness/figures.ts';
import { Random } from '../harness/random.ts';
import { describeLinearizability } from './describe-linearizability.ts';
import type { RegisterUnderTest } from './describe-linearizability.ts';
import type { EtcdPlace } from './drivers/etcd-register.ts';
import { endLeases } from './etcd-leases.ts';
import { repeatedly } from './repeatedly.ts';

/** What befell the servers. */
const befell = { 'server stops': 0, 'server kills': 0, 'leases ended early': 0 };

describe.skipIf(!hasEtcd)('in etcd', () => {
  afterAll(() => reportFigures(befell));

  describe('one member', () => {
    describeLinearizability('the register in etcd', inEtcd({}), { perCommit: 16, perNight: 2_500 });
  });

  describe('three members', () => {
    describeLinearizability('the register in three etcds', inEtcd({ members: 3 }), { perCommit: 5, perNight: 2_500 });
  });
});

/**
 * A register in a running cluster whose members are stopped and killed, and whose leases are ended early: etcd has done so
 * before (etcd#15247), and its shortest lease is longer than a history. What etcd's own clock does is tested in test/contract.
 */
function inEtcd(options: EtcdClusterOptions): RegisterUnderTest {
  let cluster: EtcdCluster | null = null;
  let runs = 0;
  beforeAll(async () => {
    cluster = await EtcdCluster.start(options);
  });
  afterAll(() => cluster?.end());
  return {
    module: new URL('drivers/etcd-register.ts', import.meta.url),
    async begin() {
      if (cluster === null) throw new Error('There is no etcd.');
      runs += 1;
      const place: EtcdPlace = { endpoints: cluster.endpoints, prefix: `lin/${runs}/` };
      const endings = [
        disturb(cluster, new Random(runs, 'server')),
        endLeases(cluster, place.prefix, () => (befell['leases ended early'] += 1)),
      ];
      return {
        place: JSON.stringify(place),
        end: async () => void (await Promise.all(endings.map((end) => end()))),
      };
    },
    processes: 4,
    lanes: 2,
    expiry: { rateTolerance: Infinity, grainMs: 0, lateMs: null },
    canReboot: false,
    // Every verb is two to four requests, each of which etcd writes down.
    size: { rounds: 3, roundMs: 4_000, agentsPerRound: options.members === 3 ? 2 : 3 },
  };
}

/** Stops and kills one member at a time, until it is told to end; then all of them run. */
function disturb(cluster: EtcdCluster, random: Random): () => Promise<void> {
  return repeatedly(async () => {
    await setTimeout(random.between(300, 1_500));
    const member = random.chance(0.5) ? await cluster.leader() : random.pick(cluster.members);
    if (random.chance(0.7)) {
      befell['server stops'] += 1;
      member.stop();
      await setTimeout(random.between(5, 900));
      member.wake();
    } else {
      befell['server kills'] += 1;
      await member.kill();
      member.start();
      await cluster.ready();
    }
  });
}
