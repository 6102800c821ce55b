import type { Problem } from '../../shared/contract/errors.ts';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import type { CheckpointHeader, Frontier, SealedOperation } from '../../shared/core/sync/sealed.ts';
import type { Result } from '../../shared/lib/result.ts';

/** The most operations of one push or pull, and about how many characters of boxes; one operation always fits. */
export const RELAY_BATCH_OPERATIONS = 1_000;
export const RELAY_BATCH_CHARACTERS = 4 * 1_048_576;

/** A device as its relay knows it. */
export interface RelayMember {
  readonly deviceId: DeviceId;
  /** Its last contact, by the relay's clock, wall ms. */
  readonly lastSeenAtMs: number;
  /** What it has folded and will not ask for again. */
  readonly acknowledged: Frontier;
  /** A person let it go: nothing is kept for it any more. It comes back with its next contact, from the checkpoint on. */
  readonly isLetGo: boolean;
}

/** What a relay holds. */
export interface RelayState {
  /** The last operation held of each device without a gap before it; what is below the checkpoint counts as held. */
  readonly heads: Frontier;
  readonly members: readonly RelayMember[];
  /** The newest checkpoint; `null` if there is none. */
  readonly checkpoint: CheckpointHeader | null;
}

/** A page of operations, each device's in order and without a gap after what was asked for. */
export interface PulledOperations {
  readonly operations: readonly SealedOperation[];
  /** There is more: ask again after folding these. */
  readonly isMore: boolean;
}

/**
 * Carries journals between devices and decides nothing (protocol section 7). All relays mean the same by every call, and one
 * conformance suite shows it. An error is an unknown outcome unless its code says otherwise; each call may be repeated.
 */
export interface Relay {
  /** What a person calls it. */
  readonly name: string;
  /** Says that this device is here, and tells what there is. */
  contact(): Promise<Result<RelayState, Problem>>;
  /**
   * Hands over this device's own operations, in order; at most one batch. Those already held are passed over. Errors:
   * `relay-fork` where another operation is held at that place, `relay-gap` where one is missing before the first,
   * `relay-foreign` for operations of another device.
   */
  push(operations: readonly SealedOperation[]): Promise<Result<{ readonly head: number }, Problem>>;
  /**
   * Operations after `have`, at most one batch. Error `relay-truncated` where some of them were dropped below the checkpoint:
   * the checkpoint comes first then.
   */
  pull(have: Frontier): Promise<Result<PulledOperations, Problem>>;
  /** Says what this device has folded durably. Never goes back. */
  acknowledge(have: Frontier): Promise<Result<null, Problem>>;
  /** Keeps a checkpoint, whole or not at all. One that knows less than the newest one in any part is passed over. */
  putCheckpoint(header: CheckpointHeader, parts: readonly string[]): Promise<Result<null, Problem>>;
  /** One part of a checkpoint, `index` from 0; `relay-truncated` where a newer one took its place. */
  checkpointPart(checkpointId: string, index: number): Promise<Result<string, Problem>>;
  /** Drops operations that the newest checkpoint covers and every member that was not let go has acknowledged. */
  collect(): Promise<Result<{ readonly dropped: number }, Problem>>;
  /** Keeps nothing for a device any more. */
  letGo(deviceId: DeviceId): Promise<Result<null, Problem>>;
  /** Where a relay tells by itself that there is something new; others are asked from time to time. Ends with the call of the answer. */
  readonly onChange?: (listener: () => void) => () => void;
  /** May be called more than once. Every later question is answered with a problem. */
  close(): Promise<void>;
}
