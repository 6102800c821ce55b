import { hubRelayUnreachable } from '../../src/main/hub/relay/relay-problem.ts';
import type { Relay } from '../../src/main/relays/relay.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import { err, ok } from '../../src/shared/lib/result.ts';
import type { Result } from '../../src/shared/lib/result.ts';
import type { RelayLog } from './relay-log.ts';

export type RelayAnswer<Value> = Promise<Result<Value, Problem>>;

/** What is observed, and by which way a question gets there; a way may ask it once more later. */
export interface ObservedOptions {
  /** Of the machine, which is another device once its disk forgot. */
  readonly name: string;
  readonly log: RelayLog;
  readonly relay: () => Relay;
  readonly ask: <Value>(act: (isRepeated: boolean) => RelayAnswer<Value>) => RelayAnswer<Value>;
  /** Entries of one page at the most. Between two signatures there are fewer, so a page always holds one. */
  readonly pageOperations: number;
}

/** A relay as a device has it, with a note of what happens to it there. It never tells of news by itself. */
export function observeRelay({ name, log, relay, ask: askAnyway, pageOperations }: ObservedOptions): Relay {
  let isClosed = false;
  const ask: ObservedOptions['ask'] = (act) =>
    isClosed ? Promise.resolve(err(hubRelayUnreachable('It was closed.'))) : askAnyway(act);
  return {
    name: 'Simulated relay',
    contact: () => ask(() => relay().contact()),
    async push(operations) {
      const pushed = await ask((isRepeated) => {
        log.pushArrives(name, operations, isRepeated);
        return relay().push(operations);
      });
      if (!pushed.ok && pushed.error.code === 'relay-full') log.count('a push refused by a full disk');
      else if (!pushed.ok) log.pushIsUnanswered(name, operations);
      return pushed;
    },
    async pull(have) {
      const pulled = await ask(() => relay().pull(have));
      if (!pulled.ok) {
        log.brokeOff(name);
        return pulled;
      }
      const operations = pulled.value.operations.slice(0, pageOperations);
      const isMore = pulled.value.isMore || operations.length < pulled.value.operations.length;
      log.pulled(name, { count: operations.length, isMore });
      return ok({ operations, isMore });
    },
    acknowledge: (have) => ask(() => relay().acknowledge(have)),
    async putCheckpoint(header, parts) {
      const put = await ask(() => relay().putCheckpoint(header, parts));
      if (put.ok) log.count('a checkpoint handed over');
      return put;
    },
    checkpointPart: (checkpointId, index) => ask(() => relay().checkpointPart(checkpointId, index)),
    collect: () => ask(() => relay().collect()),
    letGo: (deviceId) => ask(() => relay().letGo(deviceId)),
    async close() {
      isClosed = true;
    },
  };
}
