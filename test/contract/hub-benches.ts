import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHubCoordinator } from '../../src/main/coordinators/hub/hub-coordinator.ts';
import type { HubCoordinator } from '../../src/main/coordinators/hub/hub-coordinator.ts';
import type { LeaseCoordinator } from '../../src/main/coordinators/lease-coordinator.ts';
import { openHubRegister } from '../../src/main/coordinators/sqlite/hub-register.ts';
import type { HubRegister } from '../../src/main/coordinators/sqlite/hub-register.ts';
import { openSqliteDevices } from '../../src/main/coordinators/sqlite/sqlite-devices.ts';
import { openSqliteRelay } from '../../src/main/coordinators/sqlite/sqlite-relay.ts';
import { ensureHubCertificate } from '../../src/main/hub/certificate.ts';
import type { HubCertificate } from '../../src/main/hub/certificate.ts';
import type { HubDevices } from '../../src/main/hub/hub-devices.ts';
import type { HubLimits } from '../../src/main/hub/hub-limits.ts';
import type { RelayStorage } from '../../src/main/hub/relay/relay-storage.ts';
import { digestOf, newDeviceKey, newHubSecret } from '../../src/main/hub/proofs.ts';
import { startHub } from '../../src/main/hub/start-hub.ts';
import type { Hub } from '../../src/main/hub/start-hub.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import type { CoordinatorBench } from './coordinator-bench.ts';
import { must } from './sqlite-benches.ts';

const VERSION = '0.0.0-test';

/** A clock that a test moves, ms. */
interface Passing {
  nowMs: number;
}

/** The hub's register without its door. */
export async function makeHubRegisterBench(): Promise<CoordinatorBench> {
  const folder = mkdtempSync(join(tmpdir(), 'fencepost-hub-'));
  const time: Passing = { nowMs: 1_000 };
  const open = async () => must(await openHubRegister({ folder, version: VERSION, nowMs: () => time.nowMs }));
  let register = await open();
  return {
    coordinator: () => register,
    pass: async (ms) => void (time.nowMs += ms),
    async restart() {
      await register.close();
      register = await open();
    },
    beginsLeasesAgain: true,
    async close() {
      await register.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a device keeps to get in. */
export interface DeviceKeys {
  readonly deviceId: DeviceId;
  readonly token: string;
  readonly privateKey: string;
}

/** A real hub in a folder of its own, whose register goes by a time that the test moves. */
export interface RunningHub {
  readonly folder: string;
  readonly certificate: HubCertificate;
  hub(): Hub;
  register(): HubRegister;
  devices(): HubDevices;
  /** The journals it carries. */
  journals(): RelayStorage;
  /** Lets the time of the register and of the door go on, ms. */
  pass(ms: number): void;
  /** Lets a device in without the ceremony. */
  letIn(deviceId: string): Promise<DeviceKeys>;
  /** A client of that device; `port` for one that goes through a proxy. */
  connect(keys: DeviceKeys, port?: number): Promise<HubCoordinator>;
  /** Ends the hub; its folder stays until `close`. */
  stop(): Promise<void>;
  /** Tells the hub that it is also called by this port, as behind a router. */
  alsoCalledBy(port: number): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function startTestHub(limits: Partial<HubLimits> = {}): Promise<RunningHub> {
  const folder = mkdtempSync(join(tmpdir(), 'fencepost-hub-'));
  const time: Passing = { nowMs: 1_000 };
  const certificate = must(ensureHubCertificate(folder));
  const clients: HubCoordinator[] = [];
  const addresses: string[] = [];
  const open = async (port: number) => {
    const register = must(await openHubRegister({ folder, version: VERSION, nowMs: () => time.nowMs }));
    const devices = must(openSqliteDevices(folder));
    const wallMs = () => Date.now() + time.nowMs;
    const journals = must(openSqliteRelay({ folder, wallMs }));
    const relay = { ok: true, value: journals } as const;
    const of = { backend: register, devices, relay, certificate, host: '127.0.0.1', port, limits, addresses };
    const nowMs = () => performance.now() + time.nowMs;
    const hub = must(await startHub({ ...of, name: 'Test hub', nowMs, log: { write: () => undefined } }));
    return { register, devices, journals, hub };
  };
  let opened = await open(0);
  const end = async () => {
    await opened.hub.close();
    await opened.journals.close();
    await opened.devices.close();
    await opened.register.close();
  };
  const running: RunningHub = {
    folder,
    certificate,
    hub: () => opened.hub,
    register: () => opened.register,
    devices: () => opened.devices,
    journals: () => opened.journals,
    pass: (ms) => void (time.nowMs += ms),
    async letIn(name) {
      const deviceId = name as DeviceId;
      const token = newHubSecret();
      const { privateKey, publicKey } = newDeviceKey();
      must(await opened.devices.pair({ deviceId, name, publicKey, tokenHash: digestOf(token), pairedAtMs: 1 }));
      return { deviceId, token, privateKey };
    },
    async connect(keys, port = opened.hub.port) {
      const { certificatePem } = certificate;
      const of = { addresses: ['127.0.0.1'], port, certificatePem, name: 'Test hub' };
      const client = must(await openHubCoordinator({ ...of, ...keys }));
      clients.push(client);
      return client;
    },
    stop: end,
    async alsoCalledBy(port) {
      addresses.push(`127.0.0.1:${port}`);
      await running.restart();
    },
    async restart() {
      const { port } = opened.hub;
      await end();
      opened = await open(port);
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return running;
}

/** The hub as its devices see it: each verb goes through the client of the device that it names. */
export async function makeHubBench(): Promise<CoordinatorBench> {
  const running = await startTestHub();
  let crowd = await openCrowd(running);
  return {
    coordinator: () => crowd,
    pass: async (ms) => running.pass(ms),
    async restart() {
      await crowd.close();
      await running.restart();
      crowd = await openCrowd(running);
    },
    beginsLeasesAgain: true,
    async close() {
      await crowd.close();
      await running.close();
    },
  };
}

/** Many devices, each with a client of its own, as one coordinator. */
async function openCrowd(running: RunningHub): Promise<LeaseCoordinator> {
  const clients = new Map<string, Promise<HubCoordinator>>();
  const clientOf = (deviceId: string): Promise<HubCoordinator> => {
    const client = clients.get(deviceId) ?? running.letIn(deviceId).then((keys) => running.connect(keys));
    clients.set(deviceId, client);
    return client;
  };
  // A device is removed and let in again at each restart: the keys of the tests are not kept.
  for (const { deviceId } of must(await running.devices().list())) await running.devices().revoke(deviceId, 1);
  const onlooker = await clientOf('onlooker');
  return {
    identity: onlooker.identity,
    name: onlooker.name,
    inside: null,
    ask: async (agentId, verb) => (await clientOf(verb.deviceId)).ask(agentId, verb),
    current: (agentId) => onlooker.current(agentId),
    async close() {
      await Promise.all([...clients.values()].map(async (client) => (await client).close()));
    },
  };
}
