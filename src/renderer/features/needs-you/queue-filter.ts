import type { NeedsYouItem, NeedsYouView } from '../../../shared/contract/decision-views.ts';

/** Of whose items only those are shown; `null` for any. */
export interface QueueFilter {
  readonly agentName: string | null;
  readonly deviceName: string | null;
}

export const NO_FILTER: QueueFilter = { agentName: null, deviceName: null };

/** What there is to choose from, by name. Of one there is nothing to choose. */
export function filterChoices(view: NeedsYouView): {
  readonly agentNames: readonly string[];
  readonly deviceNames: readonly string[];
} {
  const items = [...view.unclear, ...view.approvals, ...view.waiting];
  return {
    agentNames: choicesOf(items.map((item) => item.agentName)),
    deviceNames: choicesOf(items.map((item) => item.deviceName)),
  };
}

function choicesOf(names: readonly string[]): readonly string[] {
  const different = [...new Set(names)];
  return different.length < 2 ? [] : different.toSorted((one, other) => one.localeCompare(other, 'en'));
}

/** The filter as far as it can still be chosen: what is answered must not go on hiding what is left. */
export function standingFilter(view: NeedsYouView, filter: QueueFilter): QueueFilter {
  const { agentNames, deviceNames } = filterChoices(view);
  const held = (name: string | null, names: readonly string[]) => (name !== null && names.includes(name) ? name : null);
  return { agentName: held(filter.agentName, agentNames), deviceName: held(filter.deviceName, deviceNames) };
}

export function isFiltered({ agentName, deviceName }: QueueFilter): boolean {
  return agentName !== null || deviceName !== null;
}

/** The queue with the items that fit. What was settled lately stays: it waits for nobody. */
export function filteredQueue(view: NeedsYouView, { agentName, deviceName }: QueueFilter): NeedsYouView {
  const fits = (item: NeedsYouItem) =>
    (agentName === null || item.agentName === agentName) && (deviceName === null || item.deviceName === deviceName);
  return {
    ...view,
    unclear: view.unclear.filter(fits),
    approvals: view.approvals.filter(fits),
    waiting: view.waiting.filter(fits),
  };
}
