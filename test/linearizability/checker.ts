import type { RegisterRecord } from '../../src/shared/core/lease/register.ts';
import type { Operation } from './history.ts';
import { INITIAL, latestLiveMs, outcomesOf } from './specification.ts';
import type { ExpiryRules, SpecState } from './specification.ts';
import { Traces } from './traces.ts';

/** How many states one history may take before the search gives up; a healthy one takes about one for each operation. */
const STATE_LIMIT = 500_000;

/** The place behind which the search never came. */
export interface DeadEnd {
  /** The operations in the longest order that fits, by id. */
  readonly order: readonly number[];
  readonly state: SpecState;
  /** Each operation that could have come next, and why it does not fit. */
  readonly refusals: readonly { readonly id: number; readonly reason: string }[];
}

/** Whether some order of the operations, each between its question and its answer, is what one register would have done. */
export type Verdict =
  | { readonly kind: 'linearizable'; readonly order: readonly number[]; readonly states: number }
  | { readonly kind: 'violation'; readonly deadEnd: DeadEnd; readonly states: number }
  | { readonly kind: 'undecided'; readonly states: number };

/** The search of Wing and Gong with the memory of Lowe, for the operations of one agent. */
export function checkHistory(
  operations: readonly Operation[],
  rules: ExpiryRules,
  stateLimit: number = STATE_LIMIT,
): Verdict {
  return new Search(operations, rules).run(stateLimit);
}

/** An operation, and whether it stands in the order that is being tried. */
interface Item {
  readonly operation: Operation;
  /** Place among those with an answer, or among those without one. */
  readonly index: number;
  isTaken: boolean;
}

interface Move {
  readonly item: Item;
  readonly state: SpecState;
}

interface Frame {
  /** What led here; `null` at the root. */
  readonly item: Item | null;
  readonly state: SpecState;
  readonly moves: readonly Move[];
  next: number;
}

class Search {
  readonly #rules: ExpiryRules;
  /** By the time they were asked. */
  readonly #known: readonly Item[];
  readonly #unknown: readonly Item[];
  readonly #seen = new Set<string>();
  readonly #names = new RecordNames();
  readonly #traces: Traces;
  /** Every known one before it has been taken. */
  #first = 0;
  #takenKnown = 0;
  #path: Frame[] = [];
  #deepest: { readonly order: readonly number[]; readonly state: SpecState } = { order: [], state: INITIAL };
  #deepestKnown = 0;

  constructor(operations: readonly Operation[], rules: ExpiryRules) {
    const sorted = operations.toSorted((one, other) => one.invokeMs - other.invokeMs);
    const itemOf = (operation: Operation, index: number): Item => ({ operation, index, isTaken: false });
    this.#known = sorted.filter((operation) => isKnown(operation)).map(itemOf);
    this.#unknown = sorted.filter((operation) => !isKnown(operation)).map(itemOf);
    this.#rules = rules;
    this.#traces = new Traces(operations);
  }

  run(stateLimit: number): Verdict {
    this.#path = [this.#frame(null, INITIAL)];
    for (;;) {
      const frame = this.#path.at(-1);
      if (frame === undefined) return this.#violation();
      if (this.#takenKnown === this.#known.length) {
        return { kind: 'linearizable', order: this.#order(), states: this.#seen.size };
      }
      if (this.#seen.size > stateLimit) return { kind: 'undecided', states: this.#seen.size };
      const move = frame.moves[frame.next];
      frame.next += 1;
      if (move === undefined) this.#back(frame);
      else this.#forward(move);
    }
  }

  #forward({ item, state }: Move): void {
    this.#take(item, true);
    const key = this.#key(state);
    if (this.#seen.has(key)) {
      this.#take(item, false);
      return;
    }
    this.#seen.add(key);
    this.#path.push(this.#frame(item, state));
    if (this.#takenKnown <= this.#deepestKnown) return;
    this.#deepestKnown = this.#takenKnown;
    this.#deepest = { order: this.#order(), state };
  }

  #back({ item }: Frame): void {
    this.#path.pop();
    if (item !== null) this.#take(item, false);
  }

  #take(item: Item, isTaken: boolean): void {
    item.isTaken = isTaken;
    if (!isKnown(item.operation)) return;
    this.#takenKnown += isTaken ? 1 : -1;
    if (!isTaken) this.#first = Math.min(this.#first, item.index);
    while (this.#known[this.#first]?.isTaken === true) this.#first += 1;
  }

  #frame(item: Item | null, state: SpecState): Frame {
    return { item, state, moves: this.#moves(state), next: 0 };
  }

  /** What was asked first is tried first, which keeps every time as early as it can be; what is unknown is tried last. */
  #moves(state: SpecState): Move[] {
    const { known, unknown } = this.#candidates();
    const moves = known.flatMap((item) => this.#movesOf(item, state));
    const safe = moves.find((move) => isSafe(move, state, known));
    if (safe !== undefined) return [safe];
    const next = known.map(({ operation }) => operation);
    for (const item of unknown) {
      if (isOver(item.operation, state) || this.#traces.cannotComeBefore(item.operation, next)) continue;
      if (item.operation.call.verb === 'renew') moves.push(...this.#renewal(item, state, known));
      else moves.push(...this.#movesOf(item, state).filter((move) => move.state.record !== state.record));
    }
    // An epoch that somebody still has to see has not passed yet.
    const epochs = next.flatMap(({ answer }) => (answer === null ? [] : [answer.view.epoch]));
    const lowest = Math.min(...epochs);
    return moves.filter((move) => (move.state.record?.epoch ?? 0) <= lowest);
  }

  #movesOf(item: Item, state: SpecState): Move[] {
    return outcomesOf(state, item.operation, this.#rules).flatMap((outcome) =>
      outcome.kind === 'fits' ? [{ item, state: outcome.state }] : [],
    );
  }

  /**
   * A renewal that nobody heard of shows in nothing but a lease that lives on. So it is tried only where somebody saw the
   * lease alive too late without it, and is then taken to have been as early as it can: another order proves nothing more.
   */
  #renewal(item: Item, state: SpecState, known: readonly Item[]): Move[] {
    const latestMs = latestLiveMs(state, this.#rules);
    if (!known.some(({ operation }) => operation.invokeMs > latestMs)) return [];
    return this.#movesOf(item, state)
      .filter((move) => !move.state.isExpired)
      .map((move) => {
        const startedFloorMs = Math.max(state.startedFloorMs, item.operation.invokeMs);
        return { item, state: { ...move.state, startedFloorMs } };
      });
  }

  /** Those that were asked before any that is left was answered. */
  #candidates(): { readonly known: readonly Item[]; readonly unknown: readonly Item[] } {
    const known: Item[] = [];
    let earliestReturnMs = Infinity;
    for (let index = this.#first; ; index += 1) {
      const item = this.#known[index];
      if (item === undefined || item.operation.invokeMs > earliestReturnMs) break;
      if (item.isTaken) continue;
      known.push(item);
      earliestReturnMs = Math.min(earliestReturnMs, item.operation.returnMs);
    }
    const unknown = this.#unknown.filter(
      ({ isTaken, operation }) => !isTaken && operation.invokeMs <= earliestReturnMs,
    );
    return { known, unknown };
  }

  /** The set of what was taken and the state that it led to: whatever follows is the same. Exact, so nothing collides. */
  #key(state: SpecState): string {
    let taken = '';
    for (let index = this.#first, left = this.#takenKnown - this.#first; left > 0; index += 1) {
      if (this.#known[index]?.isTaken !== true) continue;
      taken += `,${index}`;
      left -= 1;
    }
    for (const { isTaken, index, operation } of this.#unknown) {
      if (isTaken && !isOver(operation, state)) taken += `;${index}`;
    }
    const { record, floorMs, startedFloorMs, startedCeilingMs, isExpired } = state;
    const isHeld = record !== null && record.holder !== null;
    const lease = !isHeld || isExpired ? 'over' : `${startedFloorMs}/${startedCeilingMs}`;
    return `${this.#first}${taken}|${this.#names.of(record)}|${floorMs}|${lease}`;
  }

  #order(): number[] {
    return this.#path.flatMap(({ item }) => (item === null ? [] : [item.operation.id]));
  }

  #violation(): Verdict {
    const { order, state } = this.#deepest;
    const taken = new Set(order);
    for (const item of this.#known) item.isTaken = taken.has(item.operation.id);
    this.#first = this.#known.findIndex((item) => !item.isTaken);
    const refusals = this.#candidates().known.map(({ operation }) => {
      const reasons = outcomesOf(state, operation, this.#rules).map((outcome) =>
        outcome.kind === 'refused' ? outcome.reason : 'fits here, but nothing fits after it',
      );
      return { id: operation.id, reason: reasons.join('; or ') };
    });
    return { kind: 'violation', deadEnd: { order, state, refusals }, states: this.#seen.size };
  }
}

function isKnown(operation: Operation): boolean {
  return operation.answer !== null || operation.call.verb === 'reboot';
}

/** Whether it can have no effect any more: an epoch that was passed does not come back. */
function isOver({ call }: Operation, { record }: SpecState): boolean {
  if (call.verb === 'current' || call.verb === 'reboot') return true;
  const epoch = record?.epoch ?? 0;
  switch (call.verb) {
    case 'acquire':
    case 'settle-tail':
    case 'set-takeover':
    case 'adopt':
      return false;
    case 'take-over':
    case 'bump':
      return call.seenEpoch < epoch;
    default:
      return call.epoch < epoch;
  }
}

/**
 * Whether an operation may come next without trying any other: it fits, it changes nothing, and so it can be moved here from
 * wherever else it would fit. Only the earliest time of what follows could suffer, and of that only a renewal that can have
 * been earlier: a grant would have changed what this one saw. A renewal is never safe itself: a later one is a longer lease,
 * also where the earliest time of it is the same. Nor is a restart of the machine: it fits everywhere, and behind a grant it
 * changes a lot.
 */
function isSafe({ item, state }: Move, before: SpecState, known: readonly Item[]): boolean {
  const { call, answer } = item.operation;
  if (call.verb === 'reboot' || answer?.reply?.kind === 'renewed') return false;
  const isIdle =
    state.record === before.record &&
    state.startedFloorMs === before.startedFloorMs &&
    state.isExpired === before.isExpired;
  if (!isIdle) return false;
  if (state.floorMs === before.floorMs) return true;
  return known.every(
    (other) =>
      other === item ||
      other.operation.answer?.reply?.kind !== 'renewed' ||
      other.operation.invokeMs >= item.operation.invokeMs,
  );
}

/** A short name for each record that turned up, so that equal records have equal names. */
class RecordNames {
  readonly #byRecord = new WeakMap<RegisterRecord, number>();
  readonly #byText = new Map<string, number>();

  of(record: RegisterRecord | null): number {
    if (record === null) return -1;
    const known = this.#byRecord.get(record);
    if (known !== undefined) return known;
    const text = JSON.stringify(record);
    const name = this.#byText.get(text) ?? this.#byText.size;
    this.#byText.set(text, name);
    this.#byRecord.set(record, name);
    return name;
  }
}
