import { create } from 'zustand';
import { findBridge } from '../bridge/bridge.ts';
import type { WindowBridge } from '../bridge/bridge.ts';
import type { Answer, ChangeNotice, RequestOf, ResponseOf, Route } from '../../shared/contract/api.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { problem } from '../../shared/contract/errors.ts';
import { err } from '../../shared/lib/result.ts';
import { isConcerned, isConcernedByBranches, isGap } from './concerns.ts';
import { OVERDUE_MS, pauseAfterMs } from './read-pace.ts';

/** Notices that come close together are answered by one refetch. */
const DEBOUNCE_MS = 60;
/** How many answers nobody looks at are kept, so that going back is instant. */
const MAX_IDLE_ENTRIES = 40;

/** A cached answer. `value` stays while a newer one is on its way, and when that fails. */
export interface Entry {
  readonly route: Route;
  readonly request: object;
  readonly value: unknown;
  readonly problem: Problem | null;
  readonly isLoading: boolean;
}

interface HostState {
  /** False while the browser's line to the host is down. */
  readonly isConnected: boolean;
  /** True while an answer is overdue: what is shown may be old. */
  readonly isSlow: boolean;
  readonly entries: Readonly<Record<string, Entry>>;
}

export const useHost = create<HostState>(() => ({ isConnected: true, isSlow: false, entries: {} }));

const watchers = new Map<string, number>();
/** Entries whose answer is on its way; true when another must follow it. */
const inFlight = new Map<string, boolean>();
const stale = new Set<string>();
/** Entries whose answer is late. */
const overdue = new Set<string>();
let timer: ReturnType<typeof setTimeout> | null = null;
let lastSequence: number | null = null;
let bridge: WindowBridge | null = null;

/** The bridge, found once. */
export function hostBridge(): WindowBridge {
  if (bridge === null) {
    bridge = findBridge();
    bridge.onChange(noticeArrived);
    bridge.onConnection((isConnected) => {
      const wasConnected = useHost.getState().isConnected;
      useHost.setState({ isConnected });
      // What happened while the line was down is unknown: read everything again.
      if (isConnected && !wasConnected) markStale(() => true);
    });
  }
  return bridge;
}

/** One call. It never rejects: even a broken bridge answers with a problem. */
export async function callHost<R extends Route>(route: R, request: RequestOf<R>): Promise<Answer<R>> {
  try {
    return await hostBridge().call(route, request);
  } catch {
    return err(problem('internal', 'The window could not reach Fencepost.', 'Close the window and open it again.'));
  }
}

/** The name under which an answer is kept. Keys are sorted, so that the same request has one name. */
export function entryKey(route: Route, request: object): string {
  const sorted = Object.entries(request)
    .filter(([, value]) => value !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `${route} ${JSON.stringify(sorted)}`;
}

/** Reads the request back out of its key. */
function requestOf<R extends Route>(route: R, key: string): RequestOf<R> {
  // The key was made by entryKey from a request of this very route.
  const entries = JSON.parse(key.slice(route.length + 1)) as readonly (readonly [string, unknown])[];
  return Object.fromEntries(entries) as RequestOf<R>;
}

/** Someone looks at an answer: it is fetched, and fetched again when a notice concerns it. */
export function watchEntry(route: Route, key: string): () => void {
  watchers.set(key, (watchers.get(key) ?? 0) + 1);
  void fetchEntry(route, key);
  return () => {
    const left = (watchers.get(key) ?? 1) - 1;
    if (left > 0) watchers.set(key, left);
    else watchers.delete(key);
  };
}

/** Fetches an answer now; a fetch under way is followed by one more, so that the last answer is never an old one. */
export async function fetchEntry(route: Route, key: string): Promise<void> {
  if (inFlight.has(key)) {
    inFlight.set(key, true);
    return;
  }
  for (;;) {
    inFlight.set(key, false);
    const tookMs = await readEntry(route, key);
    if (inFlight.get(key) !== true) break;
    await new Promise((resolve) => setTimeout(resolve, pauseAfterMs(tookMs)));
  }
  inFlight.delete(key);
}

/** One reading of an answer; how long it took, ms. */
async function readEntry(route: Route, key: string): Promise<number> {
  const request = requestOf(route, key);
  const askedAtMs = performance.now();
  const late = setTimeout(() => noteOverdue(key, true), OVERDUE_MS);
  put(key, { route, request, value: null, problem: null, ...useHost.getState().entries[key], isLoading: true });
  const answer = await callHost(route, request);
  clearTimeout(late);
  noteOverdue(key, false);
  const kept = useHost.getState().entries[key]?.value ?? null;
  put(key, {
    route,
    request,
    value: answer.ok ? newer(kept, answer.value) : kept,
    problem: answer.ok ? null : answer.error,
    isLoading: inFlight.get(key) === true,
  });
  return performance.now() - askedAtMs;
}

function noteOverdue(key: string, isOverdue: boolean): void {
  if (isOverdue) overdue.add(key);
  else overdue.delete(key);
  const isSlow = overdue.size > 0;
  if (useHost.getState().isSlow !== isSlow) useHost.setState({ isSlow });
}

/** The kept answer of a request, if there is one. */
export function valueOf<R extends Route>(entry: Entry | undefined): ResponseOf<R> | null {
  // An entry is only ever filled with the answer to the route in its key.
  return (entry?.value ?? null) as ResponseOf<R> | null;
}

/** An answer made from an older journal never replaces one made from a newer. */
function newer(kept: unknown, value: unknown): unknown {
  return sequenceOf(kept) > sequenceOf(value) ? kept : value;
}

function sequenceOf(value: unknown): number {
  const hasOne =
    typeof value === 'object' && value !== null && 'sequence' in value && typeof value.sequence === 'number';
  return hasOne ? (value as { readonly sequence: number }).sequence : 0;
}

function put(key: string, entry: Entry): void {
  useHost.setState(({ entries }) => ({ entries: { ...withoutIdle(entries), [key]: entry } }));
}

function withoutIdle(entries: HostState['entries']): HostState['entries'] {
  const idle = Object.keys(entries).filter((key) => !watchers.has(key) && !inFlight.has(key));
  if (idle.length <= MAX_IDLE_ENTRIES) return entries;
  const dropped = new Set(idle.slice(0, idle.length - MAX_IDLE_ENTRIES));
  return Object.fromEntries(Object.entries(entries).filter(([key]) => !dropped.has(key)));
}

function noticeArrived(notice: ChangeNotice): void {
  const hasGap = isGap(lastSequence, notice);
  lastSequence = notice.sequence;
  markStale(
    (entry) => hasGap || isConcerned(entry.route, entry.request, notice) || isConcernedByBranches(entry, notice),
  );
}

function markStale(isStale: (entry: Entry) => boolean): void {
  for (const [key, entry] of Object.entries(useHost.getState().entries)) {
    if (watchers.has(key) && isStale(entry)) stale.add(key);
  }
  timer ??= setTimeout(flushStale, DEBOUNCE_MS);
}

function flushStale(): void {
  timer = null;
  const { entries } = useHost.getState();
  for (const key of stale) {
    const entry = entries[key];
    if (entry !== undefined && watchers.has(key)) void fetchEntry(entry.route, key);
  }
  stale.clear();
}
