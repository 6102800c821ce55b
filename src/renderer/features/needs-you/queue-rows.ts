import type { NeedsYouItem, NeedsYouView } from '../../../shared/contract/decision-views.ts';
import { BATCH_MAX } from '../../../shared/core/recovery/alike-doubts.ts';

/** What is open beside the queue; read from the address, so that it survives a reload. */
export interface OpenItem {
  readonly kind: NeedsYouItem['kind'];
  readonly id: string;
}

/** All that need a person, in the order in which they are shown: unclear first, the longest waiting on top. */
export function queueOrder(view: NeedsYouView): readonly NeedsYouItem[] {
  return [...oldestFirst(view.unclear), ...oldestFirst(view.approvals)];
}

/** Every row in the order in which it is shown: what waits for another device comes last. */
export function rowOrder(view: NeedsYouView): readonly NeedsYouItem[] {
  return [...queueOrder(view), ...waitingGroups(view).flatMap(({ items }) => items)];
}

/** What a person waits for, by the device that is waited for. */
export function waitingGroups(
  view: NeedsYouView,
): readonly { readonly deviceName: string; readonly items: readonly NeedsYouItem[] }[] {
  const groups = Map.groupBy(oldestFirst(view.waiting), ({ deviceName }) => deviceName);
  return [...groups].map(([deviceName, items]) => ({ deviceName, items }));
}

export function oldestFirst(items: readonly NeedsYouItem[]): readonly NeedsYouItem[] {
  return items.toSorted((one, other) => one.sinceMs - other.sinceMs);
}

/** Items that may be answered together, the longest waiting first. */
export interface QueueBatch {
  readonly kind: NeedsYouItem['kind'];
  readonly key: string;
  readonly agentName: string;
  readonly deviceName: string;
  readonly items: readonly NeedsYouItem[];
  /** How many more there are that are like these. */
  readonly left: number;
}

/** The items of one kind of which there are several alike. */
export function batchesOf(view: NeedsYouView, kind: NeedsYouItem['kind']): readonly QueueBatch[] {
  const groups = new Map<string, NeedsYouItem[]>();
  for (const item of oldestFirst(kind === 'unclear' ? view.unclear : view.approvals)) {
    if (item.alike !== null) groups.set(item.alike, [...(groups.get(item.alike) ?? []), item]);
  }
  return [...groups]
    .filter(([, items]) => items.length > 1)
    .map(([key, items]) => ({
      kind,
      key,
      agentName: items[0]?.agentName ?? '',
      deviceName: items[0]?.deviceName ?? '',
      items: items.slice(0, BATCH_MAX),
      left: Math.max(0, items.length - BATCH_MAX),
    }));
}

/** Since when the oldest item waits; `null` if nothing waits. */
export function oldestSinceMs(view: NeedsYouView): number | null {
  const rows = queueOrder(view);
  return rows.length === 0 ? null : Math.min(...rows.map((row) => row.sinceMs));
}

/** The row that j (+1) or k (-1) goes to; stays at the ends, starts at the top. */
export function stepTo(rows: readonly OpenItem[], from: OpenItem | null, step: 1 | -1): OpenItem | null {
  const at = from === null ? -1 : rows.findIndex((row) => isSameItem(row, from));
  if (at === -1) return rows[0] ?? null;
  return rows[Math.min(rows.length - 1, Math.max(0, at + step))] ?? null;
}

export function isSameItem(one: OpenItem | null, other: OpenItem | null): boolean {
  return one !== null && other !== null && one.kind === other.kind && one.id === other.id;
}

/** The address of an item. Ids are data: they are escaped. */
export function itemPath(item: OpenItem): string {
  return `/needs/${item.kind}/${encodeURIComponent(item.id)}`;
}

/** The id of the row's element, so that focus can come back to it. */
export function rowElementId(item: OpenItem): string {
  return `needs-${item.kind}-${item.id}`;
}

/** An id as it was before it went into the address; the router has undone the ordinary escapes already. */
export function idFromPath(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
