import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { framed } from '../../hub/proofs.ts';

const KEY_BYTES = 32;
const TAG_BYTES = 16;
/** Every wrap has a key of its own, from an exchange that is used once, so that one fixed nonce is never used twice. */
const NONCE = Buffer.alloc(12);
/** What PKCS #8 puts before the 32 bytes of an X25519 key (RFC 8410). */
const PKCS8_BEFORE_KEY = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** Bytes that only one key opens; both members base64url. */
export interface Wrapped {
  /** The public part of the exchange key that was made for this wrap alone. */
  readonly ephemeral: string;
  readonly box: string;
}

/** What a wrap is for. Both sides must mean the same. */
export interface WrapPurpose {
  /** Everything that the wrap is bound to; the same bytes inside are worth nothing elsewhere. */
  readonly about: readonly string[];
  /** A key that both sides have already: who lacks it cannot make a wrap that opens. Empty where there is none yet. */
  readonly vouchedBy: Buffer;
}

/** A new X25519 key, private part as PKCS #8, base64url. */
export function newWrapKey(): string {
  const { privateKey } = generateKeyPairSync('x25519');
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url');
}

/** The X25519 key that 32 random-looking bytes stand for, in the form of `newWrapKey`. */
export function wrapKeyFrom(bytes: Buffer): string {
  return Buffer.concat([PKCS8_BEFORE_KEY, bytes.subarray(0, KEY_BYTES)]).toString('base64url');
}

/** The public part of a kept key, raw, base64url. @throws Error for something that is no X25519 key. */
export function wrapPublicKeyOf(privateKey: string): string {
  const key = readPrivateKey(privateKey);
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  if (x === undefined || key.asymmetricKeyType !== 'x25519') throw new Error('This is no X25519 key.');
  return x;
}

/** Encrypts for the owner of a public key; `null` if that is no usable key. */
export function wrapFor(publicKey: string, purpose: WrapPurpose, plaintext: Buffer): Wrapped | null {
  const key = exchangeOrNull(() => {
    const privateKey = newWrapKey();
    const shared = diffieHellman({ privateKey: readPrivateKey(privateKey), publicKey: readPublicKey(publicKey) });
    return { shared, ephemeral: wrapPublicKeyOf(privateKey) };
  });
  if (key === null) return null;
  const cipher = createCipheriv('aes-256-gcm', wrappingKey({ ...key, publicKey }, purpose), NONCE);
  const box = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  return { ephemeral: key.ephemeral, box: box.toString('base64url') };
}

/** Opens what was wrapped for this key and purpose; `null` for everything else, however malformed. */
export function unwrapWith(privateKey: string, purpose: WrapPurpose, { ephemeral, box }: Wrapped): Buffer | null {
  const bytes = Buffer.from(box, 'base64url');
  if (bytes.length < TAG_BYTES) return null;
  return exchangeOrNull(() => {
    const shared = diffieHellman({ privateKey: readPrivateKey(privateKey), publicKey: readPublicKey(ephemeral) });
    const key = wrappingKey({ shared, ephemeral, publicKey: wrapPublicKeyOf(privateKey) }, purpose);
    const decipher = createDecipheriv('aes-256-gcm', key, NONCE, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
  });
}

interface Exchange {
  readonly shared: Buffer;
  readonly ephemeral: string;
  readonly publicKey: string;
}

function wrappingKey({ shared, ephemeral, publicKey }: Exchange, { about, vouchedBy }: WrapPurpose): Buffer {
  const said = framed(['fencepost-wrap-v1', ephemeral, publicKey, ...about]);
  // A digest, because the derivation takes no more than 1,024 bytes here.
  const info = createHash('sha256').update(said).digest();
  return Buffer.from(hkdfSync('sha256', shared, vouchedBy, info, KEY_BYTES));
}

/** The library tells of a bad key, a weak one (all zeros) and a wrong tag by exceptions only. */
function exchangeOrNull<Value>(exchange: () => Value): Value | null {
  try {
    return exchange();
  } catch {
    return null;
  }
}

function readPrivateKey(privateKey: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(privateKey, 'base64url'), format: 'der', type: 'pkcs8' });
}

function readPublicKey(publicKey: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: publicKey }, format: 'jwk' });
}
