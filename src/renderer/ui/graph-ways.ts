/** The upper left corner of a state. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** A way between two states, by where they stand in the grid. */
export interface Way {
  readonly from: { readonly column: number; readonly row: number };
  readonly to: { readonly column: number; readonly row: number };
}

/** What a drawn way has to know of the rest, px. */
export interface Surroundings {
  readonly nodeWidth: number;
  readonly nodeHeight: number;
  /** How far lanes lie apart, and which of them this way takes. */
  readonly laneGap: number;
  readonly lane: number;
  /** Below it run the ways that come back. */
  readonly floor: number;
  /** The space after each column. */
  readonly gaps: readonly number[];
}

export interface DrawnWay {
  readonly path: string;
  readonly labelX: number;
  readonly labelY: number;
}

type Ends = Surroundings & { readonly from: Place; readonly to: Place };

const CORNER = 8;
/** The tip of an arrow ends so far before the state. */
const TIP = 3;
const FIRST_LANE = 12;
/** How far from the sides of a state a way that comes back goes up and down. */
const SIDE = 12;

/** A way that comes back: to an earlier column, or up within its own. */
export function isBackward({ from, to }: Way): boolean {
  return to.column < from.column || (to.column === from.column && to.row <= from.row);
}

/** A way from a state to itself. */
export function isSelf({ from, to }: Way): boolean {
  return to.column === from.column && to.row === from.row;
}

/** A way past at least one column. */
export function isLong({ from, to }: Way): boolean {
  return to.column > from.column + 1;
}

/** The line of a way, with corners that never cross a state, and where its label stands. */
export function drawWay(way: Way, ends: Ends): DrawnWay {
  if (isSelf(way)) return selfWay(ends);
  if (isBackward(way)) return backwardWay(ends);
  if (way.from.column === way.to.column) return downwardWay(way, ends);
  return isLong(way) ? longWay(way, ends) : shortWay(way, ends);
}

type Point = readonly [number, number];

/** A line through points, with round corners where there is room for them. */
function lineThrough(points: readonly Point[]): string {
  let path = `M${points[0]?.[0] ?? 0} ${points[0]?.[1] ?? 0}`;
  for (let index = 1; index < points.length; index += 1) {
    const [x, y] = points[index] ?? [0, 0];
    const before = points[index - 1] ?? [x, y];
    const after = points[index + 1];
    if (after === undefined) {
      path += `L${x} ${y}`;
      continue;
    }
    const radius = Math.min(CORNER, distance(before, [x, y]) / 2, distance([x, y], after) / 2);
    const [startX, startY] = towards([x, y], before, radius);
    const [endX, endY] = towards([x, y], after, radius);
    path += `L${startX} ${startY}Q${x} ${y} ${endX} ${endY}`;
  }
  return path;
}

function distance(one: Point, other: Point): number {
  return Math.abs(one[0] - other[0]) + Math.abs(one[1] - other[1]);
}

function towards([x, y]: Point, goal: Point, by: number): Point {
  return [x + Math.sign(goal[0] - x) * by, y + Math.sign(goal[1] - y) * by];
}

/** To an end below: straight down, or round the right side past what lies between. */
function downwardWay(way: Way, { from, to, nodeWidth, nodeHeight }: Ends): DrawnWay {
  const x = from.x + nodeWidth / 2;
  if (way.to.row - way.from.row === 1)
    return {
      path: lineThrough([
        [x, from.y + nodeHeight],
        [x, to.y - TIP],
      ]),
      labelX: x,
      labelY: (from.y + nodeHeight + to.y) / 2 + 3,
    };
  const right = from.x + nodeWidth;
  const side = right + SIDE + 2;
  const startY = from.y + nodeHeight / 2 + 9;
  const endY = to.y + nodeHeight / 2;
  const path = lineThrough([
    [right, startY],
    [side, startY],
    [side, endY],
    [right + TIP, endY],
  ]);
  return { path, labelX: side, labelY: to.y - 10 };
}

/** To the next column: straight, or with one bend in the gap. */
function shortWay(way: Way, { from, to, nodeWidth, nodeHeight, gaps }: Ends): DrawnWay {
  const startX = from.x + nodeWidth;
  const startY = from.y + nodeHeight / 2;
  const endX = to.x - TIP;
  const endY = to.y + nodeHeight / 2;
  if (startY === endY)
    return {
      path: lineThrough([
        [startX, startY],
        [endX, endY],
      ]),
      labelX: (startX + endX) / 2,
      labelY: startY - 7,
    };
  const bendX = startX + (gaps[way.from.column] ?? 0) / 2;
  const path = lineThrough([
    [startX, startY],
    [bendX, startY],
    [bendX, endY],
    [endX, endY],
  ]);
  // Beside the state that it leads to, where no other label of the same step stands.
  return { path, labelX: bendX, labelY: endY > startY ? endY - 14 : endY + 21 };
}

/** Further on: down into a lane between the rows, along it, and up or down in the gap before the target. */
function longWay(way: Way, ends: Ends): DrawnWay {
  const { from, to, nodeWidth, nodeHeight, gaps } = ends;
  const startX = from.x + nodeWidth;
  const startY = from.y + nodeHeight / 2;
  const endY = to.y + nodeHeight / 2;
  const laneY = from.y + nodeHeight + FIRST_LANE + ends.lane * ends.laneGap;
  const dropX = startX + (gaps[way.from.column] ?? 0) / 2 - 4;
  const bendX = to.x - (gaps[way.to.column - 1] ?? 0) / 2 + 4;
  const path = lineThrough([
    [startX, startY],
    [dropX, startY],
    [dropX, laneY],
    [bendX, laneY],
    [bendX, endY],
    [to.x - TIP, endY],
  ]);
  return { path, labelX: (dropX + Math.min(bendX, dropX + nodeWidth)) / 2 + 8, labelY: laneY + 4 };
}

/** A way that comes back leaves to the right, runs below everything and arrives from the left. */
function backwardWay(ends: Ends): DrawnWay {
  const { from, to, nodeWidth, nodeHeight } = ends;
  const right = from.x + nodeWidth;
  const startY = from.y + nodeHeight / 2 + 9;
  const endY = to.y + nodeHeight / 2 + 9;
  const laneY = ends.floor + FIRST_LANE + ends.lane * ends.laneGap;
  const path = lineThrough([
    [right, startY],
    [right + SIDE, startY],
    [right + SIDE, laneY],
    [to.x - SIDE, laneY],
    [to.x - SIDE, endY],
    [to.x - TIP, endY],
  ]);
  return { path, labelX: (right + to.x) / 2, labelY: laneY + 4 };
}

/** A way to the same state goes round it below. */
function selfWay({ from, nodeWidth, nodeHeight }: Ends): DrawnWay {
  const right = from.x + nodeWidth;
  const startY = from.y + nodeHeight / 2 + 9;
  const laneY = from.y + nodeHeight + FIRST_LANE;
  const path = lineThrough([
    [right, startY],
    [right + SIDE, startY],
    [right + SIDE, laneY],
    [from.x - SIDE, laneY],
    [from.x - SIDE, startY],
    [from.x - TIP, startY],
  ]);
  return { path, labelX: from.x + nodeWidth / 2, labelY: laneY + 4 };
}
