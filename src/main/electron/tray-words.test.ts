import { describe, expect, it } from 'vitest';
import { trayMenu, trayStatus, trayTitle } from './tray-words.ts';

describe('the icon of a program without a window', () => {
  it.each([
    [{ running: 0, needsYou: 0 }, 'Nothing is running'],
    [{ running: 2, needsYou: 0 }, '2 running'],
    [{ running: 2, needsYou: 1 }, '2 running · 1 needs you'],
    [{ running: 0, needsYou: 3 }, '3 need you'],
  ])('says how it stands: %o', (counts, words) => {
    expect(trayStatus(counts)).toBe(words);
  });

  it('counts beside itself only what needs a person', () => {
    expect(trayTitle({ running: 5, needsYou: 0 })).toBe('');
    expect(trayTitle({ running: 5, needsYou: 2 })).toBe('2');
  });

  it('has a way to the window, to what waits, to a pause and out', () => {
    const items = trayMenu({ running: 1, needsYou: 1 });
    expect(items.flatMap((item) => (item === null ? [] : [item.does]))).toEqual(['open', 'needs', 'pause', 'quit']);
    expect(items.find((item) => item?.does === 'needs')?.label).toBe('What needs you (1)');
  });
});
