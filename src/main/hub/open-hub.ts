import { chmodSync, mkdirSync } from 'node:fs';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { LeaseCoordinator } from '../coordinators/lease-coordinator.ts';
import { openHubRegister } from '../coordinators/sqlite/hub-register.ts';
import { openSqliteDevices } from '../coordinators/sqlite/sqlite-devices.ts';
import { ensureHubCertificate } from './certificate.ts';
import type { HubDevices } from './hub-devices.ts';
import { startHub } from './start-hub.ts';
import type { Hub, HubOptions } from './start-hub.ts';

/** A hub and where it keeps what it needs. */
export interface OpenHubOptions extends Pick<HubOptions, 'host' | 'port' | 'addresses' | 'name' | 'log'> {
  /** The hub's own folder, for one hub at a time; made if it is not there. */
  readonly folder: string;
  readonly version: string;
  /** A register and devices elsewhere, such as PostgreSQL; they are closed with the hub. Without it they are in the folder. */
  readonly backend?: { readonly coordinator: LeaseCoordinator; readonly devices: HubDevices };
}

/** Opens everything a hub is made of and starts it; whatever fails closes what was opened before it. */
export async function openHub(options: OpenHubOptions): Promise<Result<Hub, Problem>> {
  const made = makeFolder(options.folder);
  if (made !== null) return err(made);
  const certificate = ensureHubCertificate(options.folder);
  if (!certificate.ok) return certificate;
  const backend = options.backend === undefined ? await openHubBackend(options) : ok(options.backend);
  if (!backend.ok) return backend;
  const { coordinator, devices } = backend.value;
  const end = async () => {
    await devices.close();
    await coordinator.close();
  };
  const of = { ...options, backend: coordinator, devices, certificate: certificate.value };
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

/** The register and the devices of a hub's own folder, without its door. */
export async function openHubBackend({
  folder,
  version,
}: Pick<OpenHubOptions, 'folder' | 'version'>): Promise<Result<NonNullable<OpenHubOptions['backend']>, Problem>> {
  const made = makeFolder(folder);
  if (made !== null) return err(made);
  const register = await openHubRegister({ folder, version });
  if (!register.ok) return register;
  const devices = openSqliteDevices(folder);
  if (devices.ok) return ok({ coordinator: register.value, devices: devices.value });
  await register.value.close();
  return devices;
}

function makeFolder(folder: string): Problem | null {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (process.platform !== 'win32') chmodSync(folder, 0o700);
    return null;
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'it cannot be made';
    return problem('folder-read-only', `The hub's folder ${folder} cannot be used (${why}).`, 'Choose another folder.');
  }
}
