import type { LaneView, TimelineRow, WhyView } from '../../../shared/contract/views.ts';
import { assertNever } from '../../../shared/lib/assert-never.ts';
import type { IconName } from '../../ui/icon-shapes.tsx';

/** The time axis that all lanes share. */
export interface Axis {
  readonly fromMs: number;
  readonly toMs: number;
  readonly ticks: readonly number[];
}

const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400].map(
  (seconds) => seconds * 1_000,
);
const MAX_TICKS = 6;
const SHORTEST_MS = 4_000;

/** From the first row to the last (or now, while it runs), with ticks on round times. */
export function axisOf(options: {
  readonly timeline: readonly TimelineRow[];
  readonly lanes: readonly LaneView[];
  readonly endMs: number;
}): Axis {
  const times = [
    ...options.timeline.map((row) => row.atMs),
    ...options.lanes.flatMap((lane) => lane.marks.map((mark) => mark.atMs)),
  ];
  const fromMs = times.length === 0 ? options.endMs : Math.min(...times);
  const last = times.length === 0 ? options.endMs : Math.max(...times, options.endMs);
  const toMs = Math.max(last, fromMs + SHORTEST_MS);
  const step = STEPS_MS.find((each) => (toMs - fromMs) / each <= MAX_TICKS) ?? Math.ceil((toMs - fromMs) / MAX_TICKS);
  const ticks: number[] = [];
  for (let at = Math.ceil(fromMs / step) * step; at <= toMs; at += step) ticks.push(at);
  return { fromMs, toMs, ticks };
}

/** Where a moment lies on the axis, 0 to 1. */
export function shareOf(axis: Axis, atMs: number): number {
  return Math.min(1, Math.max(0, (atMs - axis.fromMs) / (axis.toMs - axis.fromMs)));
}

/** Stretches in which a device slept or was silent: from a gap row to the next row. */
export function gapsOf(
  timeline: readonly TimelineRow[],
  endMs: number,
): { readonly fromMs: number; readonly toMs: number }[] {
  return timeline.flatMap((row, index) =>
    row.mark === 'gap' ? [{ fromMs: row.atMs, toMs: Math.max(row.atMs, timeline[index + 1]?.atMs ?? endMs) }] : [],
  );
}

/** The shape at a row of the timeline; `null` is a plain dot or a gap. */
export function markIcon(mark: TimelineRow['mark']): IconName | null {
  switch (mark) {
    case 'key':
      return 'key';
    case 'done':
      return 's-done';
    case 'refused':
      return 's-ref';
    case 'unclear':
      return 's-unclear';
    case 'failed':
      return 's-fail1';
    case 'running':
      return 's-run';
    case 'dot':
    case 'gap':
      return null;
    default:
      return assertNever(mark);
  }
}

/** The decision a row of the timeline is about, if it is about one. */
export function whyFor(row: TimelineRow, why: readonly WhyView[]): WhyView | null {
  return why.find((each) => each.seq === row.seq) ?? null;
}

/** The decision behind a lane's latest mark: a refusal before anything else, for it is what people ask about. */
export function whyForLane(lane: LaneView, why: readonly WhyView[]): WhyView | null {
  const own = why.filter((each) => each.effectKey === lane.effectKey);
  return (
    own.findLast((each) => each.questions.some((question) => question.verdict === 'decided')) ?? own.at(-1) ?? null
  );
}
