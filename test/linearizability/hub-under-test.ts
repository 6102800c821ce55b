import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openSqliteDevices } from '../../src/main/coordinators/sqlite/sqlite-devices.ts';
import { ensureHubCertificate } from '../../src/main/hub/certificate.ts';
import { digestOf, newDeviceKey, newHubSecret } from '../../src/main/hub/proofs.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import type { CoordinatorIdentity } from '../../src/shared/core/lease/lease.ts';
import type { HubUnderTest } from './drivers/hub-register.ts';

/** A hub that tells its port and identity when it is ready, and then, for every message, its time of day. */
export const HUB_PROGRAM = fileURLToPath(new URL('../harness/hub-process.ts', import.meta.url));

interface Ready {
  readonly port: number;
  readonly identity: CoordinatorIdentity;
}

/** What was done to the hub itself, over all runs. */
export const HUB_FIGURES = { kills: 0, stops: 0 };

/** Starts a hub and lets every device of a run in; then it is killed and stopped now and then until the run ends. */
export async function beginHub(of: {
  readonly processes: number;
  readonly lanes: number;
}): Promise<{ readonly place: string; end(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'fencepost-hub-'));
  const certificate = ensureHubCertificate(folder);
  if (!certificate.ok) throw new Error(certificate.error.message);
  const names = Array.from({ length: of.processes * of.lanes }, (_, index) => {
    return `device-${Math.floor(index / of.lanes)}-${index % of.lanes}`;
  });
  const devices = await letIn(folder, ['onlooker', ...names]);
  let child = start(folder, 0);
  const first = await readyOf(child);
  const place: HubUnderTest = { ...first, certificatePem: certificate.value.certificatePem, devices };
  const ending = new AbortController();
  const disturbed = disturb(ending.signal, {
    child: () => child,
    async restart() {
      await kill(child);
      child = start(folder, first.port);
      await readyOf(child);
    },
  });
  return {
    place: JSON.stringify(place),
    async end() {
      ending.abort();
      await disturbed;
      await kill(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Pairs devices with the hub of a folder; the secrets of each. */
export async function letIn(folder: string, names: readonly string[]): Promise<HubUnderTest['devices']> {
  const list = openSqliteDevices(folder);
  if (!list.ok) throw new Error(list.error.message);
  const devices: Record<string, { readonly token: string; readonly privateKey: string }> = {};
  for (const name of names) {
    const { privateKey, publicKey } = newDeviceKey();
    const token = newHubSecret();
    const device = { deviceId: name as DeviceId, name, publicKey, tokenHash: digestOf(token), pairedAtMs: 1 };
    await list.value.pair(device);
    devices[name] = { token, privateKey };
  }
  await list.value.close();
  return devices;
}

function start(folder: string, port: number): ChildProcess {
  return fork(HUB_PROGRAM, [folder, String(port)], { execArgv: ['--disable-warning=ExperimentalWarning'] });
}

async function readyOf(child: ChildProcess): Promise<Ready> {
  const ended = once(child, 'exit').then(() => {
    throw new Error('The hub ended by itself.');
  });
  ended.catch(() => undefined);
  const [message] = (await Promise.race([once(child, 'message'), ended])) as unknown[];
  return message as Ready;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** How long the hub works between two disturbances, ms. One in so many is its death: it takes a while to come back. */
const CALM_FROM_MS = 400;
const CALM_TO_MS = 2_000;
const KILL_EVERY = 5;
const STOP_TO_MS = 400;

/** Mostly a short stop, now and then a death. The hub's own timing is not repeatable, so neither are these. */
async function disturb(
  signal: AbortSignal,
  of: { readonly child: () => ChildProcess; readonly restart: () => Promise<void> },
): Promise<void> {
  for (let count = 1; !signal.aborted; count += 1) {
    const calmMs = CALM_FROM_MS + Math.random() * (CALM_TO_MS - CALM_FROM_MS);
    await setTimeout(calmMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    if (count % KILL_EVERY === 0) {
      HUB_FIGURES.kills += 1;
      await of.restart();
      continue;
    }
    HUB_FIGURES.stops += 1;
    of.child().kill('SIGSTOP');
    await setTimeout(Math.random() * STOP_TO_MS);
    of.child().kill('SIGCONT');
  }
}
