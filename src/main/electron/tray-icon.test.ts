import { describe, expect, it } from 'vitest';
import { drawIcon } from './tray-icon.ts';

const opaque = (of: { pixels: Buffer; size: number }) =>
  Array.from({ length: of.size * of.size }, (_, point) => of.pixels[point * 4 + 3] === 255);

describe('the icon', () => {
  it.each([16, 20, 24, 32, 64])('is there at a size of %d, and is not a square', (size) => {
    const icon = drawIcon(size, { ink: 'own', isMarked: false });
    const points = opaque(icon);
    expect(icon.pixels.length).toBe(size * size * 4);
    expect(points.some(Boolean)).toBe(true);
    expect(points.every(Boolean)).toBe(false);
  });

  it('has no colour of its own where the system colours it, and the mark is still seen there', () => {
    const plain = drawIcon(32, { ink: 'template', isMarked: false });
    const marked = drawIcon(32, { ink: 'template', isMarked: true });
    for (const { pixels } of [plain, marked]) expect(pixels.every((byte, at) => at % 4 === 3 || byte === 0)).toBe(true);
    expect(opaque(marked)).not.toEqual(opaque(plain));
  });
});
