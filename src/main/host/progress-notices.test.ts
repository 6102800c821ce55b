import { describe, expect, it } from 'vitest';
import type { RunId } from '../../shared/contract/identifiers.ts';
import type { LogLine } from '../bridge/event-log.ts';
import { PROGRESS_NOTICE_INTERVAL_MS, ProgressNotices } from './progress-notices.ts';

const ONE = 'run-1' as RunId;
const OTHER = 'run-2' as RunId;

/** Timers that go on when the test says so. */
function bench() {
  let nowMs = 0;
  const waiting = new Set<{ readonly atMs: number; readonly act: () => void }>();
  const lines: LogLine[] = [];
  const told: string[] = [];
  const timers = {
    nowMs: () => nowMs,
    after: (delayMs: number, act: () => void) => {
      const entry = { atMs: nowMs + delayMs, act };
      waiting.add(entry);
      return () => void waiting.delete(entry);
    },
    soon: (act: () => void) => act(),
  };
  const notices = new ProgressNotices({ timers, log: (line) => void lines.push(line) });
  const pass = (ms: number): void => {
    nowMs += ms;
    for (const entry of waiting) {
      if (entry.atMs > nowMs || !waiting.delete(entry)) continue;
      entry.act();
    }
  };
  const listen = () => notices.on((runId) => void told.push(`${nowMs} ${runId}`));
  return { notices, pass, told, lines, waiting, listen };
}

describe('notices about live text', () => {
  it('flood the window, or leave the last piece untold', () => {
    const { notices, pass, told, waiting, listen } = bench();
    listen();
    for (let piece = 0; piece < 100; piece += 1) {
      notices.note(ONE);
      pass(10);
    }
    pass(PROGRESS_NOTICE_INTERVAL_MS);
    expect(told).toEqual([0, 250, 500, 750, 1_000].map((atMs) => `${atMs} ${ONE}`));
    expect(told).toHaveLength(5);
    pass(10 * PROGRESS_NOTICE_INTERVAL_MS);
    expect(told).toHaveLength(5);
    expect(waiting.size).toBe(0);
  });

  it('of one run hold back those of another', () => {
    const { notices, told, listen } = bench();
    listen();
    notices.note(ONE);
    notices.note(OTHER);
    notices.note(ONE);
    expect(told).toEqual([`0 ${ONE}`, `0 ${OTHER}`]);
  });

  it('break the call that is on its way, because a window is gone', () => {
    const { notices, told, lines, listen } = bench();
    notices.on(() => {
      throw new Error('The window is gone.');
    });
    listen();
    expect(() => notices.note(ONE)).not.toThrow();
    expect(told).toEqual([`0 ${ONE}`]);
    expect(lines).toMatchObject([{ event: 'progress-listener-threw' }]);
  });

  it('keep a host from ending, or reach a window that let go', () => {
    const { notices, pass, told, waiting, listen } = bench();
    const end = listen();
    notices.note(ONE);
    notices.note(ONE);
    end();
    pass(PROGRESS_NOTICE_INTERVAL_MS);
    expect(told).toEqual([`0 ${ONE}`]);
    listen();
    notices.note(OTHER);
    notices.close();
    expect(waiting.size).toBe(0);
    notices.note(OTHER);
    pass(PROGRESS_NOTICE_INTERVAL_MS);
    expect(told).toEqual([`0 ${ONE}`, `250 ${OTHER}`]);
  });
});
