import { describe, expect, it } from 'vitest';
import { Sleeps } from './sleeps.ts';

const HOUR = 3_600_000;
const start = (fromMs: number) => ({ fromMs, bootMs: fromMs, fromSeq: 7, heldAgentIds: [] });
const end = (wallMs: number) => ({ wallMs, bootMs: wallMs });

describe('the sleeps of a device', () => {
  it('begin anew when the system says it twice, or end without having begun', () => {
    const sleeps = new Sleeps();
    sleeps.end(end(HOUR));
    expect(sleeps.untold(HOUR)).toEqual([]);
    sleeps.begin(start(0));
    sleeps.begin(start(HOUR));
    expect(sleeps.untold(HOUR)).toEqual([]);
    sleeps.end(end(3 * HOUR));
    sleeps.end(end(4 * HOUR));
    const sleep = { fromMs: 0, fromSeq: 7, heldAgentIds: [], untilMs: 3 * HOUR, asleepMs: 3 * HOUR };
    expect(sleeps.untold(3 * HOUR)).toEqual([sleep]);
  });

  it('are as long as the calendar says that was set meanwhile', () => {
    const sleeps = new Sleeps();
    sleeps.begin(start(9 * HOUR));
    sleeps.end({ wallMs: HOUR, bootMs: 11 * HOUR });
    expect(sleeps.untold(9 * HOUR)).toMatchObject([{ fromMs: 9 * HOUR, untilMs: 9 * HOUR, asleepMs: 2 * HOUR }]);
  });

  it('stay for ever, or take one along that came after what was seen', () => {
    const sleeps = new Sleeps();
    for (const from of [0, 2, 4]) {
      sleeps.begin(start(from * HOUR));
      sleeps.end(end((from + 1) * HOUR));
    }
    sleeps.dismiss(3 * HOUR);
    expect(sleeps.untold(6 * HOUR).map((sleep) => sleep.fromMs)).toEqual([4 * HOUR]);
    expect(sleeps.untold(5 * HOUR + 24 * HOUR)).toEqual([]);
  });
});
