import type { Strategy } from '../../shared/contract/strategy.ts';
import type { StrategyFault } from '../../shared/core/run/check-strategy.ts';
import { scheduleClock } from '../host/triggers/schedule-clock.ts';

/**
 * What is wrong with the triggers of a strategy that is well formed otherwise: a schedule that makes no sense, an input that
 * the agent does not take, an agent that follows itself.
 */
export function triggerFaults({ id, input, triggers }: Strategy): StrategyFault[] {
  const faults: StrategyFault[] = [];
  const lists = ['schedules', 'files', 'webhooks', 'afterRuns'] as const;
  for (const list of lists) {
    for (const [index, trigger] of triggers[list].entries()) {
      const names = Object.keys(trigger.input).map((name) => ({ name, path: ['input', name] }));
      if ('as' in trigger && trigger.as !== undefined) names.push({ name: trigger.as, path: ['as'] });
      for (const { name, path } of names) {
        if (Object.hasOwn(input, name)) continue;
        const message = `This agent takes no input called "${name}".`;
        faults.push({ path: ['triggers', list, String(index), ...path], message });
      }
    }
  }
  for (const [index, schedule] of triggers.schedules.entries()) {
    const clock = scheduleClock(schedule);
    if (clock.ok) continue;
    const field = clock.error.includes('time zone') ? 'timeZone' : 'cron';
    faults.push({ path: ['triggers', 'schedules', String(index), field], message: clock.error });
  }
  for (const [index, after] of triggers.afterRuns.entries()) {
    if (after.agent !== id) continue;
    const message = 'An agent that starts when it ends would never stop. Use a schedule, or a loop in the strategy.';
    faults.push({ path: ['triggers', 'afterRuns', String(index), 'agent'], message });
  }
  return faults;
}
