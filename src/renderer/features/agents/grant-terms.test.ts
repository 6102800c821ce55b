import { describe, expect, it } from 'vitest';
import { DEFAULT_TERMS, lastsOf } from './grant-terms.tsx';

describe('how long a permission lasts, as it was chosen', () => {
  it('is longer or shorter than what was pressed', () => {
    expect(lastsOf(DEFAULT_TERMS)).toEqual({ kind: 'always' });
    const days = (['day', 'week', 'month'] as const).map((ends) => lastsOf({ ...DEFAULT_TERMS, ends }));
    expect(days).toEqual([1, 7, 30].map((count) => ({ kind: 'for', ms: count * 86_400_000 })));
  });

  it('ends before the chosen day is over, or is permitted without a day', () => {
    expect(lastsOf({ ...DEFAULT_TERMS, ends: 'date' })).toBeNull();
    const lasts = lastsOf({ ...DEFAULT_TERMS, ends: 'date', date: '2030-03-31' });
    expect(lasts).toEqual({ kind: 'until', atMs: new Date(2030, 2, 31, 23, 59, 59).getTime() });
  });
});
