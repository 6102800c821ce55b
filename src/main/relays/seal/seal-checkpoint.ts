import { z } from 'zod';
import { BOX_LIMIT_CHARACTERS, CHECKPOINT_PART_LIMIT } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { RECOVERY_WRAP_LIMIT, wrappedKeySchema } from './key-ring.ts';
import type { KeyRing, WrappedKey } from './key-ring.ts';
import type { SealProblem } from './seal-problem.ts';
import { epochOfBox, openBox, sealBox } from './sealed-box.ts';
import type { BoxPlace } from './sealed-box.ts';

const wrapsSchema = z.array(wrappedKeySchema.extend({ deviceId: z.null() })).max(RECOVERY_WRAP_LIMIT);
/**
 * So many digits say how long the keys for the recovery words are, which are readable and stand before the box: a relay takes
 * nothing but the characters of base64url.
 */
const LENGTH_DIGITS = 8;

/** Which part of which checkpoint, `index` from 0. */
export interface PartPlace {
  readonly checkpointId: string;
  readonly index: number;
  readonly partCount: number;
}

/**
 * Encrypts a checkpoint, each chunk for its place. The first part says before its box how the recovery words get to the later
 * keys: what was rotated away is dropped with the operations, and a sheet must still open the rest.
 */
export function sealParts(
  ring: KeyRing,
  checkpointId: string,
  chunks: Iterable<string>,
): Result<readonly string[], SealProblem> {
  const all: string[] = [];
  for (const chunk of chunks) {
    if (all.length === CHECKPOINT_PART_LIMIT) {
      return err({ kind: 'too-large', what: 'the number of parts', limit: CHECKPOINT_PART_LIMIT });
    }
    if (!chunk.isWellFormed()) return err({ kind: 'malformed', what: 'a part of a checkpoint' });
    all.push(chunk);
  }
  const parts: string[] = [];
  for (const [index, chunk] of all.entries()) {
    const shown = index === 0 ? Buffer.from(JSON.stringify(ring.recoveryWraps), 'utf8').toString('base64url') : '';
    const place = placeOf({ checkpointId, index, partCount: all.length }, shown);
    const box = sealBox(ring, place, { plaintext: Buffer.from(chunk, 'utf8'), epoch: ring.currentEpoch });
    if (!box.ok) return box;
    const part = `${String(shown.length).padStart(LENGTH_DIGITS, '0')}${shown}${box.value}`;
    if (part.length > BOX_LIMIT_CHARACTERS)
      return err({ kind: 'too-large', what: 'a part', limit: BOX_LIMIT_CHARACTERS });
    parts.push(part);
  }
  return ok(parts);
}

/** Decrypts one part of a checkpoint. What opens was sealed by a device of the space, for exactly this place. */
export function openPart(ring: KeyRing, place: PartPlace, part: string): Result<string, SealProblem> {
  const split = splitPart(part);
  if (!split.ok) return split;
  const { shown, box } = split.value;
  const plaintext = openBox(ring, placeOf(place, shown), box);
  return plaintext.ok ? ok(plaintext.value.toString('utf8')) : plaintext;
}

/** The epoch of the key that a part says it was sealed with; 0 for what is no part. */
export function epochOfPart(part: string): number {
  const split = splitPart(part);
  return split.ok ? epochOfBox(split.value.box) : 0;
}

/**
 * The keys for the recovery words that the first part of a checkpoint shows, for `newKeyRing`. Anybody could have written them
 * there; that the part opens afterwards proves them.
 */
export function readRecoveryWraps(firstPart: string): Result<readonly WrappedKey[], SealProblem> {
  const split = splitPart(firstPart);
  if (!split.ok) return split;
  try {
    const read = wrapsSchema.safeParse(JSON.parse(Buffer.from(split.value.shown, 'base64url').toString('utf8')));
    if (read.success) return ok(read.data);
  } catch {
    // Not JSON; said below.
  }
  return err({ kind: 'malformed', what: 'the keys for the recovery words' });
}

function splitPart(part: string): Result<{ readonly shown: string; readonly box: string }, SealProblem> {
  if (part.length > BOX_LIMIT_CHARACTERS)
    return err({ kind: 'too-large', what: 'a part', limit: BOX_LIMIT_CHARACTERS });
  const digits = part.slice(0, LENGTH_DIGITS);
  const end = LENGTH_DIGITS + Number(digits);
  if (!/^\d{8}$/u.test(digits) || end > part.length) return err({ kind: 'malformed', what: 'a part of a checkpoint' });
  const shown = part.slice(LENGTH_DIGITS, end);
  // Bound as text, so text that has no bytes of its own must not get so far.
  if (!shown.isWellFormed()) return err({ kind: 'malformed', what: 'a part of a checkpoint' });
  return ok({ shown, box: part.slice(end) });
}

function placeOf({ checkpointId, index, partCount }: PartPlace, shown: string): BoxPlace {
  return { purpose: 'checkpoint', bound: [checkpointId, String(index), String(partCount), shown] };
}
