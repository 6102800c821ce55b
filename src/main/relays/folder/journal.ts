/** What is remembered of a file of operations. */
export interface IndexedSegment {
  /** Its file within the device's folder. */
  readonly file: string;
  readonly digest: string;
  readonly first: number;
  readonly last: number;
  /** Length of its boxes together, characters. */
  readonly characters: number;
  /** The prints of its operations one after the other, `PRINT_BYTES` each. */
  readonly prints: Buffer;
}

/** Length of an operation's print, bytes. */
const PRINT_BYTES = 16;

/** One device's operations over all of its files, in whatever pieces they are there. */
export class Journal {
  /** By first place; of those that begin alike, the one that goes furthest comes first. */
  readonly segments: readonly IndexedSegment[];
  /** Places at which there are different operations, ascending. */
  readonly forks: readonly number[];

  constructor(segments: readonly IndexedSegment[]) {
    this.segments = segments.toSorted((one, other) => {
      if (one.first !== other.first) return one.first - other.first;
      if (one.last !== other.last) return other.last - one.last;
      return one.digest < other.digest ? -1 : 1;
    });
    this.forks = findForks(this.segments);
  }

  /** The last place up to which everything after `from` is there, without a gap and without doubt. */
  reach(from: number): number {
    let reached = from;
    for (const segment of this.segments) {
      if (segment.first > reached + 1) break;
      reached = Math.max(reached, segment.last);
    }
    const fork = this.forks.find((seq) => seq > from);
    return fork === undefined ? reached : Math.min(reached, fork - 1);
  }

  /** Of the files that hold a place, the one that goes furthest. */
  at(seq: number): IndexedSegment | undefined {
    let furthest: IndexedSegment | undefined;
    for (const segment of this.segments) {
      if (segment.first > seq) break;
      if (segment.last >= seq && (furthest === undefined || segment.last > furthest.last)) furthest = segment;
    }
    return furthest;
  }

  /** Whether an operation with this print is held at a place, another one is, or none. */
  holds(seq: number, print: Buffer): 'same' | 'other' | 'none' {
    let held: 'same' | 'none' = 'none';
    for (const segment of this.segments) {
      if (segment.first > seq) break;
      if (segment.last < seq) continue;
      if (!printAt(segment, seq).equals(print)) return 'other';
      held = 'same';
    }
    return held;
  }

  /** How many places up to `last` are held. */
  countUpTo(last: number): number {
    let counted = 0;
    let reached = 0;
    for (const segment of this.segments) {
      const from = Math.max(segment.first, reached + 1);
      const to = Math.min(segment.last, last);
      if (to < from) continue;
      counted += to - from + 1;
      reached = to;
    }
    return counted;
  }

  /** Files that hold nothing but what another one holds as well. */
  redundant(): IndexedSegment[] {
    return this.segments.filter((segment) => this.segments.some((other) => isHeldBy(segment, other)));
  }
}

function printAt(segment: IndexedSegment, seq: number): Buffer {
  const from = (seq - segment.first) * PRINT_BYTES;
  return segment.prints.subarray(from, from + PRINT_BYTES);
}

function findForks(segments: readonly IndexedSegment[]): number[] {
  const forks = new Set<number>();
  for (const [index, segment] of segments.entries()) {
    for (const other of segments.slice(index + 1)) {
      if (other.first > segment.last) break;
      if (other.digest === segment.digest) continue;
      for (const seq of differences(segment, other)) forks.add(seq);
    }
  }
  return [...forks].toSorted((one, other) => one - other);
}

/** Places that both hold, and differently. */
function differences(one: IndexedSegment, other: IndexedSegment): number[] {
  const first = Math.max(one.first, other.first);
  const last = Math.min(one.last, other.last);
  const [left, right] = [one, other].map((each) =>
    each.prints.subarray((first - each.first) * PRINT_BYTES, (last - each.first + 1) * PRINT_BYTES),
  );
  if (left === undefined || right === undefined || left.equals(right)) return [];
  const places = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return places.filter((seq) => !printAt(one, seq).equals(printAt(other, seq)));
}

/** Of two that hold the same, one has to count as held by the other and not the other way round. */
function isHeldBy(segment: IndexedSegment, other: IndexedSegment): boolean {
  if (segment === other || other.first > segment.first || other.last < segment.last) return false;
  if (differences(segment, other).length > 0) return false;
  const isSameRange = other.first === segment.first && other.last === segment.last;
  if (!isSameRange) return true;
  return other.digest === segment.digest ? other.file < segment.file : other.digest < segment.digest;
}
