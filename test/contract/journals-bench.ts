import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { HostBench, twoSteps } from '../../src/main/host/testing/host-bench.ts';
import type { CondensingTerms } from '../../src/main/host/sync/condensing.ts';
import type { SyncControl } from '../../src/main/host/sync/sync-control.ts';
import { foldHash } from '../../src/main/store/fold-hash.ts';
import { must } from '../../src/main/store/testing/temporary-folder.ts';
import type { Answer, RequestOf, Route } from '../../src/shared/contract/api.ts';
import type { CoordinatorSecrets } from '../../src/shared/contract/coordinator-requests.ts';
import type { RunId } from '../../src/shared/contract/identifiers.ts';
import type { RelayChoice } from '../../src/shared/contract/sync-requests.ts';
import type { Receiver } from '../harness/receiver.ts';

const NO_SECRETS: CoordinatorSecrets = { password: '', privateKeyPem: '' };

/** Where a device of a test lives. */
interface DevicePlace {
  readonly profileFolder: string;
  /** `null`: the register that the profile has chosen, at first the embedded one. */
  readonly registerFile: string | null;
  readonly condensing?: CondensingTerms;
}

/** A whole device: the real host with a record of its own, on a register that all of them share unless a test says otherwise. */
export class JournalDevice {
  readonly bench: HostBench;
  readonly #place: DevicePlace;

  private constructor(bench: HostBench, place: DevicePlace) {
    this.bench = bench;
    this.#place = place;
  }

  static async start(
    folder: string,
    name: string,
    registerFile: string | null = join(folder, 'register.sqlite'),
    more: Pick<DevicePlace, 'condensing'> = {},
  ): Promise<JournalDevice> {
    const profileFolder = join(folder, name);
    mkdirSync(profileFolder, { recursive: true });
    return JournalDevice.#open({ profileFolder, registerFile, ...more });
  }

  /** The same profile, started again. */
  again(): Promise<JournalDevice> {
    return JournalDevice.#open(this.#place);
  }

  static async #open(place: DevicePlace): Promise<JournalDevice> {
    const { profileFolder, registerFile, ...more } = place;
    return new JournalDevice(await HostBench.start(profileFolder, registerFile ?? undefined, more), place);
  }

  get profileFolder(): string {
    return this.#place.profileFolder;
  }

  get sync(): SyncControl {
    const { sync } = this.bench.host.control;
    if (sync === null) throw new Error('This host shares nothing.');
    return sync;
  }

  get deviceId(): string {
    return this.bench.host.control.device.deviceId;
  }

  async create(relay: RelayChoice, secrets = NO_SECRETS): Promise<string> {
    return must(await this.sync.create(relay, secrets)).join(' ');
  }

  async join(relay: RelayChoice, words: string, secrets = NO_SECRETS): Promise<void> {
    must(await this.sync.join(relay, { words, secrets }));
  }

  /** As a window of this device asks. */
  async call<R extends Route>(route: R, request: RequestOf<R>): Promise<Answer<R>> {
    const handler = this.bench.host.handlers[route] as (input: unknown, caller: unknown) => Promise<unknown>;
    return (await handler(request, { surface: 'browser', name: 'Test' })) as Answer<R>;
  }

  hash(): string {
    const connection = this.bench.host.control.connection();
    if (connection === null) throw new Error('The record is not open.');
    return foldHash(connection.db);
  }

  close(): Promise<void> {
    return this.bench.close();
  }

  /** The process is gone: nothing is handed over any more and nothing is given up. */
  async vanish(): Promise<void> {
    await this.bench.host.close();
  }
}

/** Exchanges until all have everything, and checks that all make the same of it. */
export async function settle(devices: readonly JournalDevice[]): Promise<void> {
  for (const [first] = devices; ;) {
    if (first === undefined) throw new Error('There is no device.');
    await first.bench.until('all know the same', () => {
      for (const device of devices) void device.sync.now();
      return new Set(devices.map((device) => device.hash())).size === 1;
    });
    for (const device of devices) must(await device.sync.now());
    if (new Set(devices.map((device) => device.hash())).size === 1) break;
  }
  // Nobody agrees because nothing arrived; devices that are not asked here may have written, too.
  for (const { bench } of devices) {
    const known = bench.rows<{ device_id: string }>('SELECT DISTINCT device_id FROM ops').map((row) => row.device_id);
    expect(known).toEqual(expect.arrayContaining(devices.map((device) => device.deviceId)));
  }
}

/** A run of the first device, and all that the others have to know of it when they have everything. */
export async function expectRunToTravel(devices: readonly JournalDevice[], receiver: Receiver): Promise<void> {
  const [author, ...others] = devices;
  if (author === undefined || others.length === 0) throw new Error('There is nobody to tell.');
  const runId = await author.bench.run(await author.bench.agent(twoSteps('report', receiver.origin)));
  expect(await author.bench.ended(runId)).toBe('done');
  await settle(devices);
  for (const { bench } of others) {
    expect(bench.look(runId)).toMatchObject({ ending: 'done' });
    expect(bench.rows('SELECT 1 FROM grants WHERE revoked_at_ms IS NULL')).toHaveLength(1);
    expect(bench.rows('SELECT 1 FROM oracle WHERE run_id = ?', runId)).toHaveLength(3);
  }
  expect(receiver.received).toHaveLength(2);
}

/** What a device did before anybody shared anything, on one that comes later. */
export async function expectPastToTravel(
  author: JournalDevice,
  receiver: Receiver,
  bring: () => Promise<JournalDevice>,
): Promise<void> {
  const agentId = await author.bench.agent(twoSteps('report', receiver.origin));
  for (let press = 0; press < 5; press += 1)
    await author.bench.ended(await author.bench.run(agentId, `press ${press}`));
  const late = await bring();
  await settle([author, late]);
  expect(late.bench.rows('SELECT 1 FROM runs')).toHaveLength(5);
  expect(receiver.received).toHaveLength(10);
}

/** How long the end of a run of one device takes to be in another one's record, ms, without anybody asking. */
export async function newsMs(from: JournalDevice, to: JournalDevice, runId: RunId): Promise<number> {
  await from.bench.ended(runId);
  const endedAtMs = performance.now();
  await to.bench.until('the news is there', () => to.bench.look(runId)?.ending === 'done');
  return performance.now() - endedAtMs;
}
