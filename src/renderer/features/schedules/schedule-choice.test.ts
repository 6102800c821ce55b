import { describe, expect, it } from 'vitest';
import { cronOf, FIRST_CHOICE } from './schedule-choice.ts';

describe('a chosen time', () => {
  it.each([
    { choice: {}, cron: '0 7 * * *' },
    { choice: { time: '23:05' }, cron: '5 23 * * *' },
    { choice: { every: 'hour', time: '09:20' }, cron: '20 * * * *' },
    { choice: { every: 'workday', time: '00:00' }, cron: '0 0 * * 1-5' },
    { choice: { every: 'week', weekday: '0', time: '17:30:00' }, cron: '30 17 * * 0' },
    { choice: { every: 'own', cron: ' 0 8 1 * * ' }, cron: '0 8 1 * *' },
    { choice: { every: 'own', cron: ' ' }, cron: null },
    { choice: { time: '' }, cron: null },
  ] as const)('comes on another day or hour: $choice', ({ choice, cron }) => {
    expect(cronOf({ ...FIRST_CHOICE, ...choice })).toBe(cron);
  });
});
