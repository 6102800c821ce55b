import { describe, expect, it } from 'vitest';
import { stableCut } from './stable-cut.ts';

const HELD = { laptop: 9, desktop: 7, phone: 5 };

describe('up to where nothing can come any more', () => {
  it('a device that lags behind is passed over', () => {
    const members = [
      { deviceId: 'desktop', acknowledged: { laptop: 6, desktop: 7, phone: 5 } },
      { deviceId: 'phone', acknowledged: { laptop: 8, desktop: 3, phone: 5 } },
    ];
    expect(stableCut({ held: HELD, members, ended: {} })).toEqual({ laptop: 6, desktop: 3, phone: 5 });
  });

  it.each([
    { hazard: 'a device that never said what it has', acknowledged: null, ended: {} },
    { hazard: 'what it wrote before it said so is still on its way', acknowledged: { ...HELD, desktop: 8 }, ended: {} },
    {
      hazard: 'what a device wrote before it was let go is still on its way',
      acknowledged: HELD,
      ended: { tablet: 2 },
    },
  ])('$hazard is passed over', ({ acknowledged, ended }) => {
    const members = [{ deviceId: 'desktop', acknowledged }];
    expect(stableCut({ held: HELD, members, ended })).toEqual({});
  });

  it('a device that shares with nobody waits for somebody', () => {
    expect(stableCut({ held: { laptop: 9 }, members: [], ended: {} })).toEqual({ laptop: 9 });
  });
});
