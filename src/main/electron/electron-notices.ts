import { Notification } from 'electron';
import type { EventLog } from '../bridge/event-log.ts';
import { planNotices } from './notice-plan.ts';
import type { Notice, NoticeItem } from './notice-plan.ts';

/** Tells the system of what needs a person. A click opens the item in the window and decides nothing. */
export class Notices {
  readonly #openPlace: (place: string) => void;
  readonly #log: EventLog;
  /** Kept by key, so that they can be taken back, and so that a click finds them. */
  readonly #shown = new Map<string, Notification>();
  #known: ReadonlySet<string> = new Set();

  constructor(of: { readonly openPlace: (place: string) => void; readonly log: EventLog }) {
    this.#openPlace = of.openPlace;
    this.#log = of.log;
  }

  /** Shows what is new and takes back what is answered. */
  update(of: {
    readonly items: readonly NoticeItem[];
    readonly isOn: boolean;
    readonly focusedPlace: string | null;
  }): void {
    const plan = planNotices({ ...of, isOn: of.isOn && Notification.isSupported(), known: this.#known });
    this.#known = plan.known;
    for (const key of plan.withdraw) this.#withdraw(key);
    for (const notice of plan.show) this.#show(notice);
  }

  /** Takes everything back: a click would find nobody. */
  close(): void {
    for (const key of this.#shown.keys()) this.#withdraw(key);
  }

  #show(notice: Notice): void {
    const { key, title, body, place, group } = notice;
    const shown = new Notification({ title, body, groupId: group, groupTitle: title });
    shown.on('click', () => this.#openPlace(place));
    // What the system refuses is in the window and in the count of the icon all the same.
    shown.on('failed', () => this.#log.write({ event: 'notification-failed' }));
    this.#shown.set(key, shown);
    shown.show();
  }

  #withdraw(key: string): void {
    this.#shown.get(key)?.close();
    this.#shown.delete(key);
  }
}
