import { describe, expect, it } from 'vitest';
import { fuzzyMatch } from './fuzzy-match.ts';
import { searchWords } from './search-text.ts';

const ranked = (query: string, names: readonly string[]) =>
  names
    .map((name) => ({ name, match: fuzzyMatch(searchWords(query), name) }))
    .filter(({ match }) => match !== null)
    .toSorted((one, other) => (other.match?.score ?? 0) - (one.match?.score ?? 0))
    .map(({ name }) => name);

describe('fitting a name to what was typed', () => {
  it('puts a name that only happens to hold the letters before the one that begins with them', () => {
    const names = ['Send the refuse list', 'Draw up accounts', 'Refusals', 'About refusals'];
    expect(ranked('refus', names)).toEqual(['Refusals', 'Send the refuse list', 'About refusals']);
    expect(ranked('runs', ['Reruns', 'Runs of today', 'Runs'])).toEqual(['Runs', 'Runs of today', 'Reruns']);
  });

  it('finds by initials, and marks them', () => {
    const name = 'Right to act';
    const match = fuzzyMatch(searchWords('rta'), name);
    expect(match?.ranges.map(({ from, to }) => name.slice(from, to))).toEqual(['R', 't', 'a']);
  });

  it('finds everything by a few stray letters', () => {
    expect(fuzzyMatch(searchWords('xq'), 'Refusals')).toBeNull();
    expect(fuzzyMatch(searchWords('sla'), 'Refusals')).toBeNull();
    expect(fuzzyMatch(searchWords('refusals zzz'), 'Refusals')).toBeNull();
  });

  it('lets another name outdo the name itself', () => {
    const own = fuzzyMatch(searchWords('bill'), 'Bill payer');
    const other = fuzzyMatch(searchWords('bill'), 'Pay Nordwind', ['Bill payer']);
    expect(other?.score).toBeLessThan(own?.score ?? 0);
    expect(other?.ranges).toEqual([]);
  });

  it('hides what there is before anything is typed', () => {
    expect(fuzzyMatch([], 'Refusals')).toEqual({ score: 0, ranges: [] });
  });
});
