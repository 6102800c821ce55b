import { expect, it } from 'vitest';
import { PLACES } from '../../shared/contract/places.ts';
import { places } from './places.ts';

it('lists a screen at the left that menus, keys and links do not know, or by another name', () => {
  expect(places.map(({ path, label }) => ({ path, label }))).toEqual(PLACES);
});
