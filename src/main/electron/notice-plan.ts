import { visibleText } from '../../shared/lib/visible-text.ts';
import type { NeedsYouItem } from '../../shared/contract/decision-views.ts';

/** One item that needs a person, as far as the system may be told of it. */
export type NoticeItem = Pick<NeedsYouItem, 'kind' | 'id' | 'runId' | 'runNumber' | 'deviceName'>;

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
  /** Keys of notifications to take back: answered here, elsewhere, or by the app itself. */
  readonly withdraw: readonly string[];
  /** Every item that has had its chance to be told; remembered until it is gone. */
  readonly known: ReadonlySet<string>;
}

/** More at once than this is a wall; the rest waits in the window, and in the count of the icon. */
const AT_ONCE = 5;
const DEVICE_NAME_LENGTH = 60;

const BODIES: Readonly<Record<NoticeItem['kind'], string>> = {
  unclear: 'We can’t tell whether a step happened. Nothing is sent again until you decide.',
  approve: 'A step asks for your permission. Nothing is sent until you answer.',
};

/** What to tell and what to take back. Every item is told at most once, and not at all while somebody looks at it. */
export function planNotices(of: {
  readonly items: readonly NoticeItem[];
  readonly known: ReadonlySet<string>;
  readonly isOn: boolean;
  /** Where the window is while it has the focus; `null` while it has not. */
  readonly focusedPlace: string | null;
}): NoticePlan {
  const notices = of.items.map(noticeOf);
  const keys = new Set(notices.map(({ key }) => key));
  const fresh = notices.filter(({ key }) => !of.known.has(key));
  const show = of.isOn ? fresh.filter(({ place }) => !isLookedAt(of.focusedPlace, place)).slice(0, AT_ONCE) : [];
  const gone = [...of.known].filter((key) => !keys.has(key));
  return { show, withdraw: of.isOn ? gone : [...of.known], known: keys };
}

function noticeOf(item: NoticeItem): Notice {
  const device = visibleText(item.deviceName).slice(0, DEVICE_NAME_LENGTH);
  return {
    key: `${item.kind} ${item.id}`,
    group: item.runId,
    title: `${device} · Run ${String(item.runNumber).padStart(4, '0')}`,
    body: BODIES[item.kind],
    place: `/needs/${item.kind}/${encodeURIComponent(item.id)}`,
  };
}

/** The list of what needs a person shows a new one at once; beside another open item it may be missed. */
function isLookedAt(focused: string | null, place: string): boolean {
  return focused === place || focused === '/needs';
}
