import { describe, expect, it } from 'vitest';
import { coversFrontier, joinFrontiers, knownUpTo, lostFrontier, stableFrontier } from './sealed.ts';

describe('how far journals are known', () => {
  it('a device that nobody named counts as known', () => {
    expect(knownUpTo({ laptop: 3 }, 'desktop')).toBe(0);
    expect(coversFrontier({ laptop: 3 }, { laptop: 3, desktop: 1 })).toBe(false);
    expect(coversFrontier({ laptop: 3 }, { laptop: 3 })).toBe(true);
    expect(coversFrontier({ laptop: 3 }, {})).toBe(true);
  });

  it('joining goes back', () => {
    expect(joinFrontiers({ laptop: 3, phone: 1 }, { laptop: 2, desktop: 4 })).toEqual({
      laptop: 3,
      phone: 1,
      desktop: 4,
    });
  });

  it('something is dropped that one device still lacks', () => {
    expect(stableFrontier([])).toEqual({});
    expect(stableFrontier([{ laptop: 5, desktop: 2 }, { laptop: 3 }])).toEqual({ laptop: 3 });
    expect(stableFrontier([{ laptop: 3 }, { laptop: 5, desktop: 2 }])).toEqual({ laptop: 3 });
  });
  it('something is lost that nobody has seen, that is held still, or that is not known here', () => {
    const acknowledged = [
      { laptop: 5, phone: 2 },
      { laptop: 3, phone: 4, tablet: 1 },
    ];
    const seen = { acknowledged, ownId: 'desktop' };
    expect(lostFrontier({ ...seen, held: { laptop: 5 }, have: { laptop: 9, phone: 4, desktop: 2 } })).toEqual({
      phone: 4,
    });
    expect(lostFrontier({ ...seen, held: { laptop: 4 }, have: { laptop: 5, phone: 3 } })).toEqual({ laptop: 5 });
    expect(lostFrontier({ ...seen, acknowledged: [], held: {}, have: { laptop: 5 } })).toEqual({});
  });

  it('what a device has not handed over yet is taken for lost', () => {
    const seen = { held: { laptop: 3 }, acknowledged: [{ laptop: 5 }], have: { laptop: 6 } };
    expect(lostFrontier({ ...seen, ownId: 'laptop' })).toEqual({});
    expect(lostFrontier({ ...seen, ownId: 'phone' })).toEqual({ laptop: 5 });
  });
});
