import type { ChangeNotice, Route } from '../../shared/contract/api.ts';

/** Whether a notice does not follow the last one (or is the first): then everything is read again. */
export function isGap(last: number | null, notice: ChangeNotice): boolean {
  return notice.previousSequence !== last;
}

/** Routes whose answers never change for the same request. */
const FIXED: ReadonlySet<Route> = new Set(['text.get']);

/** Whether an answer may have changed. Lists always may; a single run or agent only when the notice names it. */
export function isConcerned(route: Route, request: object, notice: ChangeNotice): boolean {
  if (FIXED.has(route)) return false;
  if ('runId' in request && typeof request.runId === 'string') return notice.runIds.includes(request.runId);
  if (route === 'agents.get' && 'agentId' in request && typeof request.agentId === 'string') {
    return notice.agentIds.includes(request.agentId) || notice.runIds.length > 0;
  }
  return true;
}
