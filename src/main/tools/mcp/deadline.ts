/** The end of one piece of work: its time is up, or somebody called it off. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Which of the two it was. */
  readonly code: 'timeout' | 'aborted';
  /** Forgets the timer; call it when the work is over. */
  clear(): void;
}

/** Starts a deadline. */
export function createDeadline(timeoutMs: number, signal?: AbortSignal): Deadline {
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, timeoutMs);
  if (signal?.aborted === true) end();
  else signal?.addEventListener('abort', end);
  return {
    signal: ending.signal,
    get code() {
      return signal?.aborted === true ? 'aborted' : 'timeout';
    },
    clear() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    },
  };
}

/** The value of a promise, or `null` once the signal is raised. The promise must never reject: nobody would notice. */
export async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | null> {
  if (signal.aborted) return null;
  const { promise: raised, resolve } = Promise.withResolvers<null>();
  const onAbort = () => resolve(null);
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([promise, raised]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
