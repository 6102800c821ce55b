import type { AfterRun, FileTrigger, Schedule } from '../../shared/contract/triggers.ts';
import type { MissedReason } from '../../shared/core/trigger/missed.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** A schedule in plain words, with its time zone; the cron text itself where it has no common shape. */
export function scheduleWords({ cron, timeZone }: Pick<Schedule, 'cron' | 'timeZone'>): string {
  return `${cronWords(cron.trim().split(/\s+/u)) ?? `By the rule ${cron}`} (${timeZone})`;
}

function cronWords(fields: readonly string[]): string | null {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const isAnyDate = day === '*' && month === '*';
  if (hour.startsWith('*')) return isAnyDate && weekday === '*' ? intervalWords(minute, hour) : null;
  const clock = clockWords(minute, hour);
  if (clock === null) return null;
  if (isAnyDate) {
    const days = dayWords(weekday);
    return days === null ? null : `${days} at ${clock}`;
  }
  const date = numbersOf(day, 1, 31);
  if (weekday !== '*' || date?.length !== 1) return null;
  if (month === '*') return `On the ${ordinal(date[0] ?? 1)} of every month at ${clock}`;
  const months = numbersOf(month, 1, 12);
  return months?.length === 1 ? `Every year on ${date[0]} ${MONTHS[(months[0] ?? 1) - 1]} at ${clock}` : null;
}

function intervalWords(minute: string, hour: string): string | null {
  const everyMinutes = stepOf(minute, 60);
  if (hour === '*' && everyMinutes !== null)
    return everyMinutes === 1 ? 'Every minute' : `Every ${everyMinutes} minutes`;
  const minutes = numbersOf(minute, 0, 59);
  const everyHours = stepOf(hour, 24);
  if (minutes?.length !== 1 || everyHours === null) return null;
  const past = minutes[0] === 0 ? '' : `, ${minutes[0]} min past`;
  return everyHours === 1 ? `Every hour${past}` : `Every ${everyHours} hours${past}`;
}

/** `*` is a step of one; one that does not divide its hour or day is none that a person would call so. */
function stepOf(field: string, whole: number): number | null {
  if (field === '*') return 1;
  const step = Number(/^\*\/(\d{1,2})$/u.exec(field)?.[1] ?? 0);
  return step > 0 && whole % step === 0 ? step : null;
}

function clockWords(minute: string, hour: string): string | null {
  const minutes = numbersOf(minute, 0, 59);
  const hours = numbersOf(hour, 0, 23);
  if (minutes === null || hours === null || minutes.length * hours.length > 4) return null;
  const times = hours.flatMap((each) => minutes.map((past) => `${padded(each)}:${padded(past)}`));
  return listWords(times);
}

function dayWords(weekday: string): string | null {
  if (weekday === '*') return 'Every day';
  const range = /^([0-7])-([0-7])$/u.exec(weekday);
  if (range !== null) return `${DAYS[Number(range[1])]} to ${DAYS[Number(range[2])]}`;
  const days = numbersOf(weekday, 0, 7);
  return days === null ? null : listWords(days.map((each) => `${DAYS[each]}s`));
}

/** A plain list of numbers, such as `7,19`; `null` for anything else. */
function numbersOf(field: string, least: number, most: number): readonly number[] | null {
  if (!/^\d{1,2}(?:,\d{1,2})*$/u.test(field)) return null;
  const numbers = field.split(',').map(Number);
  return numbers.every((each) => each >= least && each <= most) ? numbers : null;
}

function listWords(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function padded(value: number): string {
  return String(value).padStart(2, '0');
}

function ordinal(day: number): string {
  const ending =
    day % 10 === 1 && day !== 11
      ? 'st'
      : day % 10 === 2 && day !== 12
        ? 'nd'
        : day % 10 === 3 && day !== 13
          ? 'rd'
          : 'th';
  return `${day}${ending}`;
}

/** What becomes of slots that nobody could run. */
export const POLICY_WORDS: Readonly<Record<Schedule['missed'], string>> = {
  skip: 'Missed times are not made up for',
  once: 'One run makes up for missed times',
  each: 'Each missed time is made up for, one by one',
};

export function fileWords({ folder, pattern }: FileTrigger): string {
  return `When a file${pattern === undefined ? '' : ` like ${pattern}`} appears or changes in ${folder}`;
}

const ENDING_WORDS: Readonly<Record<AfterRun['endings'][number], string>> = {
  done: 'is done',
  'failed-nothing-sent': 'fails with nothing sent',
  'failed-was-sent': 'fails after something was sent',
  stopped: 'is stopped',
};

export function afterRunWords({ endings }: AfterRun, agentName: string): string {
  const ends = [...new Set(endings)].map((ending) => ENDING_WORDS[ending]);
  const last = ends.length < 2 ? (ends[0] ?? '') : `${ends.slice(0, -1).join(', ')} or ${ends.at(-1)}`;
  return `When a run of ${agentName} ${last}`;
}

/** Why no run was started, and that nothing was sent. */
export function missedWords(reason: MissedReason, detail: string): string {
  const more = detail === '' ? '' : ` ${detail}`;
  switch (reason) {
    case 'device-off':
      return 'Missed: this device was not awake in time. Nothing was sent.';
    case 'covered':
      return 'Missed: a later run makes up for it. Nothing was sent for this one.';
    case 'too-many':
      return `Missed: more came together than are made up for. Nothing was sent.${more}`;
    case 'no-permission':
      return 'Missed: the agent had no permission to act. Nothing was sent.';
    case 'paused':
      return 'Missed: it was paused. Nothing was sent.';
    case 'strategy-broken':
      return `It can start nothing. Nothing was sent.${more}`;
    case 'already-ran':
      return 'It has its run already, so it was not started again. Nothing was sent for it a second time.';
    case 'clock-went-back':
      return 'The date of this device was ahead and has been set back. It counts again from now on, and what ran already is not run again.';
    case 'watch-failed':
      return `Missed: ${detail} Nothing was sent.`;
    case 'refused':
      return `Missed: the run could not be started. Nothing was sent.${more}`;
    default:
      return assertNever(reason);
  }
}
