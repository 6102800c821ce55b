import { Notification } from 'electron';
import type { EventLog } from '../bridge/event-log.ts';
import type { NoticeSource } from '../bridge/notices.ts';
import { planNotices } from './notice-plan.ts';
import type { Notice } from './notice-plan.ts';

/** Tells the system of what a person should know. A click opens it in the window and decides nothing. */
export class Notices {
  readonly #openPlace: (place: string) => void;
  readonly #log: EventLog;
  readonly #source: NoticeSource;
  /** Kept by key, so that they can be taken back, and so that a click finds them. */
  readonly #shown = new Map<string, Notification>();
  #last: Promise<void> = Promise.resolve();
  #isBlocked = false;
  #isClosed = false;

  constructor(of: {
    readonly openPlace: (place: string) => void;
    readonly log: EventLog;
    readonly source: NoticeSource;
  }) {
    this.#openPlace = of.openPlace;
    this.#log = of.log;
    this.#source = of.source;
  }

  /** The system took the last notification for nobody's to see. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Shows what is new and takes back what is over. One look after the other: two at a time would tell twice. */
  update(of: { readonly isOn: boolean; readonly focusedPlace: () => string | null }): Promise<void> {
    const updated = this.#last.then(() => this.#update(of));
    this.#last = updated.catch(() => undefined);
    return updated;
  }

  async #update(of: { readonly isOn: boolean; readonly focusedPlace: () => string | null }): Promise<void> {
    const facts = await this.#source.read();
    if (!facts.ok || this.#isClosed) return;
    const plan = planNotices({
      facts: facts.value,
      shown: [...this.#shown.keys()],
      isOn: of.isOn && Notification.isSupported(),
      focusedPlace: of.focusedPlace(),
    });
    for (const key of plan.withdraw) this.#withdraw(key);
    if (plan.remember !== null) {
      const kept = await this.#source.remember(plan.remember);
      // Told the next time: what is not kept would be told again after a restart.
      if (!kept.ok) return;
    }
    if (this.#isClosed) return;
    for (const notice of plan.show) this.#show(notice);
  }

  /** Takes everything back: a click would find nobody. */
  close(): void {
    this.#isClosed = true;
    for (const key of this.#shown.keys()) this.#withdraw(key);
  }

  #show(notice: Notice): void {
    const { key, title, body, place, group } = notice;
    const shown = new Notification({ title, body, groupId: group, groupTitle: title });
    shown.on('click', () => this.#openPlace(place));
    shown.on('show', () => (this.#isBlocked = false));
    // What the system refuses is in the window and in the count of the icon all the same; the settings say so.
    shown.on('failed', () => {
      this.#isBlocked = true;
      this.#log.write({ event: 'notification-failed' });
    });
    this.#shown.set(key, shown);
    shown.show();
  }

  #withdraw(key: string): void {
    this.#shown.get(key)?.close();
    this.#shown.delete(key);
  }
}
