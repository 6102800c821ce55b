import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

/** A place on the screens, in points. */
export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How a window was left. */
export interface WindowState {
  /** `null`: let the system choose the place. */
  readonly position: { readonly x: number; readonly y: number } | null;
  readonly width: number;
  readonly height: number;
  readonly isMaximized: boolean;
}

export const MIN_WIDTH = 720;
export const MIN_HEIGHT = 480;
const FIRST: WindowState = { position: null, width: 1280, height: 800, isMaximized: false };
/** How much of the window's upper edge must be on some screen, so that it can be caught and moved. */
const VISIBLE_WIDTH = 120;
const VISIBLE_HEIGHT = 40;

const coordinate = z.int().min(-100_000).max(100_000);
const savedSchema = z.object({
  x: coordinate,
  y: coordinate,
  width: z.int().min(1).max(100_000),
  height: z.int().min(1).max(100_000),
  isMaximized: z.boolean(),
});

/** Reads how the window was left and fits it to the screens there are now. Anything unreadable is a first start. */
export function readWindowState(file: string, screens: readonly Bounds[]): WindowState {
  try {
    const saved = savedSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    return saved.success ? fitToScreens(saved.data, screens) : FIRST;
  } catch {
    return FIRST;
  }
}

/** Keeps how the window is left. Losing it costs a person one drag, so a failure is let go. */
export function saveWindowState(file: string, state: Bounds & { readonly isMaximized: boolean }): void {
  try {
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch {
    // The disk has its own problem on the screen already.
  }
}

/** A window that was left on a screen that is gone comes back where the system puts it. */
export function fitToScreens(
  saved: Bounds & { readonly isMaximized: boolean },
  screens: readonly Bounds[],
): WindowState {
  const screen = screens.find((one) => isReachable(saved, one));
  const limit = screen ?? screens[0];
  const width = Math.max(MIN_WIDTH, Math.min(saved.width, limit?.width ?? FIRST.width));
  const height = Math.max(MIN_HEIGHT, Math.min(saved.height, limit?.height ?? FIRST.height));
  const position = screen === undefined ? null : { x: saved.x, y: saved.y };
  return { position, width, height, isMaximized: saved.isMaximized };
}

function isReachable(window: Bounds, screen: Bounds): boolean {
  const left = Math.max(window.x, screen.x);
  const right = Math.min(window.x + window.width, screen.x + screen.width);
  const isEdgeInside = window.y >= screen.y && window.y + VISIBLE_HEIGHT <= screen.y + screen.height;
  return isEdgeInside && right - left >= VISIBLE_WIDTH;
}
