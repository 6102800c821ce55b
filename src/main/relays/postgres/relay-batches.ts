import type { Problem } from '../../../shared/contract/errors.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import type { CheckpointHeader, Frontier, SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { RELAY_BATCH_CHARACTERS, RELAY_BATCH_OPERATIONS } from '../relay.ts';
import type { PulledOperations } from '../relay.ts';
import { checked, DamagedRelayError, pulledRowSchema } from './relay-answers.ts';
import { checkpointHeaderSchema, checkpointPartSchema, sealedOperationSchema } from './relay-answers.ts';
import { truncatedProblem, unfitProblem } from './relay-problems.ts';

/** How long the boxes are, taken together. */
export function charactersOf(operations: readonly SealedOperation[]): number {
  return operations.reduce((sum, { box }) => sum + box.length, 0);
}

/** Why these operations cannot be pushed, before anybody is asked; `null` if nothing is wrong with them. */
export function operationsMisfit(operations: readonly SealedOperation[]): Problem | null {
  const isTooMuch = operations.length > 1 && charactersOf(operations) > RELAY_BATCH_CHARACTERS;
  if (operations.length > RELAY_BATCH_OPERATIONS || isTooMuch) {
    return unfitProblem('These are more entries than a relay takes at once.');
  }
  const misfit = operations.find((operation) => !sealedOperationSchema.safeParse(operation).success);
  if (misfit === undefined) return null;
  return unfitProblem(
    'An entry of this device’s journal is longer than a relay takes, or not encrypted as it should be.',
  );
}

/** Why this checkpoint cannot be kept, before anybody is asked; `null` if nothing is wrong with it. */
export function checkpointMisfit(header: CheckpointHeader, parts: readonly string[]): Problem | null {
  const isFit = checkpointHeaderSchema.safeParse(header).success && parts.length === header.partCount;
  if (isFit && parts.every((part) => checkpointPartSchema.safeParse(part).success)) return null;
  return unfitProblem('The checkpoint is not whole, longer than a relay takes, or not encrypted as it should be.');
}

/** The next parts that go together in one question: one at least. */
export function partsFrom(parts: readonly string[], first: number): readonly string[] {
  let characters = 0;
  const batch: string[] = [];
  for (const part of parts.slice(first)) {
    characters += part.length;
    if (batch.length > 0 && characters > RELAY_BATCH_CHARACTERS) break;
    batch.push(part);
  }
  return batch;
}

/**
 * A page as it came from the database, each row checked, and each device's operations in order and without a gap after `have`.
 * Problem: `relay-truncated`.
 * @throws DamagedRelayError where rows were changed or deleted by somebody
 */
export function readPage(rows: readonly Record<string, unknown>[], have: Frontier): Result<PulledOperations, Problem> {
  const operations: SealedOperation[] = [];
  const known = new Map<string, number>();
  let isMore = false;
  for (const row of rows) {
    const read = checked(row, pulledRowSchema);
    if (read.kind === 'truncated') return err(truncatedProblem(read.device));
    if (read.kind === 'lost') throw lostRows();
    if (read.kind === 'more') {
      isMore = true;
      continue;
    }
    const { device: deviceId, at_seq: seq, at_wall_ms: wallMs, at_counter: counter, sealed } = read;
    if (seq !== (known.get(deviceId) ?? knownUpTo(have, deviceId)) + 1) throw lostRows();
    known.set(deviceId, seq);
    operations.push({ deviceId, seq, wallMs, counter, box: sealed });
  }
  return ok({ operations, isMore });
}

function lostRows(): DamagedRelayError {
  return new DamagedRelayError('Entries of a journal are missing in it, although they were not dropped.');
}
