import { setTimeout } from 'node:timers/promises';
import { base64 } from '../contract/etcd-bench.ts';
import type { EtcdCluster } from '../harness/etcd-server.ts';
import { repeatedly } from './repeatedly.ts';

/** Ends leases of the register early, one at a time; `onEnd` hears of each. Resolves when the last one is through. */
export function endLeases(cluster: EtcdCluster, prefix: string, onEnd: () => void): () => Promise<void> {
  const below = { key: base64(`${prefix}agent/`), range_end: base64(`${prefix}agent0`) };
  return repeatedly(async (count) => {
    await setTimeout(60);
    const member = cluster.member(count % cluster.members.length);
    const answer = (await member.post('/v3/kv/range', below, 500)) as { kvs?: { lease?: string }[] } | null;
    const leases = (answer?.kvs ?? []).flatMap(({ lease }) => (lease === undefined ? [] : [lease]));
    const lease = leases[count % Math.max(1, leases.length)];
    if (lease === undefined || (await member.post('/v3/lease/revoke', { ID: lease }, 500)) === null) return;
    onEnd();
  });
}
