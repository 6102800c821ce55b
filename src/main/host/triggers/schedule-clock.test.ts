import { describe, expect, it } from 'vitest';
import { scheduleClock, SLOT_LOOK_LIMIT } from './schedule-clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function clock(cron: string, timeZone: string) {
  const made = scheduleClock({ cron, timeZone });
  if (!made.ok) throw new Error(made.error);
  return made.value;
}

function fired(cron: string, timeZone: string, [from, to]: readonly [string, string]): string[] {
  const { slots } = clock(cron, timeZone).between(Date.parse(from), Date.parse(to));
  return slots.map(({ slot, atMs }) => `${slot} at ${new Date(atMs).toISOString().slice(0, 16)}`);
}

const FALL = ['2026-11-01T04:00Z', '2026-11-02T04:00Z'] as const;
const SPRING = ['2027-03-14T05:00Z', '2027-03-15T04:00Z'] as const;

describe('on the day on which the clocks are set back', () => {
  it.each([
    ['30 1 * * *', ['2026-11-01T01:30 at 2026-11-01T05:30']],
    ['0,30 1 * * *', ['2026-11-01T01:00 at 2026-11-01T05:00', '2026-11-01T01:30 at 2026-11-01T05:30']],
    ['0 1-2 * * *', ['2026-11-01T01:00 at 2026-11-01T05:00', '2026-11-01T02:00 at 2026-11-01T07:00']],
  ])('%s fires twice in New York', (cron, expected) => {
    expect(fired(cron, 'America/New_York', FALL)).toEqual(expected);
  });

  it('an hourly job is silent for an hour, or loses one of 25', () => {
    const slots = fired('0 * * * *', 'America/New_York', FALL);
    expect(slots).toHaveLength(24);
    expect(slots.slice(0, 3)).toEqual([
      '2026-11-01T01:00 at 2026-11-01T05:00',
      '2026-11-01T01:00/2 at 2026-11-01T06:00',
      '2026-11-01T02:00 at 2026-11-01T07:00',
    ]);
  });

  it('Berlin and Lord Howe, with its half hour, fire twice', () => {
    expect(fired('30 2 * * *', 'Europe/Berlin', ['2026-10-24T22:00Z', '2026-10-25T22:00Z'])).toEqual([
      '2026-10-25T02:30 at 2026-10-25T00:30',
    ]);
    expect(fired('45 1 * * *', 'Australia/Lord_Howe', ['2027-04-03T13:00Z', '2027-04-04T13:00Z'])).toEqual([
      '2027-04-04T01:45 at 2027-04-03T14:45',
    ]);
    expect(fired('*/15 1 * * *', 'Australia/Lord_Howe', ['2027-04-03T13:00Z', '2027-04-04T13:00Z'])).toHaveLength(4);
  });

  it('a slot of the first pass is forgotten by a device that wakes up in the second', () => {
    expect(fired('30 1 * * *', 'America/New_York', ['2026-11-01T05:10Z', '2026-11-01T06:10Z'])).toEqual([
      '2026-11-01T01:30 at 2026-11-01T05:30',
    ]);
    expect(fired('30 1 * * *', 'America/New_York', ['2026-11-01T05:30Z', '2026-11-01T06:40Z'])).toEqual([]);
  });
});

describe('on the day on which the clocks are set forward', () => {
  it.each([
    ['30 2 * * *', ['2027-03-14T02:30 at 2027-03-14T07:00']],
    ['0,30 2 * * *', ['2027-03-14T02:30 at 2027-03-14T07:00']],
    ['30 1-2 * * *', ['2027-03-14T01:30 at 2027-03-14T06:30', '2027-03-14T02:30 at 2027-03-14T07:00']],
  ])('%s is left out in New York, or fires for each time that was skipped', (cron, expected) => {
    expect(fired(cron, 'America/New_York', SPRING)).toEqual(expected);
  });

  it('an hourly job fires twice in the first moment after the gap', () => {
    const slots = fired('0 * * * *', 'America/New_York', SPRING);
    expect(slots).toHaveLength(23);
    expect(slots.slice(0, 2)).toEqual(['2027-03-14T01:00 at 2027-03-14T06:00', '2027-03-14T03:00 at 2027-03-14T07:00']);
  });

  it('Berlin and Lord Howe are left out', () => {
    expect(fired('30 2 * * *', 'Europe/Berlin', ['2027-03-27T22:00Z', '2027-03-28T22:00Z'])).toEqual([
      '2027-03-28T02:30 at 2027-03-28T01:00',
    ]);
    expect(fired('15 2 * * *', 'Australia/Lord_Howe', ['2026-10-03T13:00Z', '2026-10-04T13:00Z'])).toEqual([
      '2026-10-04T02:15 at 2026-10-03T15:30',
    ]);
  });
});

describe('any two ways of looking', () => {
  it('name another slot: in one go, in steps of thirteen minutes, or one after the other', () => {
    for (const timeZone of ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kolkata']) {
      for (const cron of ['*/20 * * * *', '30 1 * * *', '15,45 2 * * *', '0 */2 * * *']) {
        for (const day of ['2026-10-04', '2026-10-25', '2026-11-01', '2027-03-14', '2027-03-28', '2027-04-04']) {
          const from = Date.parse(`${day}T00:00Z`) - 14 * HOUR_MS;
          const to = from + 38 * HOUR_MS;
          const whole = clock(cron, timeZone).between(from, to).slots;
          const steps = [];
          for (let at = from; at < to; at += 13 * MINUTE_MS)
            steps.push(...clock(cron, timeZone).between(at, Math.min(to, at + 13 * MINUTE_MS)).slots);
          expect(steps, `${cron} ${timeZone} ${day}`).toEqual(whole);
          const chain = [];
          for (let slot = clock(cron, timeZone).next(from); slot !== null && slot.atMs <= to;)
            slot = (chain.push(slot), clock(cron, timeZone).next(slot.atMs));
          expect(chain, `${cron} ${timeZone} ${day}`).toEqual(whole);
        }
      }
    }
  });
});

it('a year without a device makes half a million slots', () => {
  const toMs = Date.parse('2027-01-01T00:00Z');
  const { slots, isCut } = clock('* * * * *', 'Europe/Berlin').between(toMs - 365 * 24 * HOUR_MS, toMs);
  expect(slots).toHaveLength(SLOT_LOOK_LIMIT);
  expect(isCut).toBe(true);
  expect(slots.at(-1)?.atMs).toBe(toMs);
  expect(clock('* * * * *', 'UTC').between(toMs - 10 * MINUTE_MS, toMs)).toMatchObject({ isCut: false });
  expect(clock('* * * * *', 'UTC').between(toMs - 10 * MINUTE_MS, toMs).slots).toHaveLength(10);
});

describe('a schedule that makes no sense', () => {
  it.each([
    ['* * *', 'UTC', 'five fields'],
    ['@daily', 'UTC', 'five fields'],
    ['61 7 * * *', 'UTC', 'minute'],
    ['0 7 * * noday', 'UTC', 'no schedule'],
    ['0 0 31 2 *', 'UTC', 'never comes'],
    ['0 7 * * *', 'Europe/Berln', 'time zone'],
  ])('%s in %s is taken, and never fires', (cron, timeZone, words) => {
    const made = scheduleClock({ cron, timeZone });
    expect(made.ok ? '' : made.error).toContain(words);
  });
});
