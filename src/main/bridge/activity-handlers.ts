import type { Route } from '../../shared/contract/api.ts';
import { problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { HostControl } from '../host/control.ts';
import type { LedgerExports } from '../ledger/ledger-exports.ts';
import { activityEntry, activityNews, activityView } from '../views/activity.ts';
import { read } from './answers.ts';
import type { Handlers } from './application.ts';

const NO_EXPORT = problem('not-found', 'This export is not known any more.', 'Export again.');
const NOT_HERE = problem('not-offered', 'This host exports nothing.', 'Use fencepost export in a terminal.');

/** The record as a whole: looking through it, and taking a copy of it away. */
export function activityHandlers(
  control: HostControl,
  exports: LedgerExports | null,
): Pick<Handlers, Extract<Route, `activity.${string}` | `export.${string}`>> {
  return {
    'activity.list': (request) => read(control, (source) => activityView(source, request)),
    'activity.news': (request) => read(control, (source) => activityNews(source, request)),
    'activity.get': ({ seq }) =>
      read(control, (source) => activityEntry(source, seq), 'There is no such entry in this record.'),
    'export.begin': (request, caller) =>
      exports === null ? Promise.resolve(err(NOT_HERE)) : exports.begin(request, caller),
    'export.get': ({ exportId }) => {
      const view = exports?.look(exportId) ?? null;
      return Promise.resolve(view === null ? err(NO_EXPORT) : ok(view));
    },
    'export.cancel': ({ exportId }) => {
      const isCancelled = exports?.cancel(exportId) ?? false;
      const sentence = isCancelled ? 'Cancelled. No file was left behind.' : 'It was over already.';
      return Promise.resolve(ok({ sentence }));
    },
  };
}
