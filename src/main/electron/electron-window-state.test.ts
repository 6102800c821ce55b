import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fitToScreens, MIN_HEIGHT, MIN_WIDTH, readWindowState, saveWindowState } from './electron-window-state.ts';

const screen = { x: 0, y: 25, width: 1920, height: 1055 };
const left = { x: -1280, y: 0, width: 1280, height: 1024 };
const saved = { x: 100, y: 100, width: 1000, height: 700, isMaximized: false };
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fencepost-window-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a window comes back where it was, also on a second screen and partly off it', () => {
  expect(fitToScreens(saved, [screen]).position).toEqual({ x: 100, y: 100 });
  expect(fitToScreens({ ...saved, x: -1200 }, [screen, left]).position).toEqual({ x: -1200, y: 100 });
  expect(fitToScreens({ ...saved, x: 1700 }, [screen]).position).toEqual({ x: 1700, y: 100 });
});

it.each([
  ['the screen was taken away', { ...saved, x: -1200 }],
  ['its title bar is above the screen', { ...saved, y: -200 }],
  ['its title bar is below the screen', { ...saved, y: 1075 }],
  ['a sliver of it is left on the right', { ...saved, x: 1910 }],
])('the system chooses the place when %s', (_name, bounds) => {
  expect(fitToScreens(bounds, [screen]).position).toBeNull();
});

it('a size from a larger screen fits the one there is, and is never too small to use', () => {
  expect(fitToScreens({ ...saved, width: 5_000, height: 3_000 }, [screen])).toMatchObject({
    width: 1920,
    height: 1055,
  });
  expect(fitToScreens({ ...saved, width: 1, height: 1 }, [screen])).toMatchObject({
    width: MIN_WIDTH,
    height: MIN_HEIGHT,
  });
  expect(fitToScreens(saved, [])).toMatchObject({ position: null });
});

it('what was saved is read again', () => {
  const file = path.join(folder, 'state.json');
  saveWindowState(file, { ...saved, isMaximized: true });
  expect(readWindowState(file, [screen])).toEqual({
    position: { x: 100, y: 100 },
    width: 1000,
    height: 700,
    isMaximized: true,
  });
});

it.each(['', '{', 'null', '[]', '{"x":1e308,"y":0,"width":900,"height":700,"isMaximized":false}', '{"x":"1"}'])(
  'a file with %j in it is a first start, not a crash',
  (text) => {
    const file = path.join(folder, 'broken.json');
    writeFileSync(file, text);
    expect(readWindowState(file, [screen])).toMatchObject({ position: null, isMaximized: false });
  },
);

it('a folder that cannot be written costs the place and nothing else', () => {
  expect(() => saveWindowState(path.join(folder, 'missing', 'state.json'), saved)).not.toThrow();
});
