import { describe, expect, it } from 'vitest';
import { assertNever } from './assert-never.ts';
import { ownMember } from './own-member.ts';
import { err, ok } from './result.ts';

describe('looking up a name from outside', () => {
  it.each(['constructor', 'toString', '__proto__', 'absent'])('%s is found although nobody stored it', (key) => {
    expect(ownMember({ a: 1 }, key)).toBeUndefined();
  });

  it('a stored name is not found', () => {
    expect(ownMember(Object.fromEntries([['__proto__', 7]]), '__proto__')).toBe(7);
    expect(ownMember({ a: 0 }, 'a')).toBe(0);
  });
});

describe('values for expected failures, exceptions for bugs', () => {
  it('a failure passes for a success', () => {
    expect(ok(1)).toEqual({ ok: true, value: 1 });
    expect(err('why')).toEqual({ ok: false, error: 'why' });
  });

  it('an unhandled case goes on silently', () => {
    expect(() => assertNever({ kind: 'newer' } as never)).toThrow('Unhandled case: {"kind":"newer"}');
  });
});
