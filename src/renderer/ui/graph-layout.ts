import type { GraphEdge } from '../../shared/contract/run-views.ts';
import type { GraphNode } from '../../shared/contract/views.ts';
import { columnsOf } from './graph-columns.ts';
import { drawWay, isBackward, isLong, isSelf } from './graph-ways.ts';
import type { DrawnWay, Place, Surroundings, Way } from './graph-ways.ts';

/** Wide enough for most titles where there is room, narrow where there are many columns. */
const NODE_WIDTH = { min: 146, max: 186 };
/** The width that a drawing tries to keep to. */
const COMFORT_WIDTH = 820;
export const NODE_HEIGHT = 42;
const COLUMN_GAP = 40;
const ROW_GAP = 52;
/** Room for a way round the right side of the last column, and its label. */
const SIDE_ROOM = 52;
const MARGIN = 24;
/** Long ways between two rows, and ways that come back, run beside each other, this far apart. */
const LANE_PX = 14;
/** A longer label is cut; the whole of it is in the words beside the drawing. */
const LABEL_CHARACTERS = 22;
const LABEL_CHARACTER_WIDTH = 6;
const LABEL_INSET = 24;
/** How often a label is moved at most before it stays where it is. */
const LABEL_MOVES = 3;

/** How an edge is drawn: the ordinary way, that of a failure, that where nobody can tell, or one into a branch. */
export type EdgeTone = 'plain' | 'failure' | 'unclear' | 'branch';

export interface PlacedNode extends Place {
  readonly node: GraphNode;
}

interface PlacedEdge extends DrawnWay {
  readonly key: string;
  readonly label: string;
  readonly tone: EdgeTone;
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly nodeWidth: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

/** All ways between the same two states are one line with all their labels. */
interface JoinedEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly tone: EdgeTone;
}

/** Places a state graph in columns with the ways between them. Pure and stable. */
export function layoutGraph(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): GraphLayout {
  const columns = columnsOf(nodes, edges);
  const joined = joinEdges(edges);
  const nodeWidth = nodeWidthFor(columns.length);
  const columnAt = new Map(
    columns.flatMap((members, column) => members.map((node) => [node.stateId, column] as const)),
  );
  const rowAt = new Map(columns.flatMap((members) => members.map((node, row) => [node.stateId, row] as const)));
  const gaps = gapsAfter(joined, { columnAt, count: columns.length });
  const waysOf = joined.flatMap((edge) => wayOf(edge, { columnAt, rowAt }));
  const lanes = assignLanes(waysOf);
  const lefts = columns.map((_, column) => MARGIN + sum(gaps.slice(0, column)) + column * nodeWidth);
  const rows = Math.max(1, ...columns.map((members) => members.length));
  const rowGaps = Array.from({ length: rows }, (_, row) =>
    Math.max(ROW_GAP, (lanes.perRow.get(row) ?? 0) * LANE_PX + 30),
  );
  const tops = rowGaps.map((_, row) => MARGIN + row * NODE_HEIGHT + sum(rowGaps.slice(0, row)));
  const placeOf = (stateId: string): Place => ({
    x: lefts[columnAt.get(stateId) ?? 0] ?? MARGIN,
    y: tops[rowAt.get(stateId) ?? 0] ?? MARGIN,
  });
  const bottom = (tops.at(-1) ?? MARGIN) + NODE_HEIGHT;
  const isLaneBelow = (lanes.perRow.get(rows - 1) ?? 0) > 0;
  const floor = bottom + (isLaneBelow ? (rowGaps.at(-1) ?? 0) - 16 : 0);
  const hasSideWay = waysOf.some((way) => way.from.column === columns.length - 1 && turnsRight(way));
  const right = (lefts.at(-1) ?? MARGIN) + nodeWidth;
  const around = { nodeWidth, nodeHeight: NODE_HEIGHT, laneGap: LANE_PX, floor, gaps };
  return {
    width: right + MARGIN + (hasSideWay ? SIDE_ROOM : 0),
    height: floor + (lanes.below === 0 ? 0 : lanes.below * LANE_PX + 6) + MARGIN,
    nodeWidth,
    nodes: nodes.map((node) => ({ node, ...placeOf(node.stateId) })),
    edges: apart(waysOf.map((way) => placeEdge(way, { ...around, lane: lanes.of.get(way) ?? 0 }, placeOf))),
  };
}

function turnsRight(way: Way): boolean {
  return isBackward(way) || (way.from.column === way.to.column && way.to.row - way.from.row > 1);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function nodeWidthFor(columns: number): number {
  const room = (COMFORT_WIDTH - 2 * MARGIN + COLUMN_GAP) / Math.max(1, columns) - COLUMN_GAP;
  return Math.round(Math.min(NODE_WIDTH.max, Math.max(NODE_WIDTH.min, room)));
}

const TONES: Readonly<Record<GraphEdge['kind'], EdgeTone>> = {
  success: 'plain',
  failure: 'failure',
  unclear: 'unclear',
  branch: 'branch',
};

function joinEdges(edges: readonly GraphEdge[]): JoinedEdge[] {
  const joined = new Map<string, JoinedEdge>();
  for (const { from, to, label, kind } of edges) {
    const key = `${from}>${to}`;
    const known = joined.get(key);
    const labels = [known?.label ?? '', label].filter((each) => each !== '');
    // The ordinary way wins: a line that is also taken after a success is no warning.
    const tone = known === undefined || known.tone === TONES[kind] ? TONES[kind] : known.tone;
    joined.set(key, { from, to, label: labels.join(' or '), tone });
  }
  return [...joined.values()];
}

/** Moves labels up that would lie on one another, as where two ways end in one state. */
function apart(edges: readonly PlacedEdge[]): PlacedEdge[] {
  const placed: PlacedEdge[] = [];
  for (const edge of edges) {
    let labelY = edge.labelY;
    const isTaken = (): boolean =>
      placed.some(
        (other) =>
          other.label !== '' &&
          Math.abs(other.labelY - labelY) < LANE_PX - 1 &&
          Math.abs(other.labelX - edge.labelX) < ((other.label.length + edge.label.length) * LABEL_CHARACTER_WIDTH) / 2,
      );
    for (let moves = 0; edge.label !== '' && moves < LABEL_MOVES && isTaken(); moves += 1) labelY -= LANE_PX;
    placed.push({ ...edge, labelY });
  }
  return placed;
}

function shown(label: string): string {
  return label.length <= LABEL_CHARACTERS ? label : `${label.slice(0, LABEL_CHARACTERS - 1).trimEnd()}…`;
}

/** The space after each column: as wide as the longest label that stands in it. */
function gapsAfter(
  edges: readonly JoinedEdge[],
  of: { readonly columnAt: ReadonlyMap<string, number>; readonly count: number },
): number[] {
  const gaps = Array.from({ length: of.count }, () => COLUMN_GAP);
  for (const edge of edges) {
    const from = of.columnAt.get(edge.from);
    const to = of.columnAt.get(edge.to);
    if (from === undefined || to !== from + 1 || edge.label === '') continue;
    gaps[from] = Math.max(gaps[from] ?? 0, shown(edge.label).length * LABEL_CHARACTER_WIDTH + LABEL_INSET);
  }
  return gaps;
}

type Cells = { readonly columnAt: ReadonlyMap<string, number>; readonly rowAt: ReadonlyMap<string, number> };

function wayOf(edge: JoinedEdge, { columnAt, rowAt }: Cells): (Way & { readonly edge: JoinedEdge })[] {
  const cellOf = (stateId: string) => {
    const column = columnAt.get(stateId);
    const row = rowAt.get(stateId);
    return column === undefined || row === undefined ? null : { column, row };
  };
  const from = cellOf(edge.from);
  const to = cellOf(edge.to);
  return from === null || to === null ? [] : [{ edge, from, to }];
}

/** Which lane each long way takes below its row, and each way that comes back takes below everything. */
function assignLanes(ways: readonly Way[]): {
  readonly of: ReadonlyMap<Way, number>;
  readonly perRow: ReadonlyMap<number, number>;
  readonly below: number;
} {
  const of = new Map<Way, number>();
  const ends = new Map<number, number[]>();
  const BELOW = -1;
  for (const way of ways) {
    if (isSelf(way) || (!isLong(way) && !isBackward(way))) continue;
    const row = isBackward(way) ? BELOW : way.from.row;
    const [first, last] = [Math.min(way.from.column, way.to.column), Math.max(way.from.column, way.to.column)];
    const lanes = ends.get(row) ?? [];
    const free = lanes.findIndex((end) => end <= first && row !== BELOW);
    const lane = free === -1 ? lanes.length : free;
    lanes[lane] = last;
    ends.set(row, lanes);
    of.set(way, lane);
  }
  const perRow = new Map([...ends].map(([row, lanes]) => [row, lanes.length]));
  return { of, perRow, below: perRow.get(BELOW) ?? 0 };
}

function placeEdge(
  way: Way & { readonly edge: JoinedEdge },
  around: Surroundings,
  placeOf: (stateId: string) => Place,
): PlacedEdge {
  const { edge } = way;
  return {
    key: `${edge.from}>${edge.to}`,
    label: shown(edge.label),
    tone: edge.tone,
    ...drawWay(way, { ...around, from: placeOf(edge.from), to: placeOf(edge.to) }),
  };
}
