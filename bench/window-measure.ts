import type { CDPSession, Page } from '@playwright/test';
import { percentile } from './measure.ts';

/** One frame of a screen of 60 Hz, ms. A frame that took longer was seen by somebody. */
export const FRAME_MS = 16.7;
/** Frames in one measurement: three seconds at 60 Hz. */
export const FRAMES = 180;
/** A quick pull at the wheel: eighty-six screens of rows in a minute. */
const PIXELS_PER_FRAME = 120;

/** How a page kept up while something was scrolled through it, ms. */
export interface Frames {
  /** From one frame to the next, as the page was given them. */
  readonly intervals: readonly number[];
  /** From the start of a frame until style, layout and paint were done: what the page itself needed of it. */
  readonly work: readonly number[];
  /** Sum of what moved by itself, as the browser scores it. */
  readonly shift: number;
}

/** What is printed and compared of them. */
export interface FrameFigures {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Of frames whose own work did not fit into one, 0 to 1. */
  readonly late: number;
  /** The same of the intervals; those vary by themselves, so a millisecond is let through. */
  readonly missed: number;
  readonly shift: number;
}

/** Processor time that the page's own thread has used so far, ms: a busy machine does not change it. */
export async function threadMs(session: CDPSession): Promise<number> {
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find((each) => each.name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
}

/** Scrolls the first thing that fits `selector` for some seconds, down and up again, a step in each frame. */
export async function scrollFrames(page: Page, selector: string): Promise<Frames> {
  return await page.evaluate(
    async ({ target, frames, step }) => {
      const element = document.querySelector(target);
      if (element === null) throw new Error(`There is no ${target}.`);
      let shift = 0;
      const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shift += (entry as PerformanceEntry & { readonly value: number }).value;
      });
      observer.observe({ type: 'layout-shift' });
      const intervals: number[] = [];
      const work: number[] = [];
      const { port1, port2 } = new MessageChannel();
      port1.start();
      const painted = () =>
        new Promise<void>((resolve) => {
          port1.addEventListener('message', () => resolve(), { once: true });
          port2.postMessage(null);
        });
      let last = 0;
      for (let frame = 0; frame < frames; frame += 1) {
        const startedAt = await new Promise<number>((resolve) => {
          requestAnimationFrame(resolve);
        });
        const before = performance.now();
        element.scrollTop += frame < frames * 0.75 ? step : -step;
        await painted();
        work.push(performance.now() - before);
        if (last > 0) intervals.push(startedAt - last);
        last = startedAt;
      }
      observer.disconnect();
      return { intervals, work, shift };
    },
    { target: selector, frames: FRAMES, step: PIXELS_PER_FRAME },
  );
}

/** The figures of one measurement. */
export function frameFigures({ intervals, work, shift }: Frames): FrameFigures {
  const share = (times: readonly number[], limitMs: number) =>
    times.filter((each) => each > limitMs).length / Math.max(1, times.length);
  return {
    p50: percentile(work, 0.5),
    p95: percentile(work, 0.95),
    p99: percentile(work, 0.99),
    late: share(work, FRAME_MS),
    missed: share(intervals, FRAME_MS + 1),
    shift,
  };
}

/** A page with nothing of ours: what this machine makes of the same movement at this moment. */
export async function emptyFrames(page: Page): Promise<Frames> {
  await page.goto('about:blank');
  await page.evaluate(() => {
    const tall = document.createElement('div');
    tall.style.height = '1000000px';
    tall.style.background = 'linear-gradient(#fff, #eee)';
    document.body.append(tall);
  });
  return await scrollFrames(page, 'html');
}

/** How long an opening took, ms from the start of the navigation. */
export interface Opening {
  readonly firstPaintMs: number;
  /** Until the first row was there with its text. */
  readonly firstRowMs: number;
  readonly shift: number;
}

/** Opens an address in a fresh page and waits for the first thing that fits `selector`. */
export async function timeOpening(page: Page, address: string, selector: string): Promise<Opening> {
  await page.addInitScript((target) => {
    const seen = { firstRowMs: 0, shift: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        seen.shift += (entry as PerformanceEntry & { readonly value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
    const look = () => {
      if (document.querySelector(target) !== null) seen.firstRowMs = performance.now();
      else requestAnimationFrame(look);
    };
    look();
  }, selector);
  await page.goto(address);
  await page.locator(selector).first().waitFor();
  return await page.evaluate(async () => {
    // What still moves after the first row counts as well.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { seen } = window as unknown as { seen: { firstRowMs: number; shift: number } };
    return {
      firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      firstRowMs: seen.firstRowMs,
      shift: seen.shift,
    };
  });
}

/** Bytes of the page's JavaScript heap after a collection, and how many nodes it has. */
export async function heapOf(session: CDPSession): Promise<{ readonly bytes: number; readonly nodes: number }> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes } = await session.send('Memory.getDOMCounters');
  return { bytes: usedSize, nodes };
}
