import type { Route } from '../../shared/contract/api.ts';
import { problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { HostControl } from '../host/control.ts';
import { RETENTION_SETTING } from '../host/sync/retention.ts';
import type { RecordCheck } from '../ledger/record-check.ts';
import { diagnosticsText } from '../views/diagnostics.ts';
import type { HostInfo } from '../views/overview.ts';
import { recordView } from '../views/record.ts';
import { toolsView } from '../views/tools.ts';
import type { ViewSource } from '../views/view-source.ts';
import { read, tell } from './answers.ts';
import type { Handlers } from './application.ts';
import { logTail } from './log-tail.ts';

const NOT_HERE = problem('not-offered', 'This host checks nothing.', 'Use fencepost verify in a terminal.');
const NO_WINDOW = problem(
  'not-offered',
  'A page in a browser cannot open a folder.',
  'Open it where the host runs. Its path can be copied.',
);

/** What there is to look after: tools and their kinds, the record, and what to hand on when something is wrong. */
export function recordHandlers(
  control: HostControl,
  info: HostInfo,
  check: RecordCheck | null,
): Pick<Handlers, Extract<Route, `record.${string}` | `diagnostics.${string}` | `tools.${string}`>> {
  const { profileFolder } = info;
  const desktop = info.desktop ?? null;
  const record = (source: ViewSource) => recordView(source, control, { profileFolder, check: check?.view() ?? null });
  return {
    'tools.list': () => read(control, toolsView),
    'record.get': () => read(control, record),
    'record.keep': ({ retention }) =>
      tell(control.writeSetting(RETENTION_SETTING, retention), () =>
        retention === 'for-ever' ? 'Everything is kept from now on.' : 'Kept. It is looked at once an hour.',
      ),
    'record.check': () => {
      const begun = check?.begin() ?? err(NOT_HERE);
      return Promise.resolve(begun.ok ? ok({ sentence: 'The check has begun.' }) : begun);
    },
    'diagnostics.get': () =>
      read(control, (source) => ({
        text: diagnosticsText(source, control, { info, record: record(source), log: logTail(profileFolder) }),
      })),
    'diagnostics.openFolder': async () => {
      if (desktop === null) return err(NO_WINDOW);
      const opened = await desktop.openFolder(profileFolder);
      return opened.ok ? ok({ sentence: 'The folder is open.' }) : opened;
    },
  };
}
