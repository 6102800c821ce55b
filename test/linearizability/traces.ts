import type { Call, Operation } from './history.ts';

/**
 * What an operation leaves in the register under a name that nothing else in the history has. It tells where an operation of
 * unknown outcome cannot have taken effect, which spares the search most of its wrong turns.
 */
export class Traces {
  readonly #seen = new Set<string>();
  readonly #byOperation = new Map<Operation, ReadonlySet<string>>();
  readonly #askedBy = new Map<string, number>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      const trace = traceOf(operation.call);
      if (trace !== null) this.#askedBy.set(trace, (this.#askedBy.get(trace) ?? 0) + 1);
      const shown = tracesIn(operation);
      this.#byOperation.set(operation, shown);
      for (const each of shown) this.#seen.add(each);
    }
  }

  /**
   * Somebody saw what this one left, and nobody else can have left it. Then the next answer shows it as well: had it been
   * gone by then, nobody would have seen it.
   */
  cannotComeBefore(unknown: Operation, next: readonly Operation[]): boolean {
    const trace = traceOf(unknown.call);
    if (trace === null || this.#askedBy.get(trace) !== 1 || !this.#seen.has(trace)) return false;
    return next.every((operation) => this.#byOperation.get(operation)?.has(trace) !== true);
  }
}

function traceOf(call: Call): string | null {
  if (call.verb === 'acquire') return `nonce ${call.nonce}`;
  if (call.verb === 'announce') return `try ${call.entry.attemptToken}`;
  if (call.verb === 'settle-tail') return `op ${call.opId}`;
  return null;
}

function tracesIn({ answer }: Operation): ReadonlySet<string> {
  if (answer === null) return new Set();
  const { lease, tail } = answer.view;
  const entries = tail.flatMap(({ attemptToken, opId }) => [`try ${attemptToken}`, `op ${opId}`]);
  return new Set(lease === null ? entries : [`nonce ${lease.nonce}`, ...entries]);
}
