/** A picture as the system takes it: rows from the top, four bytes for each point: blue, green, red, opacity. */
export interface IconPixels {
  readonly pixels: Buffer;
  readonly size: number;
}

/** How an icon is coloured: by the system (it takes the opacity alone), or by itself. */
export type IconInk = 'template' | 'own';

/** Seen on a light and on a dark bar. */
const INK = { blue: 0xc8, green: 0x8c, red: 0x6e };
/** Amber: the colour of what needs a person. */
const NEEDS = { blue: 0x1e, green: 0x96, red: 0xe8 };
const BLACK = { blue: 0, green: 0, red: 0 };
/** The picture's own grid; every size is drawn from it. */
const GRID = 16;
/** A fence: two posts and two rails, as left, top, right and bottom edges on the grid. */
const FENCE = [
  [3, 2, 5, 14],
  [11, 2, 13, 14],
  [1, 5, 15, 7],
  [1, 10, 15, 12],
] as const;
/** Where the mark of what needs a person is: centre and radius, with a gap around it. */
const MARK = { x: 12.5, y: 3.5, radius: 3, gap: 1.2 };

/**
 * Draws the icon, so that there is one for every scale of every screen and no picture file to lose. The mark is a shape
 * besides a colour: where the system colours the icon it is still seen.
 */
export function drawIcon(size: number, of: { readonly ink: IconInk; readonly isMarked: boolean }): IconPixels {
  const pixels = Buffer.alloc(size * size * 4);
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const at = { x: ((x + 0.5) * GRID) / size, y: ((y + 0.5) * GRID) / size };
      const away = Math.hypot(at.x - MARK.x, at.y - MARK.y);
      const isMark = of.isMarked && away <= MARK.radius;
      const isGap = of.isMarked && !isMark && away <= MARK.radius + MARK.gap;
      if (!isMark && (isGap || !isFence(at))) continue;
      const { blue, green, red } = of.ink === 'template' ? BLACK : isMark ? NEEDS : INK;
      pixels.set([blue, green, red, 255], (y * size + x) * 4);
    }
  }
  return { pixels, size };
}

function isFence({ x, y }: { readonly x: number; readonly y: number }): boolean {
  return FENCE.some(([left, top, right, bottom]) => x >= left && x < right && y >= top && y < bottom);
}
