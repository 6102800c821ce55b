import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newDeviceKey } from '../../hub/proofs.ts';
import { isHeadSigned, signHead } from './sign-journal.ts';

const key = newDeviceKey();
const HEAD = { deviceId: 'kitchen', seq: 12, opId: 'ab'.repeat(32) };

describe('the signature of a journal', () => {
  it('holds for another entry, another device or another key', () => {
    const signature = signHead(key.privateKey, HEAD);
    expect(signature).toHaveLength(86);
    expect(isHeadSigned(key.publicKey, HEAD, signature)).toBe(true);
    for (const other of [
      { deviceId: 'desk' },
      { seq: 13 },
      { opId: 'ac'.repeat(32) },
      { deviceId: 'kitchen1', seq: 2 },
    ]) {
      expect(isHeadSigned(key.publicKey, { ...HEAD, ...other }, signature)).toBe(false);
    }
    expect(isHeadSigned(newDeviceKey().publicKey, HEAD, signature)).toBe(false);
  });

  it('holds although a bit of it is another, or anything whatever brings the check down', () => {
    const signature = Buffer.from(signHead(key.privateKey, HEAD), 'base64url');
    for (let at = 0; at < signature.length; at += 1) {
      const changed = Buffer.from(signature);
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << (at % 8)), at);
      expect(isHeadSigned(key.publicKey, HEAD, changed.toString('base64url'))).toBe(false);
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (publicKey, given) => {
        expect(isHeadSigned(publicKey, HEAD, given)).toBe(false);
        expect(isHeadSigned(key.publicKey, HEAD, given)).toBe(false);
      }),
    );
  });
});
