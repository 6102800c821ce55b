import { setTimeout } from 'node:timers/promises';

/** Does it again and again until the answer of this is called, which waits for the last time; pauses end at once then. */
export function repeatedly(step: (count: number, signal: AbortSignal) => Promise<void>): () => Promise<void> {
  const ending = new AbortController();
  const going = (async () => {
    for (let count = 0; !ending.signal.aborted; count += 1) await step(count, ending.signal);
  })();
  return async () => {
    ending.abort();
    await going;
  };
}

/** Waits so long, or until the end of what is repeated. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
