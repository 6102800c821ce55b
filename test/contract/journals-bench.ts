import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { HostBench } from '../../src/main/host/testing/host-bench.ts';
import type { SyncControl } from '../../src/main/host/sync/sync-control.ts';
import { foldHash } from '../../src/main/store/fold-hash.ts';
import type { RelayChoice } from '../../src/shared/contract/sync-requests.ts';
import { must } from '../../src/main/store/testing/temporary-folder.ts';

const NO_SECRETS = { password: '', privateKeyPem: '' };

/** A whole device: the real host with a record of its own, on a register that all of them share. */
export class JournalDevice {
  readonly bench: HostBench;
  readonly profileFolder: string;
  readonly #registerFile: string;

  private constructor(bench: HostBench, profileFolder: string, registerFile: string) {
    this.bench = bench;
    this.profileFolder = profileFolder;
    this.#registerFile = registerFile;
  }

  static async start(
    folder: string,
    name: string,
    registerFile = join(folder, 'register.sqlite'),
  ): Promise<JournalDevice> {
    const profileFolder = join(folder, name);
    mkdirSync(profileFolder, { recursive: true });
    return new JournalDevice(await HostBench.start(profileFolder, registerFile), profileFolder, registerFile);
  }

  /** The same profile, started again. */
  async again(): Promise<JournalDevice> {
    return new JournalDevice(
      await HostBench.start(this.profileFolder, this.#registerFile),
      this.profileFolder,
      this.#registerFile,
    );
  }

  get sync(): SyncControl {
    const { sync } = this.bench.host.control;
    if (sync === null) throw new Error('This host shares nothing.');
    return sync;
  }

  get deviceId(): string {
    return this.bench.host.control.device.deviceId;
  }

  async create(relay: RelayChoice): Promise<string> {
    return must(await this.sync.create(relay, NO_SECRETS)).join(' ');
  }

  async join(relay: RelayChoice, words: string): Promise<void> {
    must(await this.sync.join(relay, { words, secrets: NO_SECRETS }));
  }

  hash(): string {
    const connection = this.bench.host.control.connection();
    if (connection === null) throw new Error('The record is not open.');
    return foldHash(connection.db);
  }

  close(): Promise<void> {
    return this.bench.close();
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
  const known = devices.map(
    (device) => device.bench.rows<{ count: number }>('SELECT count(DISTINCT device_id) AS count FROM ops')[0]?.count,
  );
  expect(known).toEqual(devices.map(() => devices.length));
}
