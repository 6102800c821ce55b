import { steadyClock } from '../../src/main/host/testing/steady-clock.ts';

/** How long something may take to come about before a test gives up, ms; and how often it is looked for. */
const WAIT_LIMIT_MS = 25_000;
const LOOK_MS = 10;

/** Steady time, ms: a stretch in which this process did not get to run is hardly any. */
export function steadyMs(): number {
  return steadyClock.read().monotonicMs;
}

/** Waits until something is so. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  const limitMs = steadyMs() + WAIT_LIMIT_MS;
  while (!isSo()) {
    if (steadyMs() > limitMs) throw new Error(`Not within ${WAIT_LIMIT_MS} ms: ${what}.`);
    await quietly(LOOK_MS);
  }
}

/** Lets steady time pass: whoever has something to do gets to do it. */
export function quietly(ms: number): Promise<void> {
  const untilMs = steadyMs() + ms;
  return new Promise((resolve) => {
    const look = setInterval(() => {
      if (steadyMs() < untilMs) return;
      clearInterval(look);
      resolve();
    }, LOOK_MS);
  });
}
