/** Whose turn an event is. A paused owner's events wait, a dead owner's never happen. */
export interface Owner {
  isAlive: boolean;
  pausedUntilMs: number;
}

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly owner: Owner;
  act: (() => void) | null;
}

/** More than any seed needs: one that gets here goes round in circles. */
const EVENT_LIMIT = 1_000_000;

/** After so many events Node gets a turn of its own, in which it tells of promises that nobody handles. */
const TURN_EVENTS = 64;

/** How often a paused owner is looked at, ms. */
const PAUSE_LOOK_MS = 5_000;

/** The owner of what no process has to be awake for: the network, the world, the person. */
export const NATURE: Owner = { isAlive: true, pausedUntilMs: 0 };

/**
 * The only thing that moves time. Events happen one at a time, in the order of their times; after each one all promises
 * are let run until nothing moves, so that a turn of a host is as whole here as it is in its own process.
 */
export class EventQueue {
  /** True time, ms since the simulation began. No device can read it. */
  nowMs = 0;
  happened = 0;
  #order = 0;
  /** Things under way that are not simulated, one after the other. */
  #real: Promise<unknown> = Promise.resolve();
  #realCount = 0;
  readonly #heap: Event[] = [];

  /** Plans an event; what is returned takes it back. */
  at(atMs: number, owner: Owner, act: () => void): () => void {
    this.#order += 1;
    const event: Event = { atMs: Math.max(atMs, this.nowMs), order: this.#order, owner, act };
    this.#push(event);
    return () => {
      event.act = null;
    };
  }

  after(delayMs: number, owner: Owner, act: () => void): () => void {
    return this.at(this.nowMs + delayMs, owner, act);
  }

  /**
   * Does something that is not simulated, such as a question to a real server: nothing else happens, and no time passes, before
   * it has come to its end, so that the story does not tell how long it took. Two of them never go on side by side.
   */
  async real<Value>(act: () => Promise<Value>): Promise<Value> {
    const before = this.#real;
    const done = before.then(act);
    this.#real = done.catch(() => undefined);
    this.#realCount += 1;
    try {
      return await done;
    } finally {
      this.#realCount -= 1;
    }
  }

  async #settle(): Promise<void> {
    await (this.happened % TURN_EVENTS === 0 ? wholeTurn() : quiescence());
    while (this.#realCount > 0) {
      await this.#real;
      await wholeTurn();
    }
  }

  /** Lets everything happen up to a moment. `afterEach` may throw what it finds wrong. */
  async run(untilMs: number, afterEach: () => void): Promise<void> {
    await this.#settle();
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.atMs > untilMs) break;
      this.#pop();
      const { owner, act } = next;
      if (act === null || !owner.isAlive) continue;
      if (owner.pausedUntilMs > next.atMs) {
        this.#order += 1;
        // Looked at again and again, since a pause can end early.
        this.#push({ atMs: Math.min(owner.pausedUntilMs, next.atMs + PAUSE_LOOK_MS), order: this.#order, owner, act });
        continue;
      }
      this.nowMs = next.atMs;
      this.happened += 1;
      if (this.happened > EVENT_LIMIT) throw new Error(`It goes round in circles at ${next.atMs} ms.`);
      act();
      await this.#settle();
      afterEach();
    }
    this.nowMs = Math.max(this.nowMs, untilMs);
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || isBefore(parent, event)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      if (left === undefined) break;
      const child = right !== undefined && isBefore(right, left) ? right : left;
      if (isBefore(last, child)) break;
      heap[at] = child;
      at = child === left ? 2 * at + 1 : 2 * at + 2;
    }
    heap[at] = last;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/**
 * All promises that can go on have gone on: nothing in a simulated host waits for anything but the queue. Node runs what is
 * given to `nextTick` when no promise is left to be told of anything, which takes far less than a turn of its event loop.
 */
function quiescence(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

function wholeTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
