import { z } from 'zod';
import { deviceIdSchema, digestSchema } from '../../../shared/contract/identifiers.ts';
import type { Operation } from '../../../shared/core/sync/operation.ts';
import type { SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { KeyRing } from './key-ring.ts';
import type { SealProblem } from './seal-problem.ts';
import { PLAINTEXT_LIMIT_BYTES, openBox, sealBox } from './sealed-box.ts';
import type { BoxPlace } from './sealed-box.ts';

/** Long texts that one operation refers to. */
const TEXTS_LIMIT = 1_024;
const KIND_LIMIT_CHARACTERS = 200;
/** Ed25519 in base64url: a key of 32 bytes, a signature of 64. */
const KEY_CHARACTERS = 43;
const SIGNATURE_CHARACTERS = 86;

/** Who says that a journal up to an entry is theirs. */
export interface HeadSignature {
  readonly publicKey: string;
  readonly signature: string;
}

const contentsSchema = z.tuple([
  digestSchema,
  z.int().min(0),
  z.string().min(1).max(KIND_LIMIT_CHARACTERS),
  z.string(),
  z.array(z.string()).max(TEXTS_LIMIT),
  z.tuple([z.base64url().length(KEY_CHARACTERS), z.base64url().length(SIGNATURE_CHARACTERS)]).nullable(),
]);

/** What a box holds, and the relay does not see. */
export interface OperationContents {
  readonly opId: string;
  /** Of its agent, as the author knew it; it has nothing to do with the epoch of the key. */
  readonly epoch: number;
  readonly kind: string;
  /** Canonical JSON. */
  readonly payload: string;
  /** The long texts that the payload names by digest; the reader checks them against it. */
  readonly texts: readonly string[];
  /** Of the chain up to here; `null` where a later entry's covers this one. */
  readonly signature: HeadSignature | null;
}

/** An operation as it is handed over for sealing. */
export interface OperationToSeal extends Pick<OperationContents, 'texts' | 'signature'> {
  readonly operation: Operation;
  /**
   * The epoch of the key to seal with, the current one unless said. An operation that brings a rotation is sealed with the
   * epoch before it, and one that is sealed again with the epoch it had: otherwise it gets another box, which looks like a fork.
   */
  readonly keyEpoch?: number;
}

/** Encrypts an operation. Problems: `too-large` for the whole, `malformed` for what nobody could open, `unknown-key-epoch`. */
export function sealOperation(ring: KeyRing, of: OperationToSeal): Result<SealedOperation, SealProblem> {
  const { operation, texts, signature, keyEpoch = ring.currentEpoch } = of;
  const { deviceId, seq, time, opId, epoch, kind, payload } = operation;
  // Before they are put into one text: no text of the language holds all that a device may have.
  if (texts.reduce((sum, text) => sum + text.length, payload.length) > PLAINTEXT_LIMIT_BYTES) {
    return err({ kind: 'too-large', what: 'an operation', limit: PLAINTEXT_LIMIT_BYTES });
  }
  const contents = contentsSchema.safeParse([
    opId,
    epoch,
    kind,
    payload,
    texts,
    signature === null ? null : [signature.publicKey, signature.signature],
  ]);
  const device = deviceIdSchema.safeParse(deviceId);
  if (!contents.success || !device.success) return err({ kind: 'malformed', what: 'an operation' });
  const header = { deviceId: device.data, seq, wallMs: time.wallMs, counter: time.counter };
  const plaintext = Buffer.from(JSON.stringify(contents.data), 'utf8');
  const box = sealBox(ring, placeOf(header), { plaintext, epoch: keyEpoch });
  return box.ok ? ok({ ...header, box: box.value }) : box;
}

/**
 * Decrypts an operation of a relay. What opens was sealed by a device of the space, for exactly this place and time. Whether it
 * continues the chain, and who signed it, is for the caller to check.
 */
export function openOperation(ring: KeyRing, sealed: SealedOperation): Result<OperationContents, SealProblem> {
  // Two halves of different characters would be the same bytes in what the box is bound to.
  if (!sealed.deviceId.isWellFormed()) return err({ kind: 'malformed', what: 'the name of a device' });
  const plaintext = openBox(ring, placeOf(sealed), sealed.box);
  if (!plaintext.ok) return plaintext;
  const contents = contentsSchema.safeParse(parsedOrNull(plaintext.value.toString('utf8')));
  if (!contents.success) return err({ kind: 'malformed', what: 'the contents of an operation' });
  const [opId, epoch, kind, payload, texts, signed] = contents.data;
  const signature = signed === null ? null : { publicKey: signed[0], signature: signed[1] };
  return ok({ opId, epoch, kind, payload, texts, signature });
}

function placeOf({ deviceId, seq, wallMs, counter }: Omit<SealedOperation, 'box'>): BoxPlace {
  return { purpose: 'operation', bound: [deviceId, String(seq), String(wallMs), String(counter)] };
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
