import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BOX_LIMIT_CHARACTERS, CHECKPOINT_PART_LIMIT } from '../../../shared/core/sync/sealed.ts';
import { newKeyRing, rotateKeys, withoutSecret } from './key-ring.ts';
import type { KeyRing } from './key-ring.ts';
import { openPart, readRecoveryWraps, sealParts } from './seal-checkpoint.ts';
import { newSpaceSecret } from './space-secret.ts';

const secret = newSpaceSecret();
const ring = rotatedTwice(withoutSecret(newKeyRing(secret)));
const ID = 'c'.repeat(64);
const CHUNKS = ['{"all":"that was known"}', 'and more '.repeat(1_000), ''];

function rotatedTwice(first: KeyRing): KeyRing {
  const once = rotateKeys(first, []);
  const twice = once.ok ? rotateKeys(once.value.ring, []) : once;
  if (!twice.ok) throw new Error(twice.error.kind);
  return twice.value.ring;
}

function partsOf(by: KeyRing): readonly string[] {
  const parts = sealParts(by, ID, CHUNKS);
  if (!parts.ok) throw new Error(parts.error.kind);
  return parts.value;
}

function opened(by: KeyRing, place: Parameters<typeof openPart>[1], part: string): string {
  const result = openPart(by, place, part);
  return result.ok ? result.value : `problem: ${result.error.kind}`;
}

describe('a sealed checkpoint', () => {
  it('comes out otherwise than it went in', () => {
    const parts = partsOf(ring);
    const back = parts.map((part, index) => opened(ring, { checkpointId: ID, index, partCount: 3 }, part));
    expect(back).toEqual(CHUNKS);
  });

  it('has characters that a relay does not take', () => {
    for (const part of partsOf(ring)) expect(part).toMatch(/^[\w-]+$/u);
  });

  it('is put together of parts of two, in another order, or cut short', () => {
    const [first = '', second = ''] = partsOf(ring);
    const good = { checkpointId: ID, index: 1, partCount: 3 };
    expect(opened(ring, good, second)).toBe(CHUNKS[1]);
    expect(opened(ring, good, first)).toBe('problem: wrong-key-or-changed');
    for (const wrong of [{ checkpointId: 'd'.repeat(64) }, { index: 0 }, { index: 2 }, { partCount: 2 }]) {
      expect(opened(ring, { ...good, ...wrong }, second)).toBe('problem: wrong-key-or-changed');
    }
  });

  it('cannot be opened with the recovery words after a rotation', () => {
    const [first = ''] = partsOf(ring);
    const place = { checkpointId: ID, index: 0, partCount: 3 };
    expect(opened(newKeyRing(secret), place, first)).toBe('problem: unknown-key-epoch');
    const wraps = readRecoveryWraps(first);
    if (!wraps.ok) throw new Error(wraps.error.kind);
    expect(wraps.value).toHaveLength(2);
    expect(opened(newKeyRing(secret, wraps.value), place, first)).toBe(CHUNKS[0]);
    expect(opened(newKeyRing(newSpaceSecret(), wraps.value), place, first)).toMatch(/^problem/u);
  });

  it('opens although a character of it is another', () => {
    const [first = ''] = partsOf(ring);
    const place = { checkpointId: ID, index: 0, partCount: 3 };
    for (let at = 0; at < first.length; at += 1) {
      const other = first[at] === 'A' ? 'B' : 'A';
      const changed = `${first.slice(0, at)}${other}${first.slice(at + 1)}`;
      expect(opened(ring, place, changed)).toMatch(/^problem/u);
    }
    expect(first.length).toBeGreaterThan(300);
  });

  it('has more or longer parts than a relay takes', () => {
    const endless = function* endless() {
      for (;;) yield 'x';
    };
    expect(sealParts(ring, ID, endless())).toMatchObject({
      error: { kind: 'too-large', limit: CHECKPOINT_PART_LIMIT },
    });
    expect(sealParts(ring, ID, ['x'.repeat(40 * 1_048_576)])).toMatchObject({ error: { kind: 'too-large' } });
    expect(sealParts(ring, ID, ['\uD800'])).toMatchObject({ error: { kind: 'malformed' } });
    expect(opened(ring, { checkpointId: ID, index: 0, partCount: 1 }, 'A'.repeat(BOX_LIMIT_CHARACTERS + 1))).toBe(
      'problem: too-large',
    );
  });

  it('anything whatever in its place brings the reader down', () => {
    const shown = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
    );
    const part = fc.oneof(
      shown,
      fc
        .tuple(shown, fc.string({ unit: 'binary' }))
        .map(([one, two]) => `${String(one.length).padStart(8, '0')}${one}${two}`),
    );
    fc.assert(
      fc.property(part, (given) => {
        expect(openPart(ring, { checkpointId: ID, index: 0, partCount: 1 }, given).ok).toBe(false);
        const wraps = readRecoveryWraps(given);
        if (wraps.ok) expect(wraps.value).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });
});
