import { setTimeout } from 'node:timers/promises';
import { openEtcdCoordinator } from '../../../src/main/coordinators/etcd/etcd-coordinator.ts';
import type { LeaseCoordinator } from '../../../src/main/coordinators/lease-coordinator.ts';
import type { OpenOptions } from '../register-client.ts';

/** How long a client waits for an etcd that is being started again, ms. */
const PATIENCE_MS = 30_000;

/** Where a client finds the register: `place` is this as JSON. */
export interface EtcdPlace {
  readonly endpoints: readonly string[];
  readonly prefix: string;
}

/** The register in etcd. The client's own clocks have no say in it. */
export async function openCoordinator({ place }: OpenOptions): Promise<LeaseCoordinator> {
  const { endpoints, prefix } = JSON.parse(place) as EtcdPlace;
  const until = performance.now() + PATIENCE_MS;
  // Not all clients use the same member.
  const first = process.pid % endpoints.length;
  const rotated = [...endpoints.slice(first), ...endpoints.slice(0, first)];
  for (;;) {
    const opened = await openEtcdCoordinator({ endpoints: rotated, prefix });
    if (opened.ok) return opened.value;
    if (performance.now() > until) throw new Error(opened.error.message);
    await setTimeout(50);
  }
}
