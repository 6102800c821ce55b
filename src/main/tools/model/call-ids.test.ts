import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { distinctCallIds } from './call-ids.ts';

const id = fc.oneof(
  fc.constantFrom('', 'a', 'call-0', 'call-1', 'call-2', 'call-1-2', 'toString', '__proto__', 'a b'),
  fc.string({ maxLength: 70, unit: 'binary' }),
);

test('two calls of one answer share an id, or an id fits no key', () => {
  fc.assert(
    fc.property(fc.array(id, { maxLength: 12 }), (given) => {
      const made = distinctCallIds(given);
      expect(made).toHaveLength(given.length);
      expect(new Set(made).size).toBe(made.length);
      for (const each of made) {
        expect(each).toMatch(/^[A-Za-z0-9_-]{1,64}$/u);
        // A record of results by id must not answer for a call that has none.
        const results: Record<string, unknown> = {};
        expect(results[each]).toBeUndefined();
      }
    }),
  );
});

test('an id that fits is changed, or the same ids become others the next time', () => {
  fc.assert(
    fc.property(fc.array(id, { maxLength: 12 }), (given) => {
      const made = distinctCallIds(given);
      expect(distinctCallIds(given)).toEqual(made);
      // What went back to the endpoint stays what it is.
      expect(distinctCallIds(made)).toEqual(made);
      given.forEach((each, index) => {
        if (/^[a-z]$/u.test(each) && given.indexOf(each) === index) expect(made[index]).toBe(each);
      });
    }),
  );
});
