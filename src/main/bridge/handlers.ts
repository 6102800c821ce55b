import type { Answer, ParsedRequestOf, Route } from '../../shared/contract/api.ts';
import { problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { HostControl } from '../host/control.ts';
import type { LedgerExports } from '../ledger/ledger-exports.ts';
import type { RecordCheck } from '../ledger/record-check.ts';
import { agentDetailView } from '../views/agent-detail.ts';
import { agentsView } from '../views/agents.ts';
import { approvalView } from '../views/approval.ts';
import { branchesView } from '../views/branches.ts';
import { exportRun } from '../views/export.ts';
import { leasesView } from '../views/leases.ts';
import { needsYouView } from '../views/needs-you.ts';
import { ONBOARDED_SETTING, overviewView } from '../views/overview.ts';
import type { HostInfo } from '../views/overview.ts';
import { permittedView } from '../views/permitted.ts';
import { refusalsView } from '../views/refusals.ts';
import { runDetailView } from '../views/run-detail.ts';
import { runsView } from '../views/runs.ts';
import { searchView } from '../views/search.ts';
import { scheduleDraftView } from '../views/schedule-draft.ts';
import { schedulesView } from '../views/schedules.ts';
import { CONTRAST_SETTING, settingsView, THEME_SETTING } from '../views/settings.ts';
import { findText } from '../views/text.ts';
import { viewSource } from '../views/view-source.ts';
import type { Application, Caller, Handlers } from './application.ts';
import { authority } from './authority-handlers.ts';
import { asleepHandlers } from './asleep-handlers.ts';
import { activityHandlers } from './activity-handlers.ts';
import { NO_STORE, read, tell } from './answers.ts';
import { coordinatorHandlers } from './coordinator-handlers.ts';
import { desktopHandlers } from './desktop-handlers.ts';
import { recordHandlers } from './record-handlers.ts';
import { recoveryHandlers } from './recovery-handlers.ts';
import { savedViewHandlers } from './saved-view-handlers.ts';
import { secretHandlers } from './secret-handlers.ts';
import { signInHandlers } from './sign-in-handlers.ts';
import { syncHandlers } from './sync-handlers.ts';

type Some<R extends Route> = Pick<Handlers, R>;

/** Who decided, as the record says it: the person at this device, and through which door. */
function personAt(caller: Caller): string {
  return caller.surface === 'browser' ? 'you, in a browser' : 'you';
}

/** What works on the record as a whole; a host that is put together without it says so. */
interface LedgerParts {
  readonly exports?: LedgerExports | null;
  readonly check?: RecordCheck | null;
}

/** The handlers of all routes: reads come from the views, changes go to the host. Answers are values. */
export function createHandlers(
  control: HostControl,
  info: HostInfo,
  { exports = null, check = null }: LedgerParts = {},
): Application['handlers'] {
  return {
    ...screens(control, info),
    ...details(control),
    ...runChanges(control),
    ...decisions(control),
    ...recoveryHandlers(control, personAt),
    ...missedChanges(control),
    ...agentChanges(control),
    ...authority(control, personAt),
    ...asleepHandlers(control),
    ...savedViewHandlers(control),
    ...secretHandlers(control),
    ...signInHandlers(control, info),
    ...coordinatorHandlers(control, personAt),
    ...syncHandlers(control, personAt),
    ...activityHandlers(control, exports),
    ...settings(control, info),
    ...recordHandlers(control, info, check),
    ...desktopHandlers(control, info),
  };
}

function screens(
  control: HostControl,
  info: HostInfo,
): Some<
  | 'overview.get'
  | 'runs.list'
  | 'search.list'
  | 'needs.list'
  | 'refusals.list'
  | 'leases.list'
  | 'schedules.list'
  | 'schedules.draft'
  | 'agents.list'
> {
  return {
    'overview.get': () => read(control, (source) => overviewView(source, control, info)),
    'runs.list': (request) => read(control, (source) => runsView(source, request)),
    'search.list': (request) => read(control, (source) => searchView(source, request)),
    'needs.list': () => read(control, needsYouView),
    'refusals.list': (request) => read(control, (source) => refusalsView(source, request)),
    'leases.list': (request) => read(control, (source) => leasesView(source, request)),
    'schedules.list': () => read(control, (source) => schedulesView(source, control.webhookDoor())),
    'schedules.draft': (request) =>
      read(control, (source) => scheduleDraftView(source, request), 'There is no such agent.'),
    'agents.list': () => read(control, agentsView),
  };
}

function details(
  control: HostControl,
): Some<
  'runs.get' | 'runs.branches' | 'runs.export' | 'approval.get' | 'agents.get' | 'agents.permitted' | 'text.get'
> {
  return {
    'runs.get': ({ runId }) => read(control, (source) => runDetailView(source, runId), 'There is no such run.'),
    'runs.branches': (place) => read(control, (source) => branchesView(source, place), 'There is no such run.'),
    'runs.export': ({ runId }) => read(control, (source) => exportRun(source, runId), 'There is no such run.'),
    'approval.get': ({ approvalId }) =>
      read(control, (source) => approvalView(source, approvalId), 'There is no such question any more.'),
    'agents.get': (request) => agentDetail(control, request),
    'agents.permitted': ({ agentId }) => read(control, (source) => permittedView(source, agentId)),
    'text.get': ({ digest }) =>
      read(
        control,
        ({ connection }) => {
          const text = findText(connection.db, digest);
          return text === null ? null : { text };
        },
        'There is no such text.',
      ),
  };
}

async function agentDetail(
  control: HostControl,
  request: ParsedRequestOf<'agents.get'>,
): Promise<Answer<'agents.get'>> {
  const source = viewSource(control);
  if (source === null) return err(NO_STORE);
  const view = agentDetailView(source, request.agentId, (agentId) => control.previewGrant(agentId));
  if (!view.ok) return view;
  return Promise.resolve(view.value === null ? err(problem('not-found', 'There is no such agent.')) : ok(view.value));
}

const FOLLOWED = 'What is on its way is followed to its end. Nothing further is sent.';

function runChanges(control: HostControl): Some<'runs.start' | 'runs.stop' | 'runs.pause' | 'runs.resume'> {
  return {
    'runs.start': (request, caller) => control.startRun({ ...request, by: personAt(caller) }),
    'runs.stop': ({ runId }, caller) =>
      tell(control.stopRun(runId, personAt(caller)), ({ wasInFlight }) =>
        wasInFlight ? FOLLOWED : 'Stopped. Nothing further is sent.',
      ),
    'runs.pause': ({ runId }, caller) =>
      tell(control.pauseRun(runId, personAt(caller)), ({ wasInFlight }) =>
        wasInFlight ? FOLLOWED : 'Paused. Nothing is lost.',
      ),
    'runs.resume': ({ runId }, caller) =>
      tell(control.resumeRun(runId, personAt(caller)), () => 'Resumed. The run goes on.'),
  };
}

function decisions(control: HostControl): Some<'approval.decide'> {
  return {
    'approval.decide': (request, caller) =>
      tell(control.decideApproval({ ...request, by: personAt(caller) }), () =>
        request.isAllowed ? 'Allowed once.' : 'Not allowed. It is not sent.',
      ),
  };
}

function missedChanges(control: HostControl): Some<'schedules.runMissed' | 'schedules.skip'> {
  return {
    'schedules.runMissed': (missed, caller) => control.runMissed(missed, personAt(caller)),
    'schedules.skip': (missed, caller) =>
      tell(control.skipMissed(missed, personAt(caller)), () => 'Skipped. Nothing was sent.'),
  };
}

function agentChanges(control: HostControl): Some<'agents.save'> {
  return {
    async 'agents.save'({ fileName, source }, caller) {
      const saved = await control.saveAgent(fileName, source, personAt(caller));
      if (!saved.ok) return saved;
      return ok(
        'agentId' in saved.value
          ? { agentId: saved.value.agentId, problems: [] }
          : { agentId: null, problems: saved.value.problems },
      );
    },
  };
}

function settings(control: HostControl, info: HostInfo): Some<'settings.get' | 'settings.set'> {
  const get = (): Promise<Answer<'settings.get'>> => read(control, (source) => settingsView(source, control, info));
  return {
    'settings.get': get,
    async 'settings.set'({ deviceName, theme, contrast, isOnboarded }) {
      if (deviceName !== undefined) {
        const named = await control.setDeviceName(deviceName);
        if (!named.ok) return named;
      }
      const values = {
        [THEME_SETTING]: theme,
        [CONTRAST_SETTING]: contrast,
        [ONBOARDED_SETTING]: isOnboarded === undefined ? undefined : isOnboarded ? 'yes' : 'no',
      };
      for (const [key, value] of Object.entries(values)) {
        if (value === undefined) continue;
        const written = await control.writeSetting(key, value);
        if (!written.ok) return written;
      }
      return get();
    },
  };
}
