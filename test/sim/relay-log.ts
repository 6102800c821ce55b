import type { SealedOperation } from '../../src/shared/core/sync/sealed.ts';
import type { Telling } from './telling.ts';

/** What a batch of seeds with a relay must have been through, or its silence proves nothing. */
export const RELAY_SITUATIONS = [
  'a push that came twice',
  'a push whose answer was lost, and the next went on behind it',
  'a push refused by a full disk',
  'a file that came in parts',
  'a file that came twice',
  'a file that came before one written earlier',
  'a journal put aside and taken in later',
  'a checkpoint handed over',
  'a run continued from the journal of another device',
  'a batch that came out of order',
  'a device that began from a checkpoint',
  'a pull broken off in the middle that went on',
] as const;
type RelaySituation = (typeof RELAY_SITUATIONS)[number];

/** What one device and its relay have been through with each other. */
interface Exchange {
  arrivedUpTo: number;
  /** The last entry of a push of which no answer came back; 0 if there is none. */
  unansweredUpTo: number;
  isInMiddle: boolean;
  isBrokenOff: boolean;
}

/** What travelled: counted by situation, and told to the fingerprint of the simulation. */
export class RelayLog {
  readonly counts = new Map<string, number>();
  readonly #telling: Telling;
  readonly #exchanges = new Map<string, Exchange>();

  constructor(telling: Telling) {
    this.#telling = telling;
  }

  count(situation: RelaySituation, by = 1): void {
    this.counts.set(situation, (this.counts.get(situation) ?? 0) + by);
  }

  #of(name: string): Exchange {
    const known = this.#exchanges.get(name);
    if (known !== undefined) return known;
    const exchange = { arrivedUpTo: 0, unansweredUpTo: 0, isInMiddle: false, isBrokenOff: false };
    this.#exchanges.set(name, exchange);
    return exchange;
  }

  /** A batch reaches the relay, or reaches it once more. */
  pushArrives(name: string, operations: readonly SealedOperation[], isRepeated: boolean): void {
    const exchange = this.#of(name);
    const [first, last] = [operations[0]?.seq ?? 0, operations.at(-1)?.seq ?? 0];
    const line = `${name} hands over ${first} to ${last}: ${operations.at(-1)?.box.slice(-24) ?? ''}`;
    this.#telling.note(line);
    this.#telling.add(line);
    if (isRepeated) this.count('a push that came twice');
    if (isRepeated && last < exchange.arrivedUpTo) this.count('a batch that came out of order');
    if (!isRepeated && exchange.unansweredUpTo > 0 && first === exchange.unansweredUpTo + 1)
      this.count('a push whose answer was lost, and the next went on behind it');
    if (!isRepeated) exchange.unansweredUpTo = 0;
    exchange.arrivedUpTo = Math.max(exchange.arrivedUpTo, last);
  }

  pushIsUnanswered(name: string, operations: readonly SealedOperation[]): void {
    this.#of(name).unansweredUpTo = operations.at(-1)?.seq ?? 0;
  }

  /** A page came back. */
  pulled(name: string, page: { readonly count: number; readonly isMore: boolean }): void {
    const exchange = this.#of(name);
    if (exchange.isBrokenOff && page.count > 0) {
      this.count('a pull broken off in the middle that went on');
      exchange.isBrokenOff = false;
    }
    exchange.isInMiddle = page.isMore;
  }

  /** No page came back, or the process is gone that asked for it. */
  brokeOff(name: string): void {
    const exchange = this.#of(name);
    exchange.isBrokenOff ||= exchange.isInMiddle;
    exchange.isInMiddle = false;
  }
}
