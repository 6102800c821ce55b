import { shareJournals } from '../../src/main/compose-sync.ts';
import type { Host } from '../../src/main/host/host.ts';
import type { JournalSharing } from '../../src/main/host/sync/journal-sharing.ts';
import type { CondensingTerms } from '../../src/main/host/sync/condensing.ts';
import { ok } from '../../src/shared/lib/result.ts';
import { DeviceKeys } from './device-keys.ts';
import type { EventQueue, Owner } from './event-queue.ts';
import type { Random } from '../harness/random.ts';
import type { RelayOpener } from './sim-relays.ts';

/** How soon a person tries again to join, ms. */
const JOIN_AGAIN_MS = 5_000;

/** What the sharing of one device is made of. */
export interface DeviceSharingOptions {
  readonly queue: EventQueue;
  readonly random: Random;
  readonly words: string;
  readonly condensing: CondensingTerms;
  readonly openRelay: RelayOpener;
  /** The process is gone, whatever it was doing. */
  died(): void;
  readonly log: (line: { event: string; code?: string; message?: string }) => void;
}

/** The real exchange of journals on one simulated machine, begun anew with each start of its host. */
export class DeviceSharing {
  /** `null` while the device is off. */
  sync: JournalSharing | null = null;
  readonly #of: DeviceSharingOptions;
  readonly #keys: DeviceKeys;

  constructor(of: DeviceSharingOptions) {
    this.#of = of;
    this.#keys = new DeviceKeys(of.random);
  }

  async start(host: Host, owner: Owner): Promise<void> {
    const { ports } = host.state;
    const { condensing, openRelay, log } = this.#of;
    const sync = await shareJournals(
      {
        ports: { ...ports, log },
        host,
        keys: this.#keys,
        open: (place) => openRelay(owner, ports.device.deviceId, place),
        keepSecrets: () => Promise.resolve(ok(null)),
        isRegisterShared: () => true,
      },
      { version: '1.0.0', condensing },
    );
    if (!owner.isAlive) return;
    this.sync = sync;
    await this.#join(sync, owner);
  }

  /** The person types the words, and again where nothing answers. */
  async #join(sync: JournalSharing, owner: Owner): Promise<void> {
    if (sync.status() !== null || this.sync !== sync) return;
    const { queue, words } = this.#of;
    const joined = await sync.join({ kind: 'hub' }, { words, secrets: { password: '', privateKeyPem: '' } });
    if (!joined.ok) queue.after(JOIN_AGAIN_MS, owner, () => void this.#join(sync, owner));
  }

  died(): void {
    this.sync = null;
    this.#of.died();
  }

  /** What is on this machine from now on is another device. */
  forgot(): void {
    this.#keys.beginAnew();
  }
}
