import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { problem } from '../../shared/contract/errors.ts';
import { err } from '../../shared/lib/result.ts';
import type { Application } from './application.ts';
import type { LogLine } from './event-log.ts';
import { exitCodeOf } from './exit-code.ts';
import { DRAIN_LIMIT_MS, startSafely, stopSafely } from './start-safely.ts';

const lines: LogLine[] = [];
const log = { write: (line: LogLine) => void lines.push(line) };

/** A fake of the two functions that stopping uses; there is no host behind them. */
function fakeHost(host: Partial<Pick<Application, 'drain' | 'close'>>): Application {
  return { drain: async () => ({ leftUnclear: [] }), close: async () => undefined, ...host } as unknown as Application;
}

beforeEach(() => {
  lines.length = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

describe('starting', () => {
  it('a bug becomes a sentence with a way out, and the log keeps where it was', async () => {
    const started = await startSafely(() => Promise.reject(new TypeError('no such thing')), log);
    expect(started).toMatchObject({
      ok: false,
      error: { code: 'internal', message: 'Fencepost could not start: no such thing' },
    });
    expect(lines).toEqual([{ event: 'start-threw', cause: expect.stringContaining('start-safely.test.ts') }]);
  });

  it('an expected failure passes as it is', async () => {
    const failure = err(problem('profile-in-use', 'In use.', 'Close it.'));
    expect(await startSafely(async () => failure, log)).toEqual(failure);
  });
});

describe('stopping', () => {
  it('drains within the limit, closes after that, and says what is left unclear', async () => {
    const order: string[] = [];
    const host = fakeHost({
      drain: async (limitMs) => (order.push(`drain ${limitMs}`), { leftUnclear: ['a'] }),
      close: async () => void order.push('close'),
    });
    expect(await stopSafely(host, log)).toEqual(['a']);
    expect(order).toEqual([`drain ${DRAIN_LIMIT_MS}`, 'close']);
  });

  it('loses nothing when somebody does not want to wait: what holds leases gives them back, and all is closed', async () => {
    const order: string[] = [];
    const host = fakeHost({
      drain: (limitMs) => {
        order.push(`drain ${limitMs}`);
        return limitMs === 0 ? Promise.resolve({ leftUnclear: ['a'] }) : new Promise(() => undefined);
      },
      close: async () => void order.push('close'),
    });
    const hurry = Promise.withResolvers<void>();
    const stopped = stopSafely(host, log, hurry.promise);
    hurry.resolve();
    expect(await stopped).toEqual(['a']);
    expect(order).toEqual([`drain ${DRAIN_LIMIT_MS}`, 'drain 0', 'close']);
    expect(lines).toEqual([{ event: 'stopped', isComplete: true, leftUnclear: 1 }]);
  });

  it('a drain that was overtaken and fails late is no bug of the quitting', async () => {
    const late = Promise.withResolvers<never>();
    const host = fakeHost({
      drain: (limitMs) => (limitMs === 0 ? Promise.resolve({ leftUnclear: [] }) : late.promise),
    });
    expect(await stopSafely(host, log, Promise.resolve())).toEqual([]);
    late.reject(new Error('closed'));
    await expect(late.promise).rejects.toThrow('closed');
  });

  it('a drain that never ends does not keep the process', async () => {
    const stopped = stopSafely(fakeHost({ drain: () => new Promise(() => undefined) }), log);
    await vi.advanceTimersByTimeAsync(DRAIN_LIMIT_MS + 2_000);
    expect(await stopped).toEqual([]);
    expect(lines).toEqual([{ event: 'stopped', isComplete: false, leftUnclear: null }]);
  });

  it('a close that throws does not either', async () => {
    expect(await stopSafely(fakeHost({ close: () => Promise.reject(new Error('disk')) }), log)).toEqual([]);
    expect(lines[0]?.event).toBe('stop-threw');
  });
});

it.each([
  ['profile-in-use', 73],
  ['store-corrupt', 65],
  ['store-full', 74],
  ['folder-read-only', 74],
  ['internal', 1],
  ['runtime-too-old', 1],
] as const)('%s ends with %i, which scripts rely on', (code, expected) => {
  expect(exitCodeOf(code)).toBe(expected);
});
