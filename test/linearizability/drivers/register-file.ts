import { openFileCoordinator } from '../../../src/main/coordinators/sqlite/file-coordinator.ts';
import type { LeaseCoordinator } from '../../../src/main/coordinators/lease-coordinator.ts';
import type { OpenOptions } from '../register-client.ts';

/** The register on a file of its own, which every client opens for itself. */
export async function openCoordinator({ place, clock }: OpenOptions): Promise<LeaseCoordinator> {
  const opened = openFileCoordinator({ file: place, clock });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}
