import { describe, expect, it } from 'vitest';
import { hasTrayPlace, readTrayAnswer, waitForTray } from './tray-place.ts';
import type { TrayAnswer } from './tray-place.ts';

/** Answers in order, and counts. */
function desktop(...answers: TrayAnswer[]) {
  let asked = 0;
  return { ask: async () => answers[Math.min(asked++, answers.length - 1)] ?? 'silent', asked: () => asked };
}

describe('a place for an icon', () => {
  it.each([
    ['(true,)\n', 'yes'],
    ['(false,)\n', 'no'],
    ['b true\n', 'yes'],
    ['b false\n', 'no'],
    ['Error: true enough', 'silent'],
    ['', 'silent'],
  ])('is there because of an answer that means something else: %j', (printed, answer) => {
    expect(readTrayAnswer(printed)).toBe(answer);
  });

  it('is missed because the panel comes up after the program at sign-in', async () => {
    const late = desktop('no', 'no', 'yes');
    expect(await waitForTray(late.ask, { asks: 10, everyMs: 1 })).toBe(true);
    expect(late.asked()).toBe(3);
  });

  it('is waited for without end, or where nobody can say', async () => {
    const never = desktop('no');
    expect(await waitForTray(never.ask, { asks: 4, everyMs: 1 })).toBe(false);
    expect(never.asked()).toBe(4);
    const silent = desktop('silent');
    expect(await waitForTray(silent.ask, { asks: 4, everyMs: 1 })).toBe(false);
    expect(silent.asked()).toBe(1);
  });

  it('is always there on systems that have one by themselves', async () => {
    expect(await hasTrayPlace('darwin', false)).toBe(true);
    expect(await hasTrayPlace('win32', true)).toBe(true);
  });
});
