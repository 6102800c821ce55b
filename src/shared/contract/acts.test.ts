import { describe, expect, it } from 'vitest';
import { ACT_KINDS, actOf, kindsOf } from './acts.ts';

describe('what an entry is about', () => {
  it('leaves a filter that finds nothing, or a kind that two of them find', () => {
    for (const act of ACT_KINDS) expect(kindsOf([act]).length, act).toBeGreaterThan(0);
    const all = ACT_KINDS.flatMap((act) => kindsOf([act]));
    expect(new Set(all).size).toBe(all.length);
    expect(kindsOf(ACT_KINDS)).toHaveLength(all.length);
  });

  it('takes what every object inherits for a kind', () => {
    expect([actOf('constructor'), actOf('later.kind'), actOf('grant.given')]).toEqual([null, null, 'permissions']);
  });
});
