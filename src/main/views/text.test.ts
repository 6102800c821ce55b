import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INLINE_LIMIT_BYTES } from '../../shared/contract/stored-text.ts';
import { sha256 } from '../store/connection.ts';
import { TEXT_LIMIT_BYTES, findText, textView } from './text.ts';
import { createViewBench, identity } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench();
  bench.startRun();
});
afterEach(() => bench.remove());

describe('kept texts', () => {
  it.each([TEXT_LIMIT_BYTES, INLINE_LIMIT_BYTES])(
    'a long text is cut inside a character, or without saying so (%s bytes and more)',
    (bytes) => {
      const { db, journal } = bench.connection;
      const text = `x${'é'.repeat(bytes)}`;
      const stored = journal.keep(text);
      const view = textView(db, stored);
      expect(view).toMatchObject({ isCut: true, bytes: bytes * 2 + 1, digest: sha256(text) });
      expect(text.startsWith(view.text)).toBe(true);
      expect(Buffer.byteLength(view.text)).toBe(TEXT_LIMIT_BYTES - 1);
      if (stored.inline === null) expect(findText(db, stored.digest)).toBe(text);
    },
  );

  it('an input or an output cannot be read in full', () => {
    const { db, journal } = bench.connection;
    bench.send();
    const output = journal.keep('{"body":"whole"}');
    bench.append('settle.recorded', {
      ...identity(),
      outcome: { kind: 'success' },
      outputDigest: sha256('o'),
      output,
      summary: 'Done',
      settledBy: 'executor',
      tookMs: 1,
    });
    expect(findText(db, sha256('{"method":"POST"}'))).toBe('{"method":"POST"}');
    expect(findText(db, output.digest)).toBe('{"body":"whole"}');
    expect(findText(db, sha256('never kept'))).toBeNull();
  });
});
