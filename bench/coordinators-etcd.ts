import { Agent, request } from 'node:http';
import { openEtcdCoordinator } from '../src/main/coordinators/etcd/etcd-coordinator.ts';
import { EtcdCluster, hasEtcd } from '../test/harness/etcd-server.ts';
import { announcing, must } from './coordinators-hub.ts';
import type { Measured } from './coordinators.ts';
import { figure, timeEach } from './measure.ts';

const OF = { warmUp: 150, count: 300 };
/** As long as the record of an agent with a few entries. */
const RECORD = 'x'.repeat(1_500);

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Announces one at a time, against a bare client that sends the same two transactions; `null` where there is no etcd. */
export async function measureEtcd(): Promise<Measured | null> {
  if (!hasEtcd) return null;
  const cluster = await EtcdCluster.start();
  const coordinator = must(await openEtcdCoordinator({ endpoints: cluster.endpoints }));
  const { announce } = announcing(coordinator);
  const post = bareClient(cluster.endpoints[0] ?? '');
  const keys = ['bare/rec', 'bare/live', 'bare/meta'].map(base64);
  const look = keys.map((key) => ({ request_range: { key } }));
  const same = async (): Promise<void> => {
    await post({ success: look });
    const compare = keys.map((key) => ({ key, target: 'VERSION', result: 'GREATER', version: '-1' }));
    const put = { request_put: { key: keys[0], value: base64(RECORD) } };
    await post({ compare, success: [put, ...look], failure: look });
  };
  return {
    steps: [
      { name: 'etcd', run: () => timeEach('etcd', OF, announce) },
      { name: 'etcdBare', run: () => timeEach('etcdBare', OF, same) },
    ],
    lines: (of) => [
      `etcd, one at a time: p50 ${figure(of('etcd').p50)} ms, a bare client ${figure(of('etcdBare').p50)} ms: ${figure(of('etcd').p50 / of('etcdBare').p50)} x`,
    ],
    figures: (of) => ({ etcdOverBare: of('etcd').p50 / of('etcdBare').p50 }),
    async end() {
      await coordinator.close();
      await cluster.end();
    },
  };
}

/** One kept connection and nothing besides. */
function bareClient(endpoint: string): (body: object) => Promise<unknown> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const url = new URL('/v3/kv/txn', endpoint);
  return (body) =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body);
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const asked = request(url, { method: 'POST', agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
        response.on('error', reject);
      });
      asked.on('error', reject);
      asked.end(text);
    });
}
