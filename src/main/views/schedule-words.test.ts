import { describe, expect, it } from 'vitest';
import { afterRunWords, fileWords, missedWords, scheduleWords } from './schedule-words.ts';

describe('a schedule in words', () => {
  it.each([
    ['* * * * *', 'Every minute'],
    ['*/15 * * * *', 'Every 15 minutes'],
    ['0 * * * *', 'Every hour'],
    ['5 * * * *', 'Every hour, 5 min past'],
    ['0 */6 * * *', 'Every 6 hours'],
    ['0 7 * * *', 'Every day at 07:00'],
    ['30 7,19 * * *', 'Every day at 07:30 and 19:30'],
    ['0 9 * * 1-5', 'Monday to Friday at 09:00'],
    ['0 9 * * 1,4', 'Mondays and Thursdays at 09:00'],
    ['0 9 * * 7', 'Sundays at 09:00'],
    ['30 9 1 * *', 'On the 1st of every month at 09:30'],
    ['30 9 12 * *', 'On the 12th of every month at 09:30'],
    ['30 9 22 * *', 'On the 22nd of every month at 09:30'],
    ['0 0 14 3 *', 'Every year on 14 March at 00:00'],
  ])('%s reads as another one', (cron, words) => {
    expect(scheduleWords({ cron, timeZone: 'Europe/Berlin' })).toBe(`${words} (Europe/Berlin)`);
  });

  it.each([
    '*/7 * * * *',
    '0 */5 * * *',
    '0 7 13 * 5',
    '0 7 L * *',
    '0 7-9 * * *',
    '0 7 1,15 * *',
    '* 7 * * *',
    '0 7 * * MON',
  ])('%s is given words that are not true', (cron) => {
    expect(scheduleWords({ cron, timeZone: 'UTC' })).toBe(`By the rule ${cron} (UTC)`);
  });
});

describe('what else starts an agent', () => {
  it('is told without what it waits for', () => {
    const file = { id: 'f', folder: '~/Inbox', input: {} };
    expect(fileWords(file)).toBe('When a file appears or changes in ~/Inbox');
    expect(fileWords({ ...file, pattern: '*.pdf' })).toBe('When a file like *.pdf appears or changes in ~/Inbox');
    const after = { id: 'r', agent: 'a', input: {}, endings: ['done', 'failed-was-sent', 'stopped'] as const };
    expect(afterRunWords({ ...after, endings: [...after.endings] }, 'Report')).toBe(
      'When a run of Report is done, fails after something was sent or is stopped',
    );
  });
});

it.each([
  'device-off',
  'covered',
  'too-many',
  'no-permission',
  'paused',
  'strategy-broken',
  'already-ran',
  'watch-failed',
  'refused',
] as const)('a time missed for %s leaves it open whether something was sent', (reason) => {
  expect(missedWords(reason, 'The folder is gone.')).toContain('Nothing was sent');
});
