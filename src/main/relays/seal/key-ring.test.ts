import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deviceIdSchema } from '../../../shared/contract/identifiers.ts';
import { newKeyRing, rotateKeys, rotationSchema, sealingKey, unwrapKey, withoutSecret } from './key-ring.ts';
import type { KeyRing, WrappedKey } from './key-ring.ts';
import { openOperation, sealOperation } from './seal-operation.ts';
import { newSpaceSecret } from './space-secret.ts';
import { newWrapKey, wrapPublicKeyOf } from './wrap-key.ts';

function deviceNamed(name: string) {
  const wrapPrivateKey = newWrapKey();
  return { deviceId: deviceIdSchema.parse(name), wrapPrivateKey, wrapPublicKey: wrapPublicKeyOf(wrapPrivateKey) };
}

function rotated(ring: KeyRing, devices: readonly ReturnType<typeof deviceNamed>[]) {
  const result = rotateKeys(ring, devices);
  if (!result.ok) throw new Error(result.error.kind);
  return result.value;
}

function taken(ring: KeyRing, device: ReturnType<typeof deviceNamed>, wrapped: readonly WrappedKey[]): KeyRing {
  const result = unwrapKey(ring, device, wrapped);
  if (!result.ok) throw new Error(result.error.kind);
  return result.value;
}

function sealedWith(ring: KeyRing, payload: string) {
  const time = { wallMs: 1_000, counter: 0 };
  const operation = {
    opId: 'a'.repeat(64),
    deviceId: 'kitchen',
    seq: 1,
    prevHash: '',
    epoch: 0,
    time,
    kind: 'agent.saved',
    payload,
  };
  const sealed = sealOperation(ring, { operation, texts: [], signature: null });
  if (!sealed.ok) throw new Error(sealed.error.kind);
  return sealed.value;
}

function openedBy(ring: KeyRing, sealed: ReturnType<typeof sealedWith>): string {
  const opened = openOperation(ring, sealed);
  return opened.ok ? opened.value.payload : opened.error.kind;
}

const secret = newSpaceSecret();
const owner = newKeyRing(secret);
const everybody = withoutSecret(owner);
const [kitchen, desk, lost] = [deviceNamed('kitchen'), deviceNamed('desk'), deviceNamed('lost')];

describe('rotating keys', () => {
  it('a device that was let go reads on, or cannot read any more what it had', () => {
    const before = sealedWith(everybody, '"before"');
    const { ring, wrapped } = rotated(everybody, [kitchen, desk]);
    const after = sealedWith(ring, '"after"');
    for (const device of [kitchen, desk]) {
      const next = taken(everybody, device, wrapped);
      expect([openedBy(next, before), openedBy(next, after)]).toEqual(['"before"', '"after"']);
      expect(sealedWith(next, '"after"')).toEqual(after);
    }
    expect([openedBy(everybody, before), openedBy(everybody, after)]).toEqual(['"before"', 'unknown-key-epoch']);
    expect(unwrapKey(everybody, lost, wrapped)).toEqual({ ok: false, error: { kind: 'not-addressed', epoch: 2 } });
    const relabelled = wrapped.map((each) => ({ ...each, deviceId: each.deviceId && lost.deviceId }));
    expect(unwrapKey(everybody, lost, relabelled)).toMatchObject({ error: { kind: 'wrong-key-or-changed' } });
    // With the key of somebody who remains, and under its own name.
    expect(unwrapKey(everybody, { ...desk, deviceId: kitchen.deviceId }, wrapped)).toMatchObject({ ok: false });
  });

  it('two devices that rotate at the same time lock each other out', () => {
    const one = rotated(everybody, [kitchen, desk]);
    const other = rotated(everybody, [kitchen, desk]);
    const oneFirst = taken(one.ring, kitchen, other.wrapped);
    const otherFirst = taken(other.ring, kitchen, one.wrapped);
    for (const from of [one.ring, other.ring]) {
      const sealed = sealedWith(from, '"both"');
      expect([openedBy(oneFirst, sealed), openedBy(otherFirst, sealed)]).toEqual(['"both"', '"both"']);
    }
    expect(sealingKey(oneFirst, 2)).toEqual(sealingKey(otherFirst, 2));
    expect(oneFirst.keys.get(2)).toHaveLength(2);
    // Heard of late, when the next rotation is over already.
    const late = taken(rotated(one.ring, []).ring, kitchen, other.wrapped);
    expect([late.currentEpoch, late.keys.get(2)?.length]).toEqual([3, 2]);
    const third = rotated(oneFirst, [desk]);
    expect(openedBy(taken(otherFirst, desk, third.wrapped), sealedWith(third.ring, '"third"'))).toBe('"third"');
  });

  it('taking a rotation twice, or one before the one it follows, spoils the ring', () => {
    const first = rotated(everybody, [kitchen]);
    const second = rotated(first.ring, [kitchen]);
    const once = taken(everybody, kitchen, first.wrapped);
    expect(taken(once, kitchen, first.wrapped)).toEqual(once);
    expect(unwrapKey(everybody, kitchen, second.wrapped)).toEqual({
      ok: false,
      error: { kind: 'unknown-key-epoch', epoch: 2 },
    });
    expect(taken(once, kitchen, second.wrapped).currentEpoch).toBe(3);
    expect(taken(second.ring, kitchen, first.wrapped).currentEpoch).toBe(3);
  });

  it('a relay that never had a key makes the next one', () => {
    const stranger = { ...everybody, keys: new Map([[1, [Buffer.alloc(32, 1)]]]) };
    const { wrapped } = rotated(stranger, [kitchen]);
    expect(unwrapKey(everybody, kitchen, wrapped)).toMatchObject({ error: { kind: 'wrong-key-or-changed' } });
    expect(newKeyRing(secret, wrapped).currentEpoch).toBe(1);
  });

  it('keys of one epoch without end, or a device whose key is none, bring a device down', () => {
    let ring = everybody;
    let refusals = 0;
    for (let count = 0; count < 12; count += 1) {
      const next = unwrapKey(ring, kitchen, rotated(everybody, [kitchen]).wrapped);
      if (next.ok) ring = next.value;
      else refusals += 1;
    }
    expect([ring.keys.get(2)?.length, refusals]).toEqual([8, 4]);
    for (const wrapPublicKey of ['', 'x', 'A'.repeat(43), '\uD800']) {
      expect(rotateKeys(everybody, [{ ...kitchen, wrapPublicKey }])).toMatchObject({ error: { kind: 'malformed' } });
    }
    const many = Array.from({ length: 257 }, () => kitchen);
    expect(rotateKeys(everybody, many)).toMatchObject({ error: { kind: 'too-large', limit: 256 } });
  });
});

describe('the recovery words', () => {
  it('the sheet stops working after a rotation', () => {
    const first = rotated(everybody, [kitchen]);
    const second = rotated(first.ring, [desk]);
    const recovered = newKeyRing(secret, second.ring.recoveryWraps.toReversed());
    for (const [ring, payload] of [
      [everybody, '"1"'],
      [first.ring, '"2"'],
      [second.ring, '"3"'],
    ] as const) {
      expect(openedBy(recovered, sealedWith(ring, payload))).toBe(payload);
    }
    expect(sealedWith(recovered, '"new"')).toEqual(sealedWith(second.ring, '"new"'));
  });

  it('a new device with the words cannot follow the rotations of the journals', () => {
    const first = rotated(everybody, [kitchen]);
    const fresh = deviceNamed('fresh');
    expect(taken(newKeyRing(secret), fresh, first.wrapped)).toMatchObject({ currentEpoch: 2 });
    expect(unwrapKey(newKeyRing(newSpaceSecret()), fresh, first.wrapped)).toMatchObject({ ok: false });
  });

  it('a rotation is taken that the words do not open', () => {
    const { wrapped } = rotated(everybody, [kitchen]);
    const without = wrapped.filter((each) => each.deviceId !== null);
    expect(unwrapKey(everybody, kitchen, without)).toMatchObject({ error: { kind: 'malformed' } });
  });

  it('wraps of another space, changed or without sense keep the words from opening the rest', () => {
    const good = rotated(everybody, [kitchen]);
    const [wrap] = good.ring.recoveryWraps;
    if (wrap === undefined) throw new Error('a rotation wraps for the words');
    const foreign = rotated(newKeyRing(newSpaceSecret()), []).wrapped;
    const noise: WrappedKey[] = [...foreign, { ...wrap, box: 'A'.repeat(64) }, { ...wrap, epoch: 9 }];
    expect(newKeyRing(secret, [...noise, wrap]).keys).toEqual(good.ring.keys);
  });
});

describe('a rotation as it is read', () => {
  it('any change of it is taken for the real one', () => {
    const { wrapped, ring } = rotated(everybody, [kitchen]);
    const places = fc.record({
      at: fc.constantFrom(...wrapped.keys()),
      member: fc.constantFrom('ephemeral' as const, 'box' as const),
      byte: fc.nat({ max: 31 }),
      bit: fc.constantFrom(1, 2, 4, 8, 16, 32, 64, 128),
    });
    fc.assert(
      fc.property(places, ({ at, member, byte, bit }) => {
        const bytes = Buffer.from(wrapped[at]?.[member] ?? '', 'base64url');
        bytes.writeUInt8(bytes.readUInt8(byte) ^ bit, byte);
        // The top bit of a public key is not used by the curve; the exchange key is bound as text all the same.
        const changed = wrapped.map((each, index) =>
          index === at ? { ...each, [member]: bytes.toString('base64url') } : each,
        );
        const own = unwrapKey(everybody, kitchen, changed);
        const byWords = newKeyRing(
          secret,
          changed.filter((each) => each.deviceId === null),
        );
        expect(at === 0 ? own.ok : byWords.keys.size > 1).toBe(false);
      }),
      { numRuns: 150 },
    );
    expect(ring.currentEpoch).toBe(2);
  });

  it('anything whatever brings the reader down', () => {
    const key = fc.record({
      epoch: fc.integer(),
      deviceId: fc.option(fc.string()),
      ephemeral: fc.string(),
      box: fc.string(),
    });
    const shaped = fc.record({
      epoch: fc.integer({ min: 2, max: 4 }),
      deviceId: fc.constantFrom(null, 'kitchen'),
      ephemeral: fc.constantFrom('A'.repeat(43), `${'_'.repeat(42)}8`),
      box: fc.constant('B'.repeat(64)),
    });
    const value = fc.oneof(fc.jsonValue(), fc.array(key), fc.array(shaped, { minLength: 1, maxLength: 4 }));
    let read = 0;
    fc.assert(
      fc.property(value, (said) => {
        const rotation = rotationSchema.safeParse(said);
        if (!rotation.success) return;
        read += 1;
        expect(unwrapKey(owner, kitchen, rotation.data).ok).toBe(false);
        expect(newKeyRing(secret, rotation.data).currentEpoch).toBe(1);
      }),
      { numRuns: 500 },
    );
    expect(read).toBeGreaterThan(50);
  });
});
