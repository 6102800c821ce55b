import { describe, expect, it } from 'vitest';
import { countLines, inFileOrder, linesWithProblems, offsetOf } from './source-lines.ts';

describe('offsetOf', () => {
  const source = 'one\ntwo\nthree';

  it('puts the caret on the place that a problem names', () => {
    expect(offsetOf(source, { line: 1, column: 1 })).toBe(0);
    expect(offsetOf(source, { line: 2, column: 2 })).toBe(5);
  });

  it('stays in the line and in the file when the file became shorter meanwhile', () => {
    expect(offsetOf(source, { line: 2, column: 99 })).toBe(7);
    expect(offsetOf(source, { line: 9, column: 1 })).toBe(source.length);
    expect(offsetOf('', { line: 1, column: 1 })).toBe(0);
  });
});

describe('problems', () => {
  const at = (line: number, column: number) => ({ line, column, field: 'f', message: 'm' });

  it('are listed from the top of the file', () => {
    expect(inFileOrder([at(3, 1), at(1, 9), at(1, 2)]).map((one) => `${one.line}:${one.column}`)).toEqual([
      '1:2',
      '1:9',
      '3:1',
    ]);
  });

  it('mark each line once', () => {
    expect([...linesWithProblems([at(3, 1), at(3, 5)])]).toEqual([3]);
    expect(countLines('a\nb\n')).toBe(3);
  });
});
