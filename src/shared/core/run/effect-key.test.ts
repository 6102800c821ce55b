import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EffectKey, StateId } from '../../contract/identifiers.ts';
import { effectKeySchema } from '../../contract/identifiers.ts';
import { POST } from '../example-facts.ts';
import { effectKeyOf, isPartKey, isTurnKey, isUndoKey, partKeyOf, partOfKey, undoKeyOf } from './effect-key.ts';

const states = fc.stringMatching(/^[a-z][a-z0-9-]{0,63}$/u).map((text) => text as StateId);
const callIds = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/u);
const parts = fc.record({ turn: fc.integer({ min: 1, max: 64 }), callId: fc.option(callIds) });
const places = fc.record({
  state: states,
  visit: fc.nat(999_999),
  part: fc.option(parts),
  undo: fc.option(fc.nat(99)),
});
type Place = typeof places extends fc.Arbitrary<infer Value> ? Value : never;

function originalKeyOf({ state, visit, part }: Place): EffectKey {
  return part === null ? effectKeyOf(state, visit) : partKeyOf(state, visit, part);
}

function keyOf(place: Place): EffectKey {
  const original = originalKeyOf(place);
  return place.undo === null ? original : undoKeyOf(original, place.undo);
}

describe('effect keys', () => {
  it('the form of a key changes, and a resumed run repeats its effects under new ones', () => {
    expect(effectKeyOf(POST, 3)).toBe('post#3');
    expect(partKeyOf(POST, 3, { turn: 2, callId: null })).toBe('post#3/2');
    expect(partKeyOf(POST, 3, { turn: 2, callId: 'call_1' })).toBe('post#3/2.call_1');
    expect(undoKeyOf(effectKeyOf(POST, 3), 2)).toBe('post#3!undo2');
    expect(undoKeyOf(partKeyOf(POST, 3, { turn: 2, callId: 'call_1' }), 1)).toBe('post#3/2.call_1!undo1');
  });

  it('two visits, states, turns, calls or undos share a key, or a key is no identifier', () => {
    fc.assert(
      fc.property(places, places, (one, other) => {
        expect(keyOf(one) === keyOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
        expect(effectKeySchema.safeParse(keyOf(one)).success).toBe(true);
      }),
    );
  });

  it('an undo is taken for what it undoes', () => {
    fc.assert(
      fc.property(places, (place) => {
        expect(isUndoKey(keyOf(place))).toBe(place.undo !== null);
      }),
    );
  });

  it('a call of a model is taken for its whole step, and the next step is released too early', () => {
    fc.assert(
      fc.property(places, (place) => {
        expect(isPartKey(keyOf(place))).toBe(place.part !== null);
        expect(partOfKey(keyOf(place))).toEqual(place.part);
      }),
    );
  });

  it('a call, or an undo, is taken for a question to the model', () => {
    fc.assert(
      fc.property(places, (place) => {
        const isQuestion = place.part?.callId === null && place.undo === null;
        expect(isTurnKey(keyOf(place))).toBe(isQuestion);
      }),
    );
  });
});
