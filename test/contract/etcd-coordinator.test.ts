import { afterAll, beforeAll, describe } from 'vitest';
import { EtcdCluster, hasEtcd } from '../harness/etcd-server.ts';
import { describeCoordinator } from './coordinator-conformance.ts';
import { CONFORMANCE_CLUSTER, makeEtcdBench } from './etcd-bench.ts';

describe.skipIf(!hasEtcd)('with a real etcd', () => {
  let cluster: EtcdCluster | null = null;
  beforeAll(async () => {
    cluster = await EtcdCluster.start(CONFORMANCE_CLUSTER);
  });
  afterAll(() => cluster?.end());

  describeCoordinator('the register in etcd', async () => {
    if (cluster === null) throw new Error('There is no etcd.');
    return makeEtcdBench(cluster);
  });
});
