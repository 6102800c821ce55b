import { create } from 'zustand';
import type { RequestOf } from '../../../shared/contract/api.ts';
import type { ListTime } from '../../../shared/contract/saved-views.ts';
import { stretchOf } from '../../ui/time-filter.ts';

export interface RefusalFilters {
  readonly agentId: string | null;
  readonly deviceId: string | null;
  readonly time: ListTime | null;
}

export const NO_FILTERS: RefusalFilters = { agentId: null, deviceId: null, time: null };

/** They survive leaving the screen. */
export const useRefusalFilters = create<RefusalFilters>(() => NO_FILTERS);

export function setFilters(change: Partial<RefusalFilters>): void {
  useRefusalFilters.setState(change);
}

export function isNarrowed({ agentId, deviceId, time }: RefusalFilters): boolean {
  return agentId !== null || deviceId !== null || time !== null;
}

/** What the host is asked for, as days are at a moment. */
export function refusalsRequest(
  { agentId, deviceId, time }: RefusalFilters,
  nowMs: number,
): RequestOf<'refusals.list'> {
  return {
    ...(agentId === null ? {} : { agentId }),
    ...(deviceId === null ? {} : { deviceId }),
    ...(time === null ? {} : stretchOf(time, nowMs)),
  };
}
