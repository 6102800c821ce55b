import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { BOX_LIMIT_CHARACTERS } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { framed } from '../../hub/proofs.ts';
import { EPOCH_KEY_BYTES, EPOCH_LIMIT, sealingKey } from './key-ring.ts';
import type { KeyRing } from './key-ring.ts';
import type { SealProblem } from './seal-problem.ts';

/*
 * A box is, in base64url: version (1 byte), form (1), epoch (4, big-endian), nonce (12), tag (16), encrypted body.
 */
const VERSION = 1;
const PLAIN = 0;
const DEFLATED = 1;
const NONCE_AT = 6;
const NONCE_BYTES = 12;
const TAG_AT = NONCE_AT + NONCE_BYTES;
const TAG_BYTES = 16;
const BODY_AT = TAG_AT + TAG_BYTES;
/** Below this, compressing costs more time than it saves room. */
const DEFLATE_FROM_BYTES = 1_024;
/** The most that a box holds when it is unpacked, so that a small box cannot fill the memory. */
export const PLAINTEXT_LIMIT_BYTES = 32 * 1_048_576;

/** What a box is of, and everything around it that must not change. */
export interface BoxPlace {
  readonly purpose: 'operation' | 'checkpoint';
  /** For one purpose always the same number of texts. */
  readonly bound: readonly string[];
}

interface BoxKeys {
  readonly cipher: KeyObject;
  readonly nonce: KeyObject;
}

/** Deriving is slow, and an epoch's key is used for all of its operations. Forgotten together with the ring. */
const derivedKeys = new WeakMap<Buffer, Map<string, BoxKeys>>();

/**
 * Encrypts with the key of an epoch. The nonce is a keyed digest of all that the box says and is bound to: the same gives the
 * same box, and no two different contents share a nonce. Compressed bytes depend on the build of zlib, so the digest is taken of
 * those; a box is the same again only where the program is.
 */
export function sealBox(
  ring: KeyRing,
  place: BoxPlace,
  { plaintext, epoch }: { readonly plaintext: Buffer; readonly epoch: number },
): Result<string, SealProblem> {
  const key = sealingKey(ring, epoch);
  if (key === null) return err({ kind: 'unknown-key-epoch', epoch });
  if (plaintext.length > PLAINTEXT_LIMIT_BYTES) return tooLarge(PLAINTEXT_LIMIT_BYTES);
  const packed = plaintext.length < DEFLATE_FROM_BYTES ? plaintext : deflateRawSync(plaintext);
  const form = packed.length < plaintext.length ? DEFLATED : PLAIN;
  const body = form === DEFLATED ? packed : plaintext;
  // Looked at before anything is encrypted; four characters hold three bytes.
  if (Math.ceil(((BODY_AT + body.length) * 4) / 3) > BOX_LIMIT_CHARACTERS) return tooLarge(BOX_LIMIT_CHARACTERS);
  const said = saidAbout(ring, place, { form, epoch });
  const keys = keysFor(ring, key, place.purpose);
  const nonce = createHmac('sha256', keys.nonce).update(said).update(body).digest().subarray(0, NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keys.cipher, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(said);
  const encrypted = cipher.update(body);
  cipher.final();
  const head = Buffer.alloc(NONCE_AT);
  head[0] = VERSION;
  head[1] = form;
  head.writeUInt32BE(epoch, 2);
  return ok(Buffer.concat([head, nonce, cipher.getAuthTag(), encrypted]).toString('base64url'));
}

/** The epoch of the key that a box says it was sealed with; whether it was is known when it opens. 0 for what is no box. */
export function epochOfBox(box: string): number {
  const head = Buffer.from(box.slice(0, NONCE_AT * 2), 'base64url');
  return head.length < NONCE_AT ? 0 : head.readUInt32BE(2);
}

/** Opens what `sealBox` made for the same place. Whatever else it is given is a problem, never an exception. */
export function openBox(ring: KeyRing, place: BoxPlace, box: string): Result<Buffer, SealProblem> {
  if (box.length > BOX_LIMIT_CHARACTERS) return tooLarge(BOX_LIMIT_CHARACTERS);
  const bytes = Buffer.from(box, 'base64url');
  // Reading skips strange characters and spare bits: two texts must not be one box.
  if (bytes.length < BODY_AT || bytes.toString('base64url') !== box) return err({ kind: 'malformed', what: 'a box' });
  const [version, form] = bytes;
  if (version !== VERSION || (form !== PLAIN && form !== DEFLATED)) {
    return err({ kind: 'malformed', what: 'the version of a box' });
  }
  const epoch = bytes.readUInt32BE(2);
  if (epoch < 1 || epoch > EPOCH_LIMIT) return err({ kind: 'malformed', what: 'the epoch of a box' });
  const keys = ring.keys.get(epoch);
  if (keys === undefined) return err({ kind: 'unknown-key-epoch', epoch });
  const said = saidAbout(ring, place, { form, epoch });
  for (const key of keys) {
    const body = decrypted(bytes, said, keysFor(ring, key, place.purpose));
    if (body !== null) return form === PLAIN ? ok(body) : unpacked(body);
  }
  return err({ kind: 'wrong-key-or-changed', epoch });
}

function saidAbout(
  ring: KeyRing,
  { purpose, bound }: BoxPlace,
  { form, epoch }: { form: number; epoch: number },
): Buffer {
  return framed([`fencepost-${purpose}-v${VERSION}`, ring.spaceId, String(epoch), String(form), ...bound]);
}

function keysFor(ring: KeyRing, key: Buffer, purpose: BoxPlace['purpose']): BoxKeys {
  const ofKey = derivedKeys.get(key) ?? new Map<string, BoxKeys>();
  derivedKeys.set(key, ofKey);
  const name = `${purpose} ${ring.spaceId}`;
  const known = ofKey.get(name);
  if (known !== undefined) return known;
  const bytes = Buffer.from(hkdfSync('sha256', key, ring.spaceId, `fencepost-${purpose}-keys-v1`, 2 * EPOCH_KEY_BYTES));
  const made = {
    cipher: createSecretKey(bytes.subarray(0, EPOCH_KEY_BYTES)),
    nonce: createSecretKey(bytes.subarray(EPOCH_KEY_BYTES)),
  };
  ofKey.set(name, made);
  return made;
}

function decrypted(bytes: Buffer, said: Buffer, { cipher }: BoxKeys): Buffer | null {
  const nonce = bytes.subarray(NONCE_AT, TAG_AT);
  const decipher = createDecipheriv('aes-256-gcm', cipher, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(said);
  decipher.setAuthTag(bytes.subarray(TAG_AT, BODY_AT));
  const body = decipher.update(bytes.subarray(BODY_AT));
  try {
    decipher.final();
    return body;
  } catch {
    // The one way in which the library says that the tag is wrong.
    return null;
  }
}

function unpacked(body: Buffer): Result<Buffer, SealProblem> {
  try {
    return ok(inflateRawSync(body, { maxOutputLength: PLAINTEXT_LIMIT_BYTES }));
  } catch (cause) {
    const isTooLarge = cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
    return isTooLarge ? tooLarge(PLAINTEXT_LIMIT_BYTES) : err({ kind: 'malformed', what: 'the compression of a box' });
  }
}

function tooLarge(limit: number): Result<never, SealProblem> {
  return err({ kind: 'too-large', what: 'a box', limit });
}
