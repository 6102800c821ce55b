import { describe, expect, it } from 'vitest';
import { lineChanges } from './line-changes.ts';

const signs = { same: ' ', removed: '-', added: '+' } as const;
const shown = (before: string, after: string): string[] =>
  lineChanges(before, after).hunks.map((hunk) =>
    hunk.lines.map((line) => `${signs[line.kind]}${line.text}`).join('\n'),
  );

const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index}`);

describe('what changed since the permitted version', () => {
  it('shows a change where there is none, such as another kind of line end', () => {
    expect(lineChanges('a\nb\n', 'a\r\nb')).toEqual({ hunks: [], added: 0, removed: 0 });
  });

  it('leaves a removed or an added line out, at the beginning or at the end', () => {
    expect(shown('a\nb\nc', 'b\nc\nd')).toEqual(['-a\n b\n c\n+d']);
    expect(shown('', 'a')).toEqual(['+a']);
    expect(shown('a', '')).toEqual(['-a']);
    expect(lineChanges('a\nb\nc', 'b\nc\nd')).toMatchObject({ added: 1, removed: 1 });
  });

  it('calls everything changed after one line in the middle', () => {
    const after = lines(40).with(20, 'other');
    const [hunk, ...more] = lineChanges(lines(40).join('\n'), after.join('\n')).hunks;
    expect(more).toEqual([]);
    expect(hunk?.lines).toHaveLength(8);
    expect(hunk?.lines[0]).toEqual({ kind: 'same', before: 18, after: 18, text: 'line 17' });
    expect(hunk?.lines[4]).toEqual({ kind: 'added', before: null, after: 21, text: 'other' });
  });

  it('shows lines between two changes twice, or joins changes that are far apart', () => {
    const near = lines(40).with(10, 'one').with(14, 'two');
    const [hunk] = lineChanges(lines(40).join('\n'), near.join('\n')).hunks;
    expect(hunk?.lines.filter((line) => line.kind === 'same').map((line) => line.before)).toEqual([
      8, 9, 10, 12, 13, 14, 16, 17, 18,
    ]);
    const far = lines(40).with(5, 'one').with(30, 'two');
    expect(shown(lines(40).join('\n'), far.join('\n'))).toHaveLength(2);
  });

  it('says that nothing was removed from a text that is too long to compare', () => {
    const before = Array.from({ length: 3_000 }, (_, index) => `a${index}`);
    const after = Array.from({ length: 3_000 }, (_, index) => `b${index}`);
    const changes = lineChanges(['same', ...before].join('\n'), ['same', ...after].join('\n'));
    expect(changes).toMatchObject({ added: 3_000, removed: 3_000 });
    expect(changes.hunks[0]?.lines[0]).toMatchObject({ kind: 'same', text: 'same' });
  });
});
