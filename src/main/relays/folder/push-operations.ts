import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import type { SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { RELAY_BATCH_CHARACTERS, RELAY_BATCH_OPERATIONS } from '../relay.ts';
import { gapProblem } from './folder-failures.ts';
import type { DeviceFolder } from './device-folder.ts';
import { Journal } from './journal.ts';
import { mergePlan } from './merge-plan.ts';
import type { OwnFiles } from './own-files.ts';
import { isBox, printOf, sealSegment, SEGMENT_LIMIT_OPERATIONS } from './relay-records.ts';

/** Why a batch cannot be taken whatever is held; `null` if it can. */
export function batchProblem(operations: readonly SealedOperation[], deviceId: DeviceId): Problem | null {
  const foreign = operations.find((operation) => operation.deviceId !== deviceId);
  if (foreign !== undefined) {
    return problem('relay-foreign', 'A device can only hand over its own journal.', '', { seq: foreign.seq });
  }
  const characters = operations.reduce((sum, operation) => sum + operation.box.length, 0);
  const isTooMuch = operations.length > 1 && characters > RELAY_BATCH_CHARACTERS;
  if (isTooMuch || operations.length > RELAY_BATCH_OPERATIONS) {
    return problem('input-invalid', 'That is more than one push may hand over.', '', { count: operations.length });
  }
  for (const [index, { seq, wallMs, counter, box }] of operations.entries()) {
    const isNumbered = [seq, wallMs, counter].every((each) => Number.isSafeInteger(each) && each >= 0) && seq >= 1;
    if (!isNumbered || !isBox(box)) {
      return problem('input-invalid', `Entry ${seq} of the journal is not in a form that can be carried.`, '', { seq });
    }
    const before = operations[index - 1];
    if (before !== undefined && seq !== before.seq + 1) return gapProblem(seq, before.seq);
  }
  return null;
}

/** What of a batch is new, in pieces without a gap, and where it meets another operation. */
interface Placement {
  readonly runs: readonly (readonly SealedOperation[])[];
  readonly forkAt: number | null;
}

/** Sorts a batch against what is held. What is below the checkpoint, up to `base`, counts as held. */
export function placeBatch(
  operations: readonly SealedOperation[],
  of: { readonly journal: Journal; readonly base: number },
): Placement {
  const runs: SealedOperation[][] = [];
  let last = -1;
  for (const operation of operations) {
    const held = of.journal.holds(operation.seq, printOf(operation));
    if (held === 'other') return { runs, forkAt: operation.seq };
    if (held === 'same' || operation.seq <= of.base) continue;
    if (operation.seq !== last + 1) runs.push([]);
    runs.at(-1)?.push(operation);
    last = operation.seq;
  }
  return { runs, forkAt: null };
}

/** What of the device's own folder is worked on. */
export interface OwnFolder {
  readonly files: DeviceFolder;
  readonly own: OwnFiles;
}

/**
 * Makes one file of many small ones. The new one is whole and on disk before the others go, and in a copy of the folder
 * where it is the other way round something is missing for a while and nothing is wrong.
 */
export async function mergeSegments({ files, own }: OwnFolder): Promise<void> {
  const journal = new Journal(files.segments);
  const plan = journal.forks.length === 0 ? mergePlan(journal) : null;
  if (plan !== null) {
    const merged = new Map<number, SealedOperation>();
    for (const segment of plan) {
      const record = await files.readSegment(segment);
      if (record === null) return;
      for (const operation of record.operations) merged.set(operation.seq, operation);
    }
    const operations = [...merged.values()].toSorted((one, other) => one.seq - other.seq);
    if (operations.length > SEGMENT_LIMIT_OPERATIONS) return;
    await own.place(sealSegment(operations));
    await files.look();
  }
  const redundant = new Journal(files.segments).redundant();
  if (redundant.length === 0) return;
  await own.remove(redundant.map((segment) => segment.file));
  await files.look();
}

/** Drops the device's own operations up to `last`; what a file holds beyond that gets a file of its own first. */
export async function dropSegments({ files, own }: OwnFolder, last: number): Promise<void> {
  const gone: string[] = [];
  for (const segment of files.segments) {
    if (segment.first > last) continue;
    if (segment.last > last) {
      const record = await files.readSegment(segment);
      if (record === null) continue;
      await own.place(sealSegment(record.operations.slice(last - segment.first + 1)));
    }
    gone.push(segment.file);
  }
  await own.remove(gone);
  await files.look();
}
