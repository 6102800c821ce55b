/** A line of one text or of both. Numbers count from 1; `null` where the text has no such line. */
export interface ChangedLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

/** Lines that stand together, with a few unchanged ones around them. */
interface ChangeHunk {
  readonly lines: readonly ChangedLine[];
}

export interface LineChanges {
  readonly hunks: readonly ChangeHunk[];
  readonly added: number;
  readonly removed: number;
}

/** Unchanged lines that are shown around a change. */
const CONTEXT_LINES = 3;
/** With more pairs of lines than this to compare, the differing middle is shown as replaced as a whole. */
const PAIR_LIMIT = 4_000_000;

/** What was removed and what was added, line by line, as few as possible. */
export function lineChanges(before: string, after: string): LineChanges {
  const one = linesOf(before);
  const other = linesOf(after);
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (
    end < one.length - start &&
    end < other.length - start &&
    one[one.length - 1 - end] === other[other.length - 1 - end]
  )
    end += 1;
  const middle = compare(one.slice(start, one.length - end), other.slice(start, other.length - end), start);
  const head = one.slice(0, start).map((text, index) => same(text, index, index));
  const tail = one
    .slice(one.length - end)
    .map((text, index) => same(text, one.length - end + index, other.length - end + index));
  return {
    hunks: hunksOf([...head, ...middle, ...tail]),
    added: middle.filter((line) => line.kind === 'added').length,
    removed: middle.filter((line) => line.kind === 'removed').length,
  };
}

/** Line ends of any system are the same; the one at the end of the file is no line of its own. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/u);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function same(text: string, before: number, after: number): ChangedLine {
  return { kind: 'same', before: before + 1, after: after + 1, text };
}

/** The longest common subsequence decides what stays. */
function compare(one: readonly string[], other: readonly string[], offset: number): ChangedLine[] {
  const removed = (index: number): ChangedLine => ({
    kind: 'removed',
    before: offset + index + 1,
    after: null,
    text: one[index] ?? '',
  });
  const added = (index: number): ChangedLine => ({
    kind: 'added',
    before: null,
    after: offset + index + 1,
    text: other[index] ?? '',
  });
  if (one.length * other.length > PAIR_LIMIT)
    return [...one.map((_, index) => removed(index)), ...other.map((_, index) => added(index))];
  const width = other.length + 1;
  const lengths = new Uint32Array((one.length + 1) * width);
  const lengthAt = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1)
    for (let column = other.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        one[row] === other[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
  const lines: ChangedLine[] = [];
  let row = 0;
  let column = 0;
  while (row < one.length || column < other.length) {
    if (row < one.length && column < other.length && one[row] === other[column]) {
      lines.push(same(one[row] ?? '', offset + row, offset + column));
      row += 1;
      column += 1;
    } else if (
      row < one.length &&
      (column === other.length || lengthAt(row + 1, column) >= lengthAt(row, column + 1))
    ) {
      lines.push(removed(row));
      row += 1;
    } else {
      lines.push(added(column));
      column += 1;
    }
  }
  return lines;
}

function hunksOf(lines: readonly ChangedLine[]): ChangeHunk[] {
  const hunks: ChangedLine[][] = [];
  let shownUpTo = -1;
  for (const [index, line] of lines.entries()) {
    if (line.kind === 'same') continue;
    const from = Math.max(shownUpTo + 1, index - CONTEXT_LINES);
    const to = Math.min(lines.length - 1, index + CONTEXT_LINES);
    const more = lines.slice(from, to + 1);
    if (from > shownUpTo + 1 || hunks.length === 0) hunks.push(more);
    else hunks.at(-1)?.push(...more);
    shownUpTo = Math.max(shownUpTo, to);
  }
  return hunks.map((each) => ({ lines: each }));
}
