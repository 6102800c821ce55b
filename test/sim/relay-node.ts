import { openSqliteRelay } from '../../src/main/coordinators/sqlite/sqlite-relay.ts';
import type { HubDevices } from '../../src/main/hub/hub-devices.ts';
import { openHostRelay } from '../../src/main/hub/relay/host-relay.ts';
import type { RelayStorage } from '../../src/main/hub/relay/relay-storage.ts';
import type { Relay } from '../../src/main/relays/relay.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import { ok } from '../../src/shared/lib/result.ts';
import type { Result } from '../../src/shared/lib/result.ts';
import type { KeptJournals } from './kept-journals.ts';
import type { MachineClock } from './machine-clock.ts';

/** Nobody was removed from this hub. */
const DEVICES = { list: () => Promise.resolve(ok([])) } as Partial<HubDevices> as HubDevices;

/** The journals that the real hub keeps, on a machine of its own that stops, starts again, and whose disk fills up. */
export class RelayNode implements KeptJournals {
  isUp = true;
  isFull = false;
  readonly #folder: string;
  readonly #clock: MachineClock;
  readonly #listeners = new Set<{ readonly deviceId: DeviceId; readonly listener: () => void }>();
  #storage: RelayStorage;

  constructor(of: { readonly folder: string; readonly clock: MachineClock }) {
    this.#folder = of.folder;
    this.#clock = of.clock;
    this.#storage = this.#open();
  }

  #open(): RelayStorage {
    const opened = openSqliteRelay({
      folder: this.#folder,
      wallMs: () => this.#clock.read().wallMs,
      freeBytes: () => (this.isFull ? 0 : Number.MAX_SAFE_INTEGER),
    });
    if (!opened.ok) throw new Error(opened.error.message);
    opened.value.onPush((by) => {
      for (const { deviceId, listener } of this.#listeners) if (deviceId !== by) listener();
    });
    return opened.value;
  }

  open(): Promise<Result<null, Problem>> {
    return Promise.resolve(ok(null));
  }

  carry<Value>(act: () => Promise<Value>): Promise<Value> {
    return act();
  }

  relayOf(deviceId: DeviceId): Relay {
    return openHostRelay({ storage: this.#storage, devices: DEVICES }, { deviceId, name: 'Simulated hub' });
  }

  onChange(deviceId: DeviceId, listener: () => void): () => void {
    const entry = { deviceId, listener };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  async restart(): Promise<void> {
    await this.#storage.close();
    this.#storage = this.#open();
    this.isUp = true;
  }

  async close(): Promise<void> {
    await this.#storage.close();
  }
}
