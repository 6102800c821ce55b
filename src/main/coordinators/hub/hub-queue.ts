import { BATCH_LIMIT, HUB_LIMITS } from '../../hub/hub-limits.ts';
import { REQUESTS_AT_ONCE } from './hub-connection.ts';
import { HubFailure } from './hub-failure.ts';

/** What a request may hold, with room to spare; a single larger question goes alone and is refused by the hub. */
const REQUEST_BYTES = HUB_LIMITS.bodyBytes * 0.9;

interface Waiting<Question> {
  readonly question: Question;
  readonly bytes: number;
  readonly until: number;
  resolve(answer: unknown): void;
  reject(cause: unknown): void;
}

/**
 * Questions that arrive in one turn share a request, and while enough requests are under way the next ones gather. Each
 * question has its own limit, counted from when it was asked; nothing is sent twice.
 */
export class HubQueue<Question> {
  readonly #limitMs: number;
  readonly #send: (questions: readonly Question[], limitMs: number) => Promise<readonly unknown[]>;
  #waiting: Waiting<Question>[] = [];
  #underWay = 0;
  #isScheduled = false;

  constructor(limitMs: number, send: (questions: readonly Question[], limitMs: number) => Promise<readonly unknown[]>) {
    this.#limitMs = limitMs;
    this.#send = send;
  }

  ask(question: Question): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const until = performance.now() + this.#limitMs;
      const bytes = Buffer.byteLength(JSON.stringify(question));
      this.#waiting.push({ question, bytes, until, resolve, reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.#sendNext();
      });
    });
  }

  #sendNext(): void {
    while (this.#underWay < REQUESTS_AT_ONCE && this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      if (batch.length > 0) void this.#sendBatch(batch);
    }
  }

  /** Those whose time ran out while they waited were never sent, which is as unknown to the caller as anything else. */
  #nextBatch(): Waiting<Question>[] {
    const nowMs = performance.now();
    const batch: Waiting<Question>[] = [];
    let bytes = 0;
    let taken = 0;
    for (const each of this.#waiting) {
      if (batch.length === BATCH_LIMIT || (batch.length > 0 && bytes + each.bytes > REQUEST_BYTES)) break;
      taken += 1;
      if (each.until <= nowMs) {
        each.reject(new HubFailure('The hub did not answer in time.'));
        continue;
      }
      bytes += each.bytes;
      batch.push(each);
    }
    this.#waiting.splice(0, taken);
    return batch;
  }

  async #sendBatch(batch: readonly Waiting<Question>[]): Promise<void> {
    this.#underWay += 1;
    try {
      const limitMs = Math.max(1, Math.min(...batch.map(({ until }) => until)) - performance.now());
      const questions = batch.map(({ question }) => question);
      const answers = await this.#send(questions, limitMs);
      for (const [index, each] of batch.entries()) each.resolve(answers[index]);
    } catch (cause) {
      for (const each of batch) each.reject(cause);
    } finally {
      this.#underWay -= 1;
      // What the callers ask next, now that they were answered, goes along.
      setImmediate(() => this.#sendNext());
    }
  }
}
