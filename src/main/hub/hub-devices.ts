import type { Problem } from '../../shared/contract/errors.ts';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import type { Result } from '../../shared/lib/result.ts';

/** A device that a person let in, or had let in. */
export interface PairedDevice {
  readonly deviceId: DeviceId;
  /** What a person calls it. */
  readonly name: string;
  /** Its own Ed25519 key, raw, base64url. */
  readonly publicKey: string;
  /** SHA-256 of its token, base64url; `null` once it was removed. The token itself is nowhere but on the device. */
  readonly tokenHash: string | null;
  readonly pairedAtMs: number;
  readonly lastSeenAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** What a new pairing brings. */
export type NewDevice = Pick<PairedDevice, 'deviceId' | 'name' | 'publicKey' | 'pairedAtMs'> & {
  readonly tokenHash: string;
};

/**
 * The devices of one hub, or of all hubs on one PostgreSQL. It is asked for every request, so that a removal takes effect at
 * once wherever it was made. An error is doubt, and on doubt nobody is let in.
 */
export interface HubDevices {
  /** All of them, removed ones included, by name. */
  list(): Promise<Result<readonly PairedDevice[], Problem>>;
  find(deviceId: DeviceId): Promise<Result<PairedDevice | null, Problem>>;
  /**
   * Keeps a pairing, instead of an earlier one of the same device. A device that is paired with another key is refused
   * (`already-paired`): it would be a copied data folder. After a removal its name is free again.
   */
  pair(device: NewDevice): Promise<Result<null, Problem>>;
  /** `not-found` for one that was never here. */
  rename(deviceId: DeviceId, name: string): Promise<Result<null, Problem>>;
  /** Takes its token away. A second time changes nothing. */
  revoke(deviceId: DeviceId, atMs: number): Promise<Result<null, Problem>>;
  /** Remembers when it was last here; of no other consequence. */
  seen(deviceId: DeviceId, atMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Whether a pairing may take the place of what is kept. */
export function mayPair(known: PairedDevice | null, device: NewDevice): boolean {
  return known === null || known.revokedAtMs !== null || known.publicKey === device.publicKey;
}
