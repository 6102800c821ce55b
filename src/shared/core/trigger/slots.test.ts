import { describe, expect, it } from 'vitest';
import { slotsOf } from './slots.ts';
import type { LocalTime, ZoneOffset } from './slots.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The moment of a date and time of Greenwich, ms; a year begins in March here, so that the leap day is its last. */
function momentOf(year: number, month: number, day: number, [hour, minute]: readonly [number, number]): number {
  const [marchYear, monthsSinceMarch] = month > 2 ? [year, month - 3] : [year - 1, month + 9];
  const century = Math.floor(marchYear / 100);
  const leapDays = Math.floor(marchYear / 4) - century + Math.floor(century / 4);
  const days = marchYear * 365 + leapDays + Math.floor((153 * monthsSinceMarch + 2) / 5) + day - 719_469;
  return days * DAY_MS + hour * HOUR_MS + minute * 60_000;
}

/** The moment of `2026-11-01T01:30`, as if it were of Greenwich. */
function at(text: string): number {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = text.split(/[-T:]/u).map(Number);
  return momentOf(year, month, day, [hour, minute]);
}

function offsetOf(timeZone: string): ZoneOffset {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (atMs) => {
    const wholeMs = Math.floor(atMs / 60_000) * 60_000;
    const parts = Object.fromEntries(format.formatToParts(wholeMs).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
    return momentOf(year, month, day, [hour, minute]) - wholeMs;
  };
}

function time(name: string): LocalTime {
  return { name, localMs: at(name) };
}

/** The slots of some local times, each with its moment in Greenwich: month, day, hour and minute. */
function moments(timeZone: string, names: readonly string[], isEveryHour = false): string[] {
  const greenwich = new Intl.DateTimeFormat('sv-SE', { timeZone: 'UTC', dateStyle: 'short', timeStyle: 'short' });
  const slots = slotsOf(names.map(time), { offsetAtMs: offsetOf(timeZone), isEveryHour });
  return slots.map(({ slot, atMs }) => `${slot} ${greenwich.format(atMs).slice(5).replace(' ', 'T')}`);
}

describe('a time that the clocks show twice', () => {
  it.each([
    { timeZone: 'America/New_York', name: '2026-11-01T01:30', first: '11-01T05:30', again: '11-01T06:30' },
    { timeZone: 'Europe/Berlin', name: '2026-10-25T02:30', first: '10-25T00:30', again: '10-25T01:30' },
    { timeZone: 'Australia/Lord_Howe', name: '2027-04-04T01:45', first: '04-03T14:45', again: '04-03T15:15' },
  ])(
    'in $timeZone a daily job fires twice, and an hourly one once in two hours',
    ({ timeZone, name, first, again }) => {
      expect(moments(timeZone, [name])).toEqual([`${name} ${first}`]);
      expect(moments(timeZone, [name], true)).toEqual([`${name} ${first}`, `${name}/2 ${again}`]);
    },
  );
});

describe('a time that the clocks skip', () => {
  it.each([
    { timeZone: 'America/New_York', name: '2027-03-14T02:30', first: '03-14T07:00' },
    { timeZone: 'Europe/Berlin', name: '2027-03-28T02:30', first: '03-28T01:00' },
    { timeZone: 'Australia/Lord_Howe', name: '2026-10-04T02:15', first: '10-03T15:30' },
  ])('in $timeZone a daily job does not fire that day', ({ timeZone, name, first }) => {
    expect(moments(timeZone, [name])).toEqual([`${name} ${first}`]);
    expect(moments(timeZone, [name], true)).toEqual([`${name} ${first}`]);
  });

  it('fires once for each of the times that were skipped', () => {
    const skipped = ['2027-03-14T02:00', '2027-03-14T02:15', '2027-03-14T02:45', '2027-03-14T03:00'];
    expect(moments('America/New_York', ['2027-03-14T01:45', ...skipped])).toEqual([
      '2027-03-14T01:45 03-14T06:45',
      '2027-03-14T03:00 03-14T07:00',
    ]);
  });
});

describe('any other time', () => {
  it('is moved because the clocks change on the same day', () => {
    expect(moments('America/New_York', ['2026-11-01T00:59', '2026-11-01T02:00', '2027-03-14T01:59'])).toEqual([
      '2026-11-01T00:59 11-01T04:59',
      '2026-11-01T02:00 11-01T07:00',
      '2027-03-14T01:59 03-14T06:59',
    ]);
  });

  it('is lost or doubled where local time is as far from Greenwich as it gets', () => {
    expect(moments('Pacific/Kiritimati', ['2026-01-01T00:00'])).toEqual(['2026-01-01T00:00 12-31T10:00']);
    expect(moments('Etc/GMT+12', ['2026-01-01T23:59'])).toEqual(['2026-01-01T23:59 01-02T11:59']);
  });

  it('comes out of order when two passes of one hour are mixed', () => {
    const names = ['2026-11-01T01:00', '2026-11-01T01:30'];
    expect(moments('America/New_York', names, true).map((line) => line.split(' ')[0])).toEqual([
      '2026-11-01T01:00',
      '2026-11-01T01:30',
      '2026-11-01T01:00/2',
      '2026-11-01T01:30/2',
    ]);
  });
});

it('every day of two years has exactly one 01:30 and one 02:30, in three zones', () => {
  for (const timeZone of ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe']) {
    for (const clock of ['01:30', '02:15', '02:30']) {
      const firstMs = at(`2026-01-01T${clock}`);
      const times = Array.from({ length: 731 }, (_, day) => ({ name: `day ${day}`, localMs: firstMs + day * DAY_MS }));
      const slots = slotsOf(times, { offsetAtMs: offsetOf(timeZone), isEveryHour: false });
      expect(new Set(slots.map((slot) => slot.slot)).size).toBe(times.length);
      const gaps = slots.slice(1).map((slot, index) => slot.atMs - (slots[index]?.atMs ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(22 * HOUR_MS);
      expect(Math.max(...gaps)).toBeLessThanOrEqual(26 * HOUR_MS);
    }
  }
});
