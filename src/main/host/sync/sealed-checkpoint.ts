import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import type { CheckpointHeader, Frontier } from '../../../shared/core/sync/sealed.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Relay } from '../../relays/relay.ts';
import { newKeyRing } from '../../relays/seal/key-ring.ts';
import type { KeyRing } from '../../relays/seal/key-ring.ts';
import { epochOfPart, openPart, readRecoveryWraps, sealParts } from '../../relays/seal/seal-checkpoint.ts';
import { CHECKPOINT_LIMIT_CHARACTERS } from '../../store/checkpoint/checkpoint-lines.ts';

/** Characters of one part before it is encrypted. */
const PART_CHARACTERS = 1_000_000;

/** Encrypts the lines of a checkpoint in parts, named after what they say. The error is a word for the log. */
export function sealCheckpointOf(
  ring: KeyRing,
  of: { readonly deviceId: DeviceId; readonly frontier: Frontier; readonly lines: Iterable<string> },
): Result<{ readonly header: CheckpointHeader; readonly parts: readonly string[] }, string> {
  const { deviceId, frontier } = of;
  const chunks: string[] = [];
  let open = '';
  let characters = 0;
  for (const line of of.lines) {
    characters += line.length;
    if (characters > CHECKPOINT_LIMIT_CHARACTERS) return err('too-large');
    open += line;
    while (open.length > PART_CHARACTERS) {
      const end = splitAt(open);
      chunks.push(open.slice(0, end));
      open = open.slice(end);
    }
  }
  chunks.push(open);
  const checkpointId = checkpointIdOf(frontier, chunks);
  const parts = sealParts(ring, checkpointId, chunks);
  if (!parts.ok) return err(parts.error.kind);
  return ok({ header: { checkpointId, deviceId, frontier, partCount: parts.value.length }, parts: parts.value });
}

/** Never inside a character. */
function splitAt(text: string): number {
  const last = text.charCodeAt(PART_CHARACTERS - 1);
  return last >= 0xd8_00 && last <= 0xdb_ff ? PART_CHARACTERS - 1 : PART_CHARACTERS;
}

/** What a checkpoint is called: SHA-256 in hexadecimal over how far it reaches and all that it says. */
function checkpointIdOf(frontier: Frontier, chunks: readonly string[]): string {
  const hash = beginCheckpointId(frontier);
  for (const chunk of chunks) hash.update(chunk, 'utf8');
  return hash.digest('hex');
}

function beginCheckpointId(frontier: Frontier): Hash {
  return createHash('sha256').update(`${canonicalJson({ ...frontier })}\n`, 'utf8');
}

/** A checkpoint that was opened, and the keys that it took: recovery words find the later ones in its first part. */
export interface OpenedCheckpoint {
  /** What it says, once more, chunk by chunk: it is kept as it was sealed, which is a fraction of its length. */
  readonly chunks: () => Iterable<string>;
  readonly ring: KeyRing;
  /** The oldest key that a part of it was sealed with: a device that was let go still has those. */
  readonly epoch: number;
}

/**
 * Gets a checkpoint from a relay and opens it; `look` is given what it says, chunk by chunk, before it is known whether that is
 * what its name is made of. The error is a sentence, or `null` where a newer one took its place meanwhile.
 */
export async function openCheckpoint(
  relay: Relay,
  header: CheckpointHeader,
  of: { readonly ring: KeyRing; readonly look: (chunk: string) => void },
): Promise<Result<OpenedCheckpoint, string | null>> {
  const { checkpointId, partCount, frontier } = header;
  const hash = beginCheckpointId(frontier);
  const parts: string[] = [];
  let { ring } = of;
  let characters = 0;
  let epoch = Number.POSITIVE_INFINITY;
  for (let index = 0; index < partCount; index += 1) {
    const part = await relay.checkpointPart(checkpointId, index);
    if (!part.ok) return err(part.error.code === 'relay-truncated' ? null : part.error.message);
    if (index === 0) ring = withWraps(ring, part.value);
    const chunk = openPart(ring, { checkpointId, index, partCount }, part.value);
    if (!chunk.ok) return err(`Part ${index + 1} of it cannot be opened (${chunk.error.kind}).`);
    epoch = Math.min(epoch, epochOfPart(part.value));
    characters += chunk.value.length;
    if (characters > CHECKPOINT_LIMIT_CHARACTERS) return err('It is larger than anything that this version makes.');
    hash.update(chunk.value, 'utf8');
    parts.push(part.value);
    of.look(chunk.value);
  }
  if (hash.digest('hex') !== checkpointId) return err('It does not say what its name is made of.');
  return ok({ chunks: () => openAgain(ring, { checkpointId, partCount }, parts), ring, epoch });
}

/** @throws Error where a part does not open that did before. */
function* openAgain(
  ring: KeyRing,
  of: { readonly checkpointId: string; readonly partCount: number },
  parts: readonly string[],
): Generator<string> {
  for (const [index, part] of parts.entries()) {
    const chunk = openPart(ring, { ...of, index }, part);
    if (!chunk.ok) throw new Error(`Part ${index + 1} of a checkpoint did not open again (${chunk.error.kind}).`);
    yield chunk.value;
  }
}

/** Whoever has the recovery words gets the later keys from what the first part shows; that it opens proves them. */
function withWraps(ring: KeyRing, firstPart: string): KeyRing {
  const wraps = ring.secret === null ? null : readRecoveryWraps(firstPart);
  if (ring.secret === null || wraps === null || !wraps.ok) return ring;
  const wider = newKeyRing(ring.secret, wraps.value);
  return wider.currentEpoch > ring.currentEpoch ? wider : ring;
}
