import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeIdentity } from './identity.ts';

describe('joining the parts of an identity', () => {
  it('text moves from one part to the next', () => {
    expect(encodeIdentity(['a1:b', 'c'])).not.toBe(encodeIdentity(['a', 'b1:c']));
    expect(encodeIdentity(['ab', ''])).not.toBe(encodeIdentity(['a', 'b']));
    expect(encodeIdentity([''])).not.toBe(encodeIdentity([]));
    expect(encodeIdentity(['1:a'])).not.toBe(encodeIdentity(['', 'a']));
  });

  it('the form changes, and every run and target gets another name', () => {
    expect(encodeIdentity(['agent', '', 'ü'])).toBe('5:agent0:1:ü');
  });

  it('two lists give one text', () => {
    const parts = fc.array(fc.string({ unit: fc.constantFrom('0', '1', '2', ':', 'a') }), { maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        expect(encodeIdentity(one) === encodeIdentity(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
      { numRuns: 2_000 },
    );
  });

  it('the parts cannot be read back', () => {
    const decode = (text: string): string[] => {
      const parts: string[] = [];
      let at = 0;
      while (at < text.length) {
        const colon = text.indexOf(':', at);
        const end = colon + 1 + Number(text.slice(at, colon));
        parts.push(text.slice(colon + 1, end));
        at = end;
      }
      return parts;
    };
    fc.assert(
      fc.property(fc.array(fc.string()), (parts) => {
        expect(decode(encodeIdentity(parts))).toEqual(parts);
      }),
    );
  });
});
