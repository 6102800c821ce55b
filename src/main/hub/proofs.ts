import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';

/** 256 bits: nobody guesses one. */
const SECRET_BYTES = 32;

/** A fresh secret, base64url. */
export function newHubSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Each part with its length before it, so that no two lists of parts make the same bytes. */
export function framed(parts: readonly string[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part, 'utf8');
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

/** SHA-256, base64url: what the hub keeps of a token. */
export function digestOf(secret: string | Buffer): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function isSameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** What a request proves: who sends it, which one it is, and every byte of what it says. */
export interface ProvenRequest {
  readonly method: string;
  readonly path: string;
  readonly sequence: number;
  readonly body: string;
}

/** HMAC-SHA-256 under the session's key, base64url. */
export function requestMac(sessionKey: string, of: ProvenRequest): string {
  const said = framed([of.method, of.path, String(of.sequence), digestOf(of.body)]);
  return createHmac('sha256', Buffer.from(sessionKey, 'base64url')).update(said).digest('base64url');
}

/** HMAC-SHA-256 of several parts under a key that only this process knows, base64url. */
export function sealOf(key: Buffer, parts: readonly string[]): string {
  return createHmac('sha256', key).update(framed(parts)).digest('base64url');
}

/** What a device signs to open a session: bound to this hub's certificate, to itself and to one challenge. */
export function sessionStatement(of: { fingerprint: string; deviceId: string; challenge: string }): Buffer {
  return framed(['fencepost-session-v1', of.fingerprint, of.deviceId, of.challenge]);
}

/** What a device signs while it is being paired, at each step. */
export function pairingStatement(of: { fingerprint: string; invitationId: string; deviceNonce: string }): Buffer {
  return framed(['fencepost-pair-v1', of.fingerprint, of.invitationId, of.deviceNonce]);
}

/** A new Ed25519 key: the private part as PKCS #8, the public one raw; both base64url. */
export function newDeviceKey(): { readonly privateKey: string; readonly publicKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const kept = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url');
  return { privateKey: kept, publicKey: publicKeyOf(kept) };
}

/** The public part of a kept key. @throws Error for something that is no key. */
export function publicKeyOf(privateKey: string): string {
  const { x } = createPublicKey(readPrivateKey(privateKey)).export({ format: 'jwk' });
  if (x === undefined) throw new Error('This is no Ed25519 key.');
  return x;
}

/** An Ed25519 signature, base64url. @throws Error for something that is no key. */
export function signWith(privateKey: string, statement: Buffer): string {
  return sign(null, statement, readPrivateKey(privateKey)).toString('base64url');
}

/** Whether the owner of the key signed the statement. False for anything malformed. */
export function isSignedBy(publicKey: string, statement: Buffer, signature: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    return verify(null, statement, key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

function readPrivateKey(privateKey: string) {
  return createPrivateKey({ key: Buffer.from(privateKey, 'base64url'), format: 'der', type: 'pkcs8' });
}
