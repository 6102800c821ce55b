import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import type { Json } from './canonical-json.ts';

const json = fc.jsonValue().map((value) => value as Json);

function shuffled(value: Json, seed: number): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((each: Json) => shuffled(each, seed));
  const entries = Object.entries(value).map(([key, member]) => [key, shuffled(member as Json, seed)] as const);
  const turned = seed % 2 === 0 ? entries.toReversed() : entries;
  return Object.fromEntries([...turned.slice(seed % 3), ...turned.slice(0, seed % 3)]);
}

describe('one text per value', () => {
  it.each<{ hazard: string; value: Json; text: string }>([
    { hazard: 'keys stay in the order in which they were written', value: { b: 1, a: 2 }, text: '{"a":2,"b":1}' },
    { hazard: 'deep keys stay in order', value: [{ z: { b: 1, a: 2 } }], text: '[{"z":{"a":2,"b":1}}]' },
    { hazard: 'keys sort by the language of the machine', value: { ä: 1, Z: 2, a: 3 }, text: '{"Z":2,"a":3,"ä":1}' },
    { hazard: 'numbers as keys sort by size', value: { 10: 1, 9: 2 }, text: '{"10":1,"9":2}' },
    { hazard: 'a member without a value counts', value: { a: undefined, b: null }, text: '{"b":null}' },
    { hazard: 'a list is reordered', value: [3, 1, 2], text: '[3,1,2]' },
    { hazard: 'minus zero differs from zero', value: [-0, 0], text: '[0,0]' },
    { hazard: 'nothing is not text', value: [null, true, '', {}, []], text: '[null,true,"",{},[]]' },
    { hazard: 'half a surrogate pair becomes another character in UTF-8', value: '\uD800', text: String.raw`"\ud800"` },
  ])('$hazard', ({ value, text }) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it.each([Number.NaN, Infinity, -Infinity])('%s becomes null and two contents share a digest', (number) => {
    expect(() => canonicalJson({ a: [number] })).toThrow('finite');
  });

  it('the order of keys changes the text', () => {
    fc.assert(
      fc.property(json, fc.nat(), (value, seed) => {
        expect(canonicalJson(shuffled(value, seed))).toBe(canonicalJson(value));
      }),
    );
  });

  it('the text reads back as something else', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        const back = JSON.parse(text) as Json;
        expect(canonicalJson(back)).toBe(text);
        expect(JSON.stringify(back).length).toBe(text.length);
        expect(back).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
