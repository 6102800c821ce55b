import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EffectKey, StateId } from '../../contract/identifiers.ts';
import { effectKeySchema } from '../../contract/identifiers.ts';
import { POST } from '../example-facts.ts';
import { effectKeyOf, isUndoKey, undoKeyOf } from './effect-key.ts';

const states = fc.stringMatching(/^[a-z][a-z0-9-]{0,63}$/u).map((text) => text as StateId);

describe('effect keys', () => {
  it('the form of a key changes, and a resumed run repeats its effects under new ones', () => {
    expect(effectKeyOf(POST, 3)).toBe('post#3');
    expect(undoKeyOf(POST, 3, 2)).toBe('post#3!undo2');
  });

  it('two visits, states or undos share a key', () => {
    const places = fc.tuple(states, fc.nat(999), fc.option(fc.nat(9)));
    const keyOf = ([state, visit, undo]: [StateId, number, number | null]): EffectKey =>
      undo === null ? effectKeyOf(state, visit) : undoKeyOf(state, visit, undo);
    fc.assert(
      fc.property(places, places, (one, other) => {
        expect(keyOf(one) === keyOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
        expect(effectKeySchema.safeParse(keyOf(one)).success).toBe(true);
      }),
    );
  });

  it('an effect is taken for its undo', () => {
    fc.assert(
      fc.property(states, fc.nat(), fc.nat(), (state, visit, attemptNumber) => {
        expect(isUndoKey(effectKeyOf(state, visit))).toBe(false);
        expect(isUndoKey(undoKeyOf(state, visit, attemptNumber))).toBe(true);
      }),
    );
  });
});
