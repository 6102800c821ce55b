import { expect, it } from 'vitest';
import { pauseAfterMs } from './read-pace.ts';

it('a window that keeps asking for what takes long leaves the host no time for the run itself', () => {
  expect(pauseAfterMs(5)).toBe(0);
  expect(pauseAfterMs(100)).toBe(0);
  expect(pauseAfterMs(400)).toBe(400);
  expect(pauseAfterMs(60_000)).toBe(1_000);
});
