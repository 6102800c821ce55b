import type { Route } from '../../shared/contract/api.ts';
import { ok } from '../../shared/lib/result.ts';
import type { HostControl } from '../host/control.ts';
import { asleepView } from '../views/asleep.ts';
import { read } from './answers.ts';
import type { Handlers } from './application.ts';

/** What changed while this device was asleep. Seeing it answers nothing of it. */
export function asleepHandlers(control: HostControl): Pick<Handlers, Extract<Route, `asleep.${string}`>> {
  return {
    'asleep.get': () => read(control, (source) => asleepView(source, control.sleeps.untold(source.nowMs))),
    'asleep.dismiss': ({ untilMs }) => {
      control.sleeps.dismiss(untilMs);
      return Promise.resolve(ok({ sentence: 'Seen. What waits for an answer goes on waiting.' }));
    },
  };
}
