import { Cron } from 'croner';
import type { Schedule } from '../../../shared/contract/triggers.ts';
import { slotsOf } from '../../../shared/core/trigger/slots.ts';
import type { LocalTime, Slot, ZoneOffset } from '../../../shared/core/trigger/slots.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';

/** The most slots that are looked at together; of older ones it is only known that there are more. */
export const SLOT_LOOK_LIMIT = 500;
/** How many slots are looked at first: mostly there is one or none. */
const FIRST_LOOK = 8;
/** Around a change of the clocks several local times can be the same moment: so many are looked at for the next one. */
const NEXT_LOOK = 130;
const DAY_MS = 86_400_000;
/** How many schedules are kept parsed. */
const KEPT_LIMIT = 512;

/** When a schedule is due. */
export interface ScheduleClock {
  /** The slots after one moment and up to another, oldest first; `isCut` if older ones were left out. */
  between(afterMs: number, upToMs: number): { readonly slots: readonly Slot[]; readonly isCut: boolean };
  /** The first slot after a moment. */
  next(afterMs: number): Slot | null;
}

const kept = new Map<string, Result<ScheduleClock, string>>();

/** Reads a schedule. The error is a sentence. */
export function scheduleClock({ cron, timeZone }: Pick<Schedule, 'cron' | 'timeZone'>): Result<ScheduleClock, string> {
  const key = `${cron}\n${timeZone}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size >= KEPT_LIMIT) kept.clear();
  const made = makeClock(cron, timeZone);
  kept.set(key, made);
  return made;
}

function makeClock(cron: string, timeZone: string): Result<ScheduleClock, string> {
  const fields = cron.trim().split(/\s+/u);
  if (fields.length !== 5) return err('A schedule has five fields: minute, hour, day of month, month, day of week.');
  const offset = zoneOffset(timeZone);
  if (!offset.ok) return offset;
  const times = localTimes(fields.join(' '));
  if (!times.ok) return times;
  const zone = { offsetAtMs: offset.value, isEveryHour: fields[1]?.startsWith('*') === true };
  const clock = clockOf(times.value, zone);
  return ok(clock);
}

function clockOf(times: LocalTimes, zone: { offsetAtMs: ZoneOffset; isEveryHour: boolean }): ScheduleClock {
  const { offsetAtMs } = zone;
  // Whatever the clocks do within a day of a moment, its local time lies between these.
  const earliest = (atMs: number) => atMs + Math.min(offsetAtMs(atMs), offsetAtMs(atMs + DAY_MS));
  const latest = (atMs: number) => atMs + Math.max(offsetAtMs(atMs), offsetAtMs(atMs - DAY_MS));
  return {
    between(afterMs, upToMs) {
      const from = earliest(afterMs);
      const to = latest(upToMs);
      let found = times.before(to, FIRST_LOOK);
      const isAll = (list: readonly LocalTime[]) => (list[0]?.localMs ?? from) <= from || list.length < FIRST_LOOK;
      if (!isAll(found)) found = times.before(to, SLOT_LOOK_LIMIT + 1);
      const slots = slotsOf(
        found.filter((time) => time.localMs > from),
        zone,
      ).filter((slot) => slot.atMs > afterMs && slot.atMs <= upToMs);
      const isCut = found.length > SLOT_LOOK_LIMIT && (found[0]?.localMs ?? from) > from;
      return { slots: slots.slice(-SLOT_LOOK_LIMIT), isCut };
    },
    next(afterMs) {
      const isLater = (slot: Slot) => slot.atMs > afterMs;
      const few = slotsOf(times.after(earliest(afterMs), 4), zone).find(isLater);
      return few ?? slotsOf(times.after(earliest(afterMs), NEXT_LOOK), zone).find(isLater) ?? null;
    },
  };
}

interface LocalTimes {
  /** The newest ones up to a local time, oldest first. */
  before(localMs: number, limit: number): readonly LocalTime[];
  after(localMs: number, limit: number): readonly LocalTime[];
}

/**
 * The calendar alone. The library is asked as if for a place without daylight saving: in a zone it leaves out the day of
 * `0,30 2 * * *` when the clocks skip that hour and fires `0,30 1 * * *` twice when they repeat it. That is decided by `slotsOf`.
 */
function localTimes(cron: string): Result<LocalTimes, string> {
  try {
    const pattern = new Cron(cron, { mode: '5-part', utcOffset: 0, paused: true });
    if (pattern.nextRun(new Date(0)) === null) return err('This schedule never comes.');
    return ok({
      before: (localMs, limit) =>
        pattern
          .previousRuns(limit, new Date(Math.floor(localMs / 1_000) * 1_000 + 1_000))
          .map(localTime)
          .toReversed(),
      after: (localMs, limit) => pattern.nextRuns(limit, new Date(localMs)).map(localTime),
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^Cron\w+: /u, '') : 'it makes no sense';
    return err(`This is no schedule: ${why}.`.replace(/\.\.$/u, '.'));
  }
}

function localTime(date: Date): LocalTime {
  return { name: date.toISOString().slice(0, 16), localMs: date.getTime() };
}

/** How far a zone's clocks are ahead of Greenwich, by the system's own tables. */
function zoneOffset(timeZone: string): Result<ZoneOffset, string> {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return err(`There is no time zone called "${timeZone}". Such as Europe/Berlin.`);
  }
  return ok((atMs) => {
    const wholeMs = Math.floor(atMs / 1_000) * 1_000;
    const parts = new Map(format.formatToParts(wholeMs).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - wholeMs;
  });
}
