import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deviceIdSchema } from '../../../shared/contract/identifiers.ts';
import type { Operation } from '../../../shared/core/sync/operation.ts';
import { BOX_LIMIT_CHARACTERS } from '../../../shared/core/sync/sealed.ts';
import type { SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { newKeyRing, rotateKeys } from './key-ring.ts';
import { openOperation, sealOperation } from './seal-operation.ts';
import type { OperationToSeal } from './seal-operation.ts';
import { PLAINTEXT_LIMIT_BYTES } from './sealed-box.ts';
import { newSpaceSecret } from './space-secret.ts';

const ring = newKeyRing(newSpaceSecret());

const OPERATION: Operation = {
  opId: '0f'.repeat(32),
  deviceId: 'kitchen',
  seq: 7,
  prevHash: '',
  time: { wallMs: 1_790_000_000_000, counter: 3 },
  epoch: 5,
  kind: 'effect.intended',
  payload: '{"secret":"the plan"}',
};
const SIGNED = { publicKey: 'A'.repeat(43), signature: 'A'.repeat(86) };
const PLAIN: OperationToSeal = { operation: OPERATION, texts: ['a long text'], signature: null };
/** Long enough to be compressed. */
const LONG: OperationToSeal = { ...PLAIN, texts: ['all the same '.repeat(1_000)] };

function sealed(of: OperationToSeal, by = ring): SealedOperation {
  const result = sealOperation(by, of);
  if (!result.ok) throw new Error(result.error.kind);
  return result.value;
}

function problemOf(given: SealedOperation, by = ring): string {
  const opened = openOperation(by, given);
  return opened.ok ? 'it was opened' : opened.error.kind;
}

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\uD800', 'x'.repeat(5_000)));
const operation = fc.record({
  opId: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  deviceId: fc.constantFrom('kitchen', 'desk', 'Schreibtisch ü'),
  seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  prevHash: fc.constant(''),
  time: fc.record({ wallMs: fc.nat(), counter: fc.nat() }),
  epoch: fc.nat(),
  kind: fc.constantFrom('agent.saved', 'run.entered'),
  payload: text,
});
const signature = fc.constantFrom(null, SIGNED);
const toSeal = fc.record({ operation, texts: fc.array(text, { maxLength: 3 }), signature });

describe('an operation that is sealed', () => {
  it('comes out otherwise than it went in', () => {
    fc.assert(
      fc.property(toSeal, (of) => {
        const { opId, epoch, kind, payload } = of.operation;
        const value = { opId, epoch, kind, payload, texts: of.texts, signature: of.signature };
        expect(openOperation(ring, sealed(of))).toEqual({ ok: true, value });
      }),
    );
  });

  it('gets another box the second time, so that a repetition looks like a fork', () => {
    const again = newKeyRing(Buffer.from(ring.secret ?? ''));
    fc.assert(
      fc.property(toSeal, (of) => {
        expect(sealed(structuredClone(of), again)).toEqual(sealed(of));
      }),
    );
  });

  it('shares its nonce with another one, which gives both away', () => {
    const nonces = new Map<string, string>();
    fc.assert(
      fc.property(toSeal, (of) => {
        const { box, ...header } = sealed(of);
        const nonce = Buffer.from(box, 'base64url').subarray(6, 18).toString('hex');
        const said = JSON.stringify([
          header,
          of.operation.opId,
          of.operation.epoch,
          of.operation.kind,
          of.operation.payload,
          of.texts,
          of.signature,
        ]);
        expect(nonces.get(nonce) ?? said).toBe(said);
        nonces.set(nonce, said);
      }),
      { numRuns: 400 },
    );
    expect(nonces.size).toBeGreaterThan(200);
    // At one place, and with one thing changed: what a device restored from a backup writes.
    const others = [PLAIN, { ...PLAIN, texts: [] }, { ...PLAIN, signature: SIGNED }].concat(
      [{ payload: '{}' }, { kind: 'run.entered' }, { epoch: 6 }, { opId: '0e'.repeat(32) }].map((change) => ({
        ...PLAIN,
        operation: { ...OPERATION, ...change },
      })),
    );
    expect(new Set(others.map((of) => sealed(of).box.slice(8, 24))).size).toBe(others.length);
    const places = [1, 2, 3].map((seq) => sealed({ ...PLAIN, operation: { ...OPERATION, seq } }).box.slice(8, 24));
    expect(new Set(places).size).toBe(3);
  });

  it('is not compressed where that helps, or gives its text away', () => {
    const { box } = sealed(LONG);
    expect(box.length).toBeLessThan(1_000);
    for (const { box: each } of [sealed(PLAIN), sealed(LONG)]) {
      const bytes = Buffer.from(each, 'base64url').toString('latin1');
      expect(bytes).not.toMatch(/the plan|a long text|all the same|intended|0f0f/u);
    }
  });

  it('goes out with a key that the others do not have yet', () => {
    const next = rotateKeys(ring, []);
    if (!next.ok) throw new Error(next.error.kind);
    expect(openOperation(ring, sealed({ ...PLAIN, keyEpoch: 1 }, next.value.ring))).toMatchObject({ ok: true });
    expect(sealed({ ...PLAIN, keyEpoch: 1 }, next.value.ring)).toEqual(sealed(PLAIN));
    expect(openOperation(ring, sealed(PLAIN, next.value.ring))).toEqual({
      ok: false,
      error: { kind: 'unknown-key-epoch', epoch: 2 },
    });
    expect(sealOperation(ring, { ...PLAIN, keyEpoch: 2 })).toMatchObject({ error: { kind: 'unknown-key-epoch' } });
  });
});

describe('an operation that is too large or nonsense', () => {
  it('is sealed, and every relay refuses it', () => {
    // Nothing compresses this.
    const noise = randomBytes(6_500_000).toString('base64url');
    const tooLarge = { error: { kind: 'too-large', limit: BOX_LIMIT_CHARACTERS } };
    expect(sealOperation(ring, { ...PLAIN, texts: [noise] })).toMatchObject(tooLarge);
    expect(sealed({ ...PLAIN, texts: [noise.slice(0, 6_000_000)] }).box.length).toBeLessThanOrEqual(
      BOX_LIMIT_CHARACTERS,
    );
    const packs = 'z'.repeat(PLAINTEXT_LIMIT_BYTES / 2);
    expect(sealOperation(ring, { ...PLAIN, texts: [packs] })).toMatchObject({ ok: true });
    expect(sealOperation(ring, { ...PLAIN, texts: [packs, packs] })).toMatchObject({ error: { kind: 'too-large' } });
  });

  it('is sealed, and no device can open it', () => {
    for (const wrong of [
      { opId: '' },
      { kind: '' },
      { kind: 'x'.repeat(201) },
      { deviceId: '' },
      { deviceId: '\uD800' },
    ]) {
      expect(sealOperation(ring, { ...PLAIN, operation: { ...OPERATION, ...wrong } })).toMatchObject({
        error: { kind: 'malformed' },
      });
    }
    expect(sealOperation(ring, { ...PLAIN, signature: { ...SIGNED, signature: 'short' } })).toMatchObject({
      error: { kind: 'malformed' },
    });
  });
});

describe('an operation that a relay changed', () => {
  it.each([
    ['plain', PLAIN],
    ['compressed', LONG],
  ])('opens although a bit of its box is another (%s)', (_, of) => {
    const whole = sealed(of);
    const bytes = Buffer.from(whole.box, 'base64url');
    // Every byte, not a sample: the version, the form, the epoch, the nonce, the tag and the text.
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << (at % 8)), at);
      expect(problemOf({ ...whole, box: changed.toString('base64url') })).not.toBe('it was opened');
    }
    expect(bytes.length).toBeGreaterThan(100);
  });

  it('opens although its box is written in another way, so that one operation has two boxes', () => {
    const whole = sealed({ ...PLAIN, texts: ['x', 'ab'] });
    const ways = [
      `${whole.box}=`,
      `${whole.box} `,
      ` ${whole.box}`,
      `${whole.box}A`,
      `${whole.box.slice(0, 9)}\n${whole.box.slice(9)}`,
    ];
    const last = whole.box.slice(-1);
    for (const spare of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/') {
      if (spare !== last) ways.push(`${whole.box.slice(0, -1)}${spare}`);
    }
    for (const box of ways) expect(problemOf({ ...whole, box })).not.toBe('it was opened');
    expect(problemOf(whole)).toBe('it was opened');
  });

  it('opens at another place, at another time, or as that of another device', () => {
    const header = fc.record({
      deviceId: fc.oneof(fc.constant('kitchen'), fc.string({ unit: 'binary' })),
      seq: fc.oneof(fc.constant(7), fc.integer(), fc.double()),
      wallMs: fc.oneof(fc.constant(1_790_000_000_000), fc.integer()),
      counter: fc.oneof(fc.constant(3), fc.integer()),
    });
    const whole = sealed(PLAIN);
    let others = 0;
    fc.assert(
      fc.property(header, (changed) => {
        const given = { ...whole, ...changed, deviceId: changed.deviceId as SealedOperation['deviceId'] };
        const isSame = (['deviceId', 'seq', 'wallMs', 'counter'] as const).every(
          (member) => given[member] === whole[member],
        );
        if (!isSame) others += 1;
        expect(problemOf(given) === 'it was opened').toBe(isSame);
      }),
      { numRuns: 1_000 },
    );
    expect(others).toBeGreaterThan(500);
    // Half a character has no bytes of its own, and would be bound as this one.
    const replaced = sealed({ ...PLAIN, operation: { ...OPERATION, deviceId: '\uFFFD' } });
    expect(problemOf({ ...replaced, deviceId: '\uD800' as SealedOperation['deviceId'] })).toBe('malformed');
    const swapped = { ...whole, deviceId: deviceIdSchema.parse('kitchen7'), seq: 0 };
    expect(problemOf(swapped)).toBe('wrong-key-or-changed');
  });

  it('opens in another space', () => {
    const other = newKeyRing(newSpaceSecret());
    expect(problemOf(sealed(PLAIN), other)).toBe('wrong-key-or-changed');
    // The same keys, and only the name of the space is another.
    expect(problemOf(sealed(PLAIN), { ...ring, spaceId: other.spaceId })).toBe('wrong-key-or-changed');
  });
});

describe('a box that is anything whatever', () => {
  it('brings the reader down', () => {
    const head = Buffer.from([1, 1, 0, 0, 0, 1]);
    const box = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
      fc.uint8Array({ maxLength: 200, size: 'max' }).map((bytes) => Buffer.concat([head, bytes]).toString('base64url')),
    );
    const seen = new Set<string>();
    fc.assert(
      fc.property(box, (given) => {
        seen.add(problemOf({ ...sealed(PLAIN), box: given }));
      }),
      { numRuns: 2_000 },
    );
    expect([...seen].toSorted()).toEqual(['malformed', 'wrong-key-or-changed']);
    expect(problemOf({ ...sealed(PLAIN), box: 'A'.repeat(BOX_LIMIT_CHARACTERS + 1) })).toBe('too-large');
  });
});
