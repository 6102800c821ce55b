import type { ChangeNotice, ResponseOf, Route } from '../../shared/contract/api.ts';

/** Whether a notice does not follow the last one (or is the first): then everything is read again. */
export function isGap(last: number | null, notice: ChangeNotice): boolean {
  return notice.previousSequence !== last;
}

/** What other devices do, what this one does with them, and how signing in gets on is in these answers. */
const SHARED: ReadonlySet<Route> = new Set([
  'asleep.get',
  'leases.list',
  'overview.get',
  'coordinator.get',
  'devices.list',
  'sync.get',
  'signIns.list',
]);

/** Nothing was committed: other devices did something, or a pairing or a move got further. */
function isAboutSharing(notice: ChangeNotice): boolean {
  return isUncommitted(notice) && notice.runIds.length === 0;
}

function isUncommitted(notice: ChangeNotice): boolean {
  return notice.sequence === notice.previousSequence;
}

/** Nothing was committed: calls of these runs told something while they run, and only their own screens show that. */
function isLiveOnly(notice: ChangeNotice): boolean {
  return isUncommitted(notice) && notice.runIds.length > 0;
}

/** Routes whose answers never change for the same request. */
const FIXED: ReadonlySet<Route> = new Set(['text.get', 'activity.get']);

/** Whether an answer may have changed. Lists always may; a single run or agent only when the notice names it. */
export function isConcerned(route: Route, request: object, notice: ChangeNotice): boolean {
  if (FIXED.has(route)) return false;
  if (isAboutSharing(notice)) return SHARED.has(route);
  // It comes up to four times a second: a list that was read again each time would take the host's time from the run.
  if (isLiveOnly(notice) && route !== 'runs.get') return false;
  // A notice that names nothing is about everything, and one that names an agent only is about all of its runs.
  if (notice.runIds.length === 0 && ('runId' in request || notice.agentIds.length === 0)) return true;
  if ('runId' in request && typeof request.runId === 'string') return notice.runIds.includes(request.runId);
  if (route === 'agents.get' && 'agentId' in request && typeof request.agentId === 'string') {
    return notice.agentIds.includes(request.agentId) || notice.runIds.length > 0;
  }
  return true;
}

/**
 * Whether an answer about a run is about its branches as well, which are runs of their own with events of their own: any
 * run that changed may be one of them.
 */
export function isConcernedByBranches(
  entry: { readonly route: Route; readonly value: unknown },
  notice: ChangeNotice,
): boolean {
  if (notice.runIds.length === 0 || isLiveOnly(notice)) return false;
  return entry.route === 'runs.branches' || (entry.route === 'runs.get' && goesOnInBranches(entry.value));
}

function goesOnInBranches(value: unknown): boolean {
  const view = value as Partial<ResponseOf<'runs.get'>> | null;
  return view?.row?.endedAtMs === null && (view.branchings?.length ?? 0) > 0;
}
