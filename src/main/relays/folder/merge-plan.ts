import { RELAY_BATCH_CHARACTERS } from '../relay.ts';
import type { IndexedSegment, Journal } from './journal.ts';
import { SEGMENT_LIMIT_OPERATIONS } from './relay-records.ts';

/** Fewer neighbours than this stay as they are. */
const MERGE_AT = 8;

/**
 * Which neighbouring files should become one; `null` if none. No file is written again unless the new one is at least
 * twice as long, so that what is written grows with the logarithm of the journal; and besides files that are large already,
 * a journal is in a few times `MERGE_AT` of them.
 */
export function mergePlan(journal: Journal): readonly IndexedSegment[] | null {
  for (const run of runsOf(journal.segments)) {
    const plan = planOf(run);
    if (plan !== null) return plan;
  }
  return null;
}

/** Neighbours that follow each other without a gap, none of them large already. */
function runsOf(segments: readonly IndexedSegment[]): IndexedSegment[][] {
  const runs: IndexedSegment[][] = [];
  let run: IndexedSegment[] = [];
  for (const segment of segments) {
    const last = run.at(-1);
    const isLarge = isLargeAlready(segment);
    if (isLarge || (last !== undefined && segment.first > last.last + 1)) {
      runs.push(run);
      run = [];
    }
    if (!isLarge) run.push(segment);
  }
  return [...runs, run];
}

function isLargeAlready({ characters, first, last }: IndexedSegment): boolean {
  return characters > RELAY_BATCH_CHARACTERS / 2 || last - first + 1 > SEGMENT_LIMIT_OPERATIONS / 2;
}

/** Where one file is as long as all its neighbours together, it is left alone, and each side of it is looked at. */
function planOf(run: readonly IndexedSegment[]): readonly IndexedSegment[] | null {
  if (run.length < MERGE_AT) return null;
  const fitting = fittingPart(run);
  const longest = Math.max(...fitting.map((segment) => segment.characters));
  if (fitting.length > 1 && totalOf(fitting) >= 2 * longest) return fitting;
  const at = fitting.findIndex((segment) => segment.characters === longest);
  return planOf(fitting.slice(0, at)) ?? planOf(run.slice(at + 1));
}

function totalOf(run: readonly IndexedSegment[]): number {
  return run.reduce((sum, segment) => sum + segment.characters, 0);
}

/** As many from the beginning as one file may hold; always one, as none is large. */
function fittingPart(run: readonly IndexedSegment[]): IndexedSegment[] {
  const fitting: IndexedSegment[] = [];
  let characters = 0;
  let operations = 0;
  for (const segment of run) {
    characters += segment.characters;
    operations += segment.last - segment.first + 1;
    if (characters > RELAY_BATCH_CHARACTERS || operations > SEGMENT_LIMIT_OPERATIONS) break;
    fitting.push(segment);
  }
  return fitting;
}
