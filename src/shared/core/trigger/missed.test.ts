import { describe, expect, it } from 'vitest';
import { canRunLater, missedState } from './missed.ts';

describe('a missed occurrence', () => {
  it.each([
    ['device-off', true, 'waiting'],
    ['device-off', false, 'open'],
    ['no-permission', false, 'open'],
    ['too-many', false, 'open'],
    ['covered', false, 'noted'],
    ['already-ran', false, 'noted'],
    ['clock-went-back', false, 'noted'],
  ] as const)('of %s (waiting: %s) asks for nobody, or for somebody in vain', (reason, isWaiting, state) => {
    expect(missedState(reason, isWaiting)).toBe(state);
  });

  it('is offered to be run where nothing says what it was about, or where it has a run', () => {
    expect(canRunLater('schedule', 'device-off')).toBe(true);
    expect(canRunLater('run', 'no-permission')).toBe(true);
    expect(canRunLater('webhook', 'no-permission')).toBe(false);
    expect(canRunLater('file', 'watch-failed')).toBe(false);
    expect(canRunLater('schedule', 'already-ran')).toBe(false);
    expect(canRunLater('schedule', 'clock-went-back')).toBe(false);
  });
});
