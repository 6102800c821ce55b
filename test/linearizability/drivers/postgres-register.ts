import { openPostgresCoordinator } from '../../../src/main/coordinators/postgres/postgres-coordinator.ts';
import type { PostgresOptions } from '../../../src/main/coordinators/postgres/postgres-options.ts';
import type { LeaseCoordinator } from '../../../src/main/coordinators/lease-coordinator.ts';
import type { OpenOptions } from '../register-client.ts';

/** How long a client waits for a server that is being started again, ms. */
const PATIENCE_MS = 30_000;

/** The register in a PostgreSQL server; `place` is its options as JSON. The client's own clocks have no say in it. */
export async function openCoordinator({ place }: OpenOptions): Promise<LeaseCoordinator> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const opened = await openPostgresCoordinator(JSON.parse(place) as PostgresOptions);
    if (opened.ok) return opened.value;
    if (performance.now() > until) throw new Error(opened.error.message);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
