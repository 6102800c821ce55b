/** How often, as a person chooses it. */
export interface ScheduleChoice {
  readonly every: 'hour' | 'day' | 'workday' | 'week' | 'own';
  /** As the time field has it, such as `07:00`; of an hour only the minutes count. */
  readonly time: string;
  /** 0 is Sunday; only looked at for `week`. */
  readonly weekday: string;
  /** Five fields; only looked at for `own`. */
  readonly cron: string;
}

export const FIRST_CHOICE: ScheduleChoice = { every: 'day', time: '07:00', weekday: '1', cron: '0 7 1 * *' };

/** The choice as five fields; `null` while something is not filled in. */
export function cronOf({ every, time, weekday, cron }: ScheduleChoice): string | null {
  if (every === 'own') return cron.trim() === '' ? null : cron.trim();
  const [, hour, minute] = /^(\d{1,2}):(\d{2})/u.exec(time) ?? [];
  if (hour === undefined || minute === undefined) return null;
  const past = Number(minute);
  if (every === 'hour') return `${past} * * * *`;
  const days = { day: '*', workday: '1-5', week: weekday }[every];
  return `${past} ${Number(hour)} * * ${days}`;
}
