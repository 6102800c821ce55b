import { assertNever } from '../../shared/lib/assert-never.ts';
import { visibleText } from '../../shared/lib/visible-text.ts';
import { KNOWN_MAX } from '../views/notices.ts';
import type { NoticeFacts, NoticeItem, NoticeMemory } from '../views/notices.ts';

/** A notification: what it says, and where a click leads. It never holds what an agent or a target says. */
export interface Notice {
  readonly key: string;
  readonly group: string;
  readonly title: string;
  readonly body: string;
  readonly place: string;
}

export interface NoticePlan {
  readonly show: readonly Notice[];
  /** Keys of notifications to take back: answered here or elsewhere, no longer so, or seen. */
  readonly withdraw: readonly string[];
  /** What is to be kept before anything is shown; `null` where it is as before. */
  readonly remember: NoticeMemory | null;
}

/** More at once than this is a wall; the rest waits in the window, and in the count of the icon. */
const AT_ONCE = 5;
const DEVICE_NAME_LENGTH = 60;

/** What to tell, what to take back, and what to remember. Every item is told at most once, and not at all while it is looked at. */
export function planNotices(of: {
  readonly facts: NoticeFacts;
  /** Keys of the notifications that stand. */
  readonly shown: readonly string[];
  readonly isOn: boolean;
  /** Where the window is while it has the focus; `null` while it has not. */
  readonly focusedPlace: string | null;
}): NoticePlan {
  const { facts, shown, isOn, focusedPlace } = of;
  const items = new Map(facts.items.map((item) => [keyOf(item), item]));
  const isSeen = (item: NoticeItem) => isLookedAt(focusedPlace, item);
  const show = [...items.values()]
    .filter((item) => isOn && isNews(item, facts.memory) && !isSeen(item))
    .slice(0, AT_ONCE)
    .map(noticeOf);
  const withdraw = shown.filter((key) => {
    const item = items.get(key);
    // What needs a person needs them also after they have looked.
    return !isOn || item === undefined || (!needsPerson(item) && isSeen(item));
  });
  return { show, withdraw, remember: nextMemory(facts, items) };
}

/** Whether it was never told, and happened while somebody would have been told. */
function isNews(item: NoticeItem, memory: NoticeMemory | null): boolean {
  if (memory?.known.includes(keyOf(item)) === true) return false;
  switch (item.kind) {
    case 'unclear':
    case 'approve':
      return true;
    case 'failed':
      return memory !== null && item.seq > memory.upToSeq;
    case 'paired':
    case 'removed':
      return memory?.circles.includes(item.circleId) === true;
    default:
      return assertNever(item);
  }
}

function nextMemory(facts: NoticeFacts, items: ReadonlyMap<string, NoticeItem>): NoticeMemory | null {
  const { memory, sequence } = facts;
  const before = memory ?? { upToSeq: sequence, known: [], circles: [] };
  const ends = facts.items.flatMap((item) => (item.kind === 'failed' ? [item.seq] : []));
  // A list of devices may be missing for a while; a device is as it was until the opposite is said.
  const unsaid = before.known.filter((key) => isOfDevice(key) && !items.has(oppositeOf(key)) && !items.has(key));
  const next: NoticeMemory = {
    upToSeq: Math.max(before.upToSeq, ...ends),
    known: [...unsaid, ...items.keys()].slice(-KNOWN_MAX).toSorted(),
    circles: [...new Set([...before.circles, ...facts.circles])].toSorted(),
  };
  return memory !== null && JSON.stringify(memory) === JSON.stringify(next) ? null : next;
}

function keyOf(item: NoticeItem): string {
  return 'circleId' in item ? `${item.kind} ${item.circleId} ${item.id}` : `${item.kind} ${item.id}`;
}

function isOfDevice(key: string): boolean {
  return /^(?:paired|removed) /u.test(key);
}

function oppositeOf(key: string): string {
  return key.startsWith('paired ') ? key.replace('paired ', 'removed ') : key.replace('removed ', 'paired ');
}

function needsPerson(item: NoticeItem): boolean {
  return item.kind === 'unclear' || item.kind === 'approve';
}

function placeOf(item: NoticeItem): string {
  if ('circleId' in item) return '/devices';
  if (item.kind === 'failed') return `/runs/${encodeURIComponent(item.runId)}`;
  return `/needs/${item.kind}/${encodeURIComponent(item.id)}`;
}

function noticeOf(item: NoticeItem): Notice {
  const device = visibleText(item.deviceName).slice(0, DEVICE_NAME_LENGTH);
  const what = 'circleId' in item ? DEVICE_WORDS[item.kind] : `Run ${String(item.runNumber).padStart(4, '0')}`;
  return {
    key: keyOf(item),
    group: 'circleId' in item ? `device ${item.id}` : item.runId,
    title: `${device} · ${what}`,
    body: 'circleId' in item ? DEVICE_BODIES[item.kind][item.shares] : RUN_BODIES[item.kind],
    place: placeOf(item),
  };
}

const RUN_BODIES = {
  unclear: 'We can’t tell whether a step happened. Nothing is sent again until you decide.',
  approve: 'A step asks for your permission. Nothing is sent until you answer.',
  failed: 'It failed after something was sent. Nothing more of it is sent.',
} as const;

const DEVICE_WORDS = { paired: 'Paired', removed: 'Removed' } as const;

const DEVICE_BODIES = {
  paired: {
    'right-to-act': 'It can get the right to act for your agents. If you did not pair it, remove it.',
    record: 'It shares your record from now on. If you did not add it, let it go.',
  },
  removed: {
    'right-to-act': 'It gets no right to act any more. What it sent and nobody knows the end of stays with it.',
    record: 'It gets nothing of your record any more. What it has, it keeps.',
  },
} as const;

/** The list of what needs a person shows a new one at once; beside another open item it may be missed. */
function isLookedAt(focused: string | null, item: NoticeItem): boolean {
  if (focused === null) return false;
  const place = placeOf(item);
  if (needsPerson(item)) return focused === place || focused === '/needs';
  return focused === place || focused.startsWith(`${place}/`);
}
