import type { OverviewView } from '../../shared/contract/views.ts';
import type { DesktopShell } from '../bridge/desktop-shell.ts';
import type { HostControl } from '../host/control.ts';
import { readAll, readOne } from '../store/connection.ts';
import { grantNow } from '../store/grant-now.ts';
import { holdView } from './control.ts';
import { DAY_MS, needsYouCount } from './needs-you.ts';
import { openRunCounts } from './runs.ts';
import { syncChip } from './sync.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** What the program around the host knows: where it runs and which version it is. */
export interface HostInfo {
  readonly profileFolder: string;
  readonly surface: OverviewView['surface'];
  readonly version: string;
  readonly electronVersion: string | null;
  readonly platform: OverviewView['platform'];
  /** `null`: there is no desktop app around the host. */
  readonly desktop?: DesktopShell | null;
}

/** The name of the setting that is set once the first steps have been seen or skipped. */
export const ONBOARDED_SETTING = 'onboarded';

/** Rail counts and status bar. `mayActFor` counts the agents whose present version has a permission. */
export function overviewView(source: ViewSource, control: HostControl, info: HostInfo): OverviewView {
  const { db } = source.connection;
  const agents = readOne<{ count: number }>(db, 'SELECT count(*) AS count FROM agents');
  const permitted = readAll<{ agent_id: string; revision_digest: string }>(
    db,
    'SELECT agent_id, revision_digest FROM agents',
  ).filter((each) => grantNow(source.connection, each.agent_id, each.revision_digest).standing.kind === 'in-force');
  const { running, open, paused } = openRunCounts(source);
  const refusals = readOne<{ count: number }>(
    db,
    'SELECT count(*) AS count FROM refusals WHERE at_ms >= ?',
    source.nowMs - DAY_MS,
  );
  return {
    sequence: sequenceOf(source),
    version: info.version,
    device: { deviceId: source.device.deviceId, name: source.device.name, isThisDevice: true },
    surface: info.surface,
    platform: info.platform,
    needsYou: needsYouCount(source),
    agents: agents?.count ?? 0,
    mayActFor: permitted.length,
    running,
    refusals: refusals?.count ?? 0,
    isPaused: open > 0 && paused === open,
    hold: holdView(source, null),
    coordinator: control.coordinatorState(),
    store: control.storeState(),
    sync: syncChip(source, control.sync?.status() ?? null),
    isFirstStart: control.readSetting(ONBOARDED_SETTING) !== 'yes',
  };
}
