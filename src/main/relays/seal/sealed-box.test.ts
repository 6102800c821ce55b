import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BOX_LIMIT_CHARACTERS } from '../../../shared/core/sync/sealed.ts';
import { framed } from '../../hub/proofs.ts';
import { newKeyRing } from './key-ring.ts';
import type { KeyRing } from './key-ring.ts';
import { PLAINTEXT_LIMIT_BYTES, openBox, sealBox } from './sealed-box.ts';
import type { BoxPlace } from './sealed-box.ts';
import { newSpaceSecret } from './space-secret.ts';

const ring = newKeyRing(newSpaceSecret());
const PLACE: BoxPlace = { purpose: 'operation', bound: ['kitchen', '1'] };

/** What a device with the right key and a bad will sends; also a second reading of how a box is built. */
function boxByHand({ spaceId, keys }: KeyRing, form: number, body: Buffer): string {
  const key = keys.get(1)?.[0] ?? Buffer.alloc(0);
  const derived = Buffer.from(hkdfSync('sha256', key, spaceId, 'fencepost-operation-keys-v1', 64));
  const said = framed(['fencepost-operation-v1', spaceId, '1', String(form), ...PLACE.bound]);
  const nonce = createHmac('sha256', derived.subarray(32)).update(said).update(body).digest().subarray(0, 12);
  const cipher = createCipheriv('aes-256-gcm', derived.subarray(0, 32), nonce);
  cipher.setAAD(said);
  const encrypted = Buffer.concat([cipher.update(body), cipher.final()]);
  return Buffer.concat([Buffer.from([1, form, 0, 0, 0, 1]), nonce, cipher.getAuthTag(), encrypted]).toString(
    'base64url',
  );
}

describe('a box', () => {
  it('is built otherwise than is written down', () => {
    const plaintext = Buffer.from('some text');
    expect(sealBox(ring, PLACE, { plaintext, epoch: 1 })).toEqual({ ok: true, value: boxByHand(ring, 0, plaintext) });
    const long = Buffer.alloc(5_000, 'some text');
    const byHand = boxByHand(ring, 1, deflateRawSync(long));
    expect(openBox(ring, PLACE, byHand)).toEqual({ ok: true, value: long });
  });

  it('fills the memory when it is unpacked', () => {
    const bomb = deflateRawSync(Buffer.alloc(PLAINTEXT_LIMIT_BYTES + 1));
    expect(bomb.length).toBeLessThan(100_000);
    const opened = openBox(ring, PLACE, boxByHand(ring, 1, bomb));
    expect(opened.ok ? 'it was unpacked' : opened.error).toEqual({
      kind: 'too-large',
      what: 'a box',
      limit: PLAINTEXT_LIMIT_BYTES,
    });
    expect(openBox(ring, PLACE, boxByHand(ring, 1, Buffer.from('no deflate')))).toMatchObject({
      error: { kind: 'malformed' },
    });
  });

  it('is made longer than a relay takes, or refused where it just fits', () => {
    const most = (BOX_LIMIT_CHARACTERS / 4) * 3 - 34;
    const fits = sealBox(ring, PLACE, { plaintext: randomBytes(most), epoch: 1 });
    expect(fits.ok && fits.value.length).toBe(BOX_LIMIT_CHARACTERS);
    expect(sealBox(ring, PLACE, { plaintext: randomBytes(most + 1), epoch: 1 })).toMatchObject({
      error: { kind: 'too-large', limit: BOX_LIMIT_CHARACTERS },
    });
    const packs = Buffer.alloc(PLAINTEXT_LIMIT_BYTES);
    const packed = sealBox(ring, PLACE, { plaintext: packs, epoch: 1 });
    expect(packed.ok && openBox(ring, PLACE, packed.value).ok).toBe(true);
    const more = Buffer.alloc(PLAINTEXT_LIMIT_BYTES + 1);
    expect(sealBox(ring, PLACE, { plaintext: more, epoch: 1 })).toMatchObject({ error: { kind: 'too-large' } });
  });

  it('opens for another purpose with the same words around it', () => {
    const box = sealBox(ring, PLACE, { plaintext: Buffer.from('x'), epoch: 1 });
    expect(box.ok && openBox(ring, { ...PLACE, purpose: 'checkpoint' }, box.value)).toMatchObject({
      error: { kind: 'wrong-key-or-changed' },
    });
    expect(box.ok && openBox(ring, { ...PLACE, bound: ['kitchen1', ''] }, box.value)).toMatchObject({ ok: false });
  });
});
