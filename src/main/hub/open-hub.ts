import { chmodSync, mkdirSync } from 'node:fs';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import { systemCodeOf } from '../../shared/lib/system-causes.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { LeaseCoordinator } from '../coordinators/lease-coordinator.ts';
import { openHubRegister } from '../coordinators/sqlite/hub-register.ts';
import { openSqliteDevices } from '../coordinators/sqlite/sqlite-devices.ts';
import { openSqliteRelay } from '../coordinators/sqlite/sqlite-relay.ts';
import { ensureHubCertificate } from './certificate.ts';
import type { HubDevices } from './hub-devices.ts';
import type { RelayStorage } from './relay/relay-storage.ts';
import { hubFolderProblem } from './hub-problem.ts';
import { startHub } from './start-hub.ts';
import type { Hub, HubOptions } from './start-hub.ts';

/** A hub and where it keeps what it needs. */
export interface OpenHubOptions extends Pick<HubOptions, 'host' | 'port' | 'addresses' | 'name' | 'log'> {
  /** The hub's own folder, for one hub at a time; made if it is not there. */
  readonly folder: string;
  readonly version: string;
  /** A register and devices elsewhere, such as PostgreSQL; they are closed with the hub. Without it they are in the folder. */
  readonly backend?: HubBackend;
}

/** What stands behind the door of a hub. */
export interface HubBackend {
  readonly coordinator: LeaseCoordinator;
  readonly devices: HubDevices;
  /** Without it the hub carries no journals: several hubs in front of one database must not carry half of them each. */
  readonly relay?: Result<RelayStorage, Problem>;
}

/** Opens everything a hub is made of and starts it; whatever fails closes what was opened before it. */
export async function openHub(options: OpenHubOptions): Promise<Result<Hub, Problem>> {
  const made = makeFolder(options.folder);
  if (made !== null) return err(made);
  const certificate = ensureHubCertificate(options.folder);
  if (!certificate.ok) return certificate;
  const backend: Result<HubBackend, Problem> =
    options.backend === undefined ? await openHubBackend(options) : ok(options.backend);
  if (!backend.ok) return backend;
  const { coordinator, devices, relay } = backend.value;
  const end = async () => {
    if (relay?.ok === true) await relay.value.close();
    await devices.close();
    await coordinator.close();
  };
  const of = { ...options, backend: coordinator, devices, certificate: certificate.value, ...(relay && { relay }) };
  const started = await startHub(of);
  if (!started.ok) {
    await end();
    return started;
  }
  const hub = started.value;
  return ok({
    ...hub,
    async close() {
      await hub.close();
      await end();
    },
  });
}

/** What a hub keeps in its own folder, without its door. Journals that cannot be opened stop no lease. */
export async function openHubBackend({
  folder,
  version,
}: Pick<OpenHubOptions, 'folder' | 'version'>): Promise<Result<Required<HubBackend>, Problem>> {
  const made = makeFolder(folder);
  if (made !== null) return err(made);
  const register = await openHubRegister({ folder, version });
  if (!register.ok) return register;
  const devices = openSqliteDevices(folder);
  if (devices.ok) {
    return ok({ coordinator: register.value, devices: devices.value, relay: openSqliteRelay({ folder }) });
  }
  await register.value.close();
  return devices;
}

function makeFolder(folder: string): Problem | null {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (process.platform !== 'win32') chmodSync(folder, 0o700);
    return null;
  } catch (cause) {
    return hubFolderProblem(folder, systemCodeOf(cause));
  }
}
