import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import type { CheckpointHeader, Frontier, SealedOperation } from '../../../shared/core/sync/sealed.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { PulledOperations, RelayState } from '../../relays/relay.ts';

/** How many devices one hub carries for, in all its life: every frontier names each of them. */
export const RELAY_DEVICE_LIMIT = 256;

/** Who speaks, and whom the hub let in no more by now: those pin nothing. */
export interface RelayAsker {
  readonly deviceId: DeviceId;
  readonly removed: ReadonlySet<DeviceId>;
}

/**
 * Where a hub keeps the journals it carries: a file in its folder, or a database that several hubs share. Every call means what
 * the relay port says of the call with its name; whoever calls has found out which device speaks. An error is an unknown
 * outcome unless its code says otherwise.
 */
export interface RelayStorage {
  contact(asker: RelayAsker): Promise<Result<RelayState, Problem>>;
  push(deviceId: DeviceId, operations: readonly SealedOperation[]): Promise<Result<{ readonly head: number }, Problem>>;
  pull(have: Frontier): Promise<Result<PulledOperations, Problem>>;
  acknowledge(deviceId: DeviceId, have: Frontier): Promise<Result<null, Problem>>;
  /** Begins to take a checkpoint, part by part; `uploadId` is `null` where it is passed over or held already. */
  beginCheckpoint(
    deviceId: DeviceId,
    header: CheckpointHeader,
  ): Promise<Result<{ readonly uploadId: string | null }, Problem>>;
  /** Keeps one part; the same one again takes its place. Only for the device that began. */
  addPart(of: CheckpointPart): Promise<Result<null, Problem>>;
  /** Makes it the newest, if all parts are there and none that knows more came meanwhile. */
  endCheckpoint(of: Pick<CheckpointPart, 'deviceId' | 'uploadId'>): Promise<Result<null, Problem>>;
  checkpointPart(checkpointId: string, index: number): Promise<Result<string, Problem>>;
  collect(asker: RelayAsker): Promise<Result<{ readonly dropped: number }, Problem>>;
  letGo(deviceId: DeviceId): Promise<Result<null, Problem>>;
  /** Told whose push brought something new. Ends with the call of the answer. */
  onPush(listener: (deviceId: DeviceId) => void): () => void;
  close(): Promise<void>;
}

/** A part of a checkpoint on its way in. */
export interface CheckpointPart {
  readonly deviceId: DeviceId;
  readonly uploadId: string;
  /** From 0. */
  readonly index: number;
  readonly part: string;
}
