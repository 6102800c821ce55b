import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { CHECKPOINT_PART_LIMIT, coversFrontier } from '../../../shared/core/sync/sealed.ts';
import type { CheckpointHeader } from '../../../shared/core/sync/sealed.ts';
import type { DeviceFolder } from './device-folder.ts';
import { unreachable } from './folder-failures.ts';
import type { OwnFiles } from './own-files.ts';
import type { OwnFolder } from './push-operations.ts';
import {
  COUNT_LIMIT,
  DEVICE_LIMIT,
  isBox,
  PART_NAME_LENGTH,
  partName,
  sealCheckpoint,
  sealPart,
} from './relay-records.ts';
import type { CheckpointRecord } from './relay-records.ts';

/** Why a checkpoint cannot be taken as it is; `null` if it can. */
export function checkpointProblem(
  header: CheckpointHeader,
  of: { readonly parts: readonly string[]; readonly deviceId: DeviceId },
): Problem | null {
  if (header.deviceId !== of.deviceId) {
    return problem('relay-foreign', 'A device can only hand over checkpoints that it made itself.');
  }
  const isCounted = header.partCount === of.parts.length && header.partCount >= 1;
  const isSmall = header.partCount <= CHECKPOINT_PART_LIMIT && Object.keys(header.frontier).length <= DEVICE_LIMIT;
  const isNamed = /^[0-9a-f]{64}$/u.test(header.checkpointId);
  if (isCounted && isSmall && isNamed && of.parts.every(isBox)) return null;
  return problem('input-invalid', 'The checkpoint is not whole, or not in a form that can be carried.');
}

/** Writes the parts and the head after them, so that nobody sees less than all. Rejects with the system's error. */
export async function writeCheckpoint(
  own: OwnFiles,
  of: { readonly header: CheckpointHeader; readonly parts: readonly string[]; readonly rank: number },
): Promise<void> {
  const { checkpointId, deviceId, frontier } = of.header;
  const digests: string[] = [];
  for (const [index, box] of of.parts.entries()) {
    const part = sealPart({ kind: 'part', deviceId, checkpointId, index, box });
    await own.place(part);
    digests.push(part.digest);
  }
  const rank = Math.min(COUNT_LIMIT, of.rank);
  await own.place(sealCheckpoint({ kind: 'checkpoint', deviceId, checkpointId, rank, frontier, parts: digests }));
}

/** Whether a checkpoint of the device itself is there as a whole. */
export async function isKept(files: DeviceFolder, checkpointId: string): Promise<boolean> {
  for (const { checkpoint } of files.checkpoints) {
    if (checkpoint.checkpointId === checkpointId && (await files.isWhole(checkpoint))) return true;
  }
  return false;
}

/** Some of it was removed while it was being written. */
export function checkpointLost(folder: string): Problem {
  return unreachable(
    folder,
    `The folder ${folder} was changed while a checkpoint was being written, so it is not whole.`,
  );
}

/** Removes the device's own checkpoints that the newest one makes needless, and parts that belong to none. */
export async function dropCheckpoints({ files, own }: OwnFolder, newest: CheckpointRecord): Promise<void> {
  const heads = files.checkpoints.map(({ file, checkpoint }) => {
    const isOther = checkpoint.checkpointId !== newest.checkpointId || checkpoint.deviceId !== newest.deviceId;
    return { file, checkpoint, isNeedless: isOther && coversFrontier(newest.frontier, checkpoint.frontier) };
  });
  const needless = heads.filter((head) => head.isNeedless).map((head) => head.file);
  const kept = heads.filter((head) => !head.isNeedless).flatMap((head) => head.checkpoint.parts);
  const named = new Set(kept.map(partName));
  const parts = files.partFiles.filter((file) => !named.has(file.slice(0, PART_NAME_LENGTH)));
  if (needless.length + parts.length === 0) return;
  // Heads first: a head without its parts would be looked at again and again.
  await own.remove([...needless, ...parts]);
  await files.look();
}
