import type { AgentRow } from '../../../shared/contract/views.ts';

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

/** Whose schedule it is before anything was chosen: that of the only agent, a person's own before samples; else nobody's. */
export function onlyAgentId(agents: readonly AgentRow[]): string | null {
  const own = agents.filter((agent) => !agent.isSample);
  const [only, ...others] = own.length > 0 ? own : agents;
  return only === undefined || others.length > 0 ? null : only.agentId;
}
