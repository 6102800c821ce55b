import { describe, expect, it } from 'vitest';
import { LIVE_TEXT_LIMIT_BYTES, LiveText } from './live-text.ts';

describe('the text of a running call', () => {
  it('grows without an end, or keeps the oldest part instead of the newest', () => {
    const live = new LiveText();
    for (let piece = 0; piece < 5_000; piece += 1) live.add(`piece ${piece}\n`);
    expect(Buffer.byteLength(live.text)).toBeLessThanOrEqual(LIVE_TEXT_LIMIT_BYTES);
    expect(Buffer.byteLength(live.text)).toBeGreaterThan(LIVE_TEXT_LIMIT_BYTES - 20);
    expect(live.text.endsWith('piece 4998\npiece 4999\n')).toBe(true);
  });

  it('is cut within a character', () => {
    for (const before of ['', 'a', 'ab', 'abc']) {
      const live = new LiveText();
      live.add(before);
      live.add('€'.repeat(LIVE_TEXT_LIMIT_BYTES));
      expect(live.text).toMatch(/^€+$/u);
      expect(Buffer.byteLength(live.text)).toBeLessThanOrEqual(LIVE_TEXT_LIMIT_BYTES);
      live.add('🙂');
      expect(live.text).toMatch(/^€+🙂$/u);
    }
  });

  it('is shown beside the outcome, because a late piece came after the end', () => {
    const live = new LiveText();
    live.add('so far');
    live.end();
    live.add(' and further');
    expect(live.text).toBe('');
  });

  it('loses a character that came in two pieces', () => {
    const live = new LiveText();
    live.add('🙂'.slice(0, 1));
    live.add('🙂'.slice(1));
    expect(live.text).toBe('🙂');
  });
});
