import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { BOX_LIMIT_CHARACTERS, CHECKPOINT_PART_LIMIT } from '../../../shared/core/sync/sealed.ts';
import type { CheckpointHeader, Frontier, SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { PulledOperations, RelayState } from '../../relays/relay.ts';
import type { HubDevices } from '../hub-devices.ts';
import { foreignProblem, hubRelayUnreachable, unfitProblem } from './relay-problem.ts';
import type { CheckpointPart, RelayAsker, RelayStorage } from './relay-storage.ts';

/** The journals of a hub, and who may have them. */
export interface RelayParts {
  readonly storage: RelayStorage;
  readonly devices: HubDevices;
}

/** What one device may do with the journals, through the door or on the machine of the hub itself. */
export class RelaySeat {
  readonly #parts: RelayParts;
  readonly #deviceId: DeviceId;

  constructor(parts: RelayParts, deviceId: DeviceId) {
    this.#parts = parts;
    this.#deviceId = deviceId;
  }

  contact(): Promise<Result<RelayState, Problem>> {
    return this.#asAsker((asker) => this.#parts.storage.contact(asker));
  }

  async push(operations: readonly SealedOperation[]): Promise<Result<{ readonly head: number }, Problem>> {
    // Looked at before anything is kept: one entry of another device spoils the whole batch.
    if (operations.some(({ deviceId }) => deviceId !== this.#deviceId)) return err(foreignProblem());
    return await this.#parts.storage.push(this.#deviceId, operations);
  }

  pull(have: Frontier): Promise<Result<PulledOperations, Problem>> {
    return this.#parts.storage.pull(have);
  }

  acknowledge(have: Frontier): Promise<Result<null, Problem>> {
    return this.#parts.storage.acknowledge(this.#deviceId, have);
  }

  beginCheckpoint(header: CheckpointHeader): Promise<Result<{ readonly uploadId: string | null }, Problem>> {
    return this.#parts.storage.beginCheckpoint(this.#deviceId, header);
  }

  addPart(of: Omit<CheckpointPart, 'deviceId'>): Promise<Result<null, Problem>> {
    return this.#parts.storage.addPart({ ...of, deviceId: this.#deviceId });
  }

  endCheckpoint(uploadId: string): Promise<Result<null, Problem>> {
    return this.#parts.storage.endCheckpoint({ deviceId: this.#deviceId, uploadId });
  }

  checkpointPart(checkpointId: string, index: number): Promise<Result<string, Problem>> {
    return this.#parts.storage.checkpointPart(checkpointId, index);
  }

  collect(): Promise<Result<{ readonly dropped: number }, Problem>> {
    return this.#asAsker((asker) => this.#parts.storage.collect(asker));
  }

  letGo(deviceId: DeviceId): Promise<Result<null, Problem>> {
    return this.#parts.storage.letGo(deviceId);
  }

  /** Told when another device has pushed; its own pushes are no news to it. */
  onChange(listener: () => void): () => void {
    return this.#parts.storage.onPush((deviceId) => {
      if (deviceId !== this.#deviceId) listener();
    });
  }

  /** Where the list of devices cannot be read, nobody knows whose wishes still count, and nothing is decided. */
  async #asAsker<Value>(ask: (asker: RelayAsker) => Promise<Result<Value, Problem>>): Promise<Result<Value, Problem>> {
    const listed = await this.#parts.devices.list();
    if (!listed.ok) return err(hubRelayUnreachable(listed.error.message));
    const gone = listed.value.filter(({ revokedAtMs }) => revokedAtMs !== null);
    return await ask({ deviceId: this.#deviceId, removed: new Set(gone.map(({ deviceId }) => deviceId)) });
  }
}

/** Hands over a checkpoint part by part, by whichever way. Answers what the first refusal was. */
export async function putInParts(
  way: Pick<RelaySeat, 'beginCheckpoint' | 'addPart' | 'endCheckpoint'>,
  header: CheckpointHeader,
  parts: readonly string[],
): Promise<Result<null, Problem>> {
  if (!isWhole(header, parts)) return err(unfitProblem('The summary is not complete, or it is too large.'));
  const begun = await way.beginCheckpoint(header);
  if (!begun.ok) return begun;
  const { uploadId } = begun.value;
  if (uploadId === null) return ok(null);
  for (const [index, part] of parts.entries()) {
    const added = await way.addPart({ uploadId, index, part });
    if (!added.ok) return added;
  }
  return await way.endCheckpoint(uploadId);
}

function isWhole({ partCount }: CheckpointHeader, parts: readonly string[]): boolean {
  const isCounted = parts.length === partCount && partCount > 0 && partCount <= CHECKPOINT_PART_LIMIT;
  return isCounted && parts.every(({ length }) => length <= BOX_LIMIT_CHARACTERS);
}
