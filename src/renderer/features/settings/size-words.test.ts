import { describe, expect, it } from 'vitest';
import { sizeWords } from './strings.ts';

describe('sizes', () => {
  it('never shows a thousand of a unit that has a larger one', () => {
    expect(sizeWords(999)).toBe('999 bytes');
    expect(sizeWords(1_000)).toBe('1 KB');
    expect(sizeWords(12_345_678)).toBe('12.3 MB');
  });
});
