import type { AgentDetailView } from '../../../shared/contract/views.ts';

type Node = AgentDetailView['nodes'][number];
type Edge = AgentDetailView['edges'][number];

/** Wide enough for most titles where there is room, narrow where there are many columns. */
const NODE_WIDTH = { min: 138, max: 186 };
/** The width that a drawing tries to keep to. */
const COMFORT_WIDTH = 820;
export const NODE_HEIGHT = 42;
const COLUMN_GAP = 40;
const ROW_GAP = 56;
/** Room for a way round the right side of the last column, and its label. */
const SIDE_ROOM = 52;
const MARGIN = 20;
/** Long ways between two rows run beside each other, this far apart. */
const LANE_PX = 9;
const LANES = 4;
const ENDS: ReadonlySet<string> = new Set(['done', 'fail']);

/** How an edge is drawn: the ordinary way, the way of a failure, or the way where nobody can tell. */
export type EdgeTone = 'plain' | 'failure' | 'unclear';

export interface PlacedNode {
  readonly node: Node;
  readonly x: number;
  readonly y: number;
}

interface PlacedEdge {
  readonly key: string;
  readonly path: string;
  readonly label: string;
  readonly labelX: number;
  readonly labelY: number;
  readonly tone: EdgeTone;
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly nodeWidth: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

/** Places a state graph in columns by distance from the start; what nothing leads to comes last. Pure and stable. */
export function layoutGraph(nodes: readonly Node[], edges: readonly Edge[]): GraphLayout {
  const columns = columnsOf(nodes, edges);
  const nodeWidth = nodeWidthFor(columns.length);
  const places = new Map<string, PlacedNode>();
  for (const [column, members] of columns.entries()) {
    for (const [row, node] of members.entries()) {
      const x = MARGIN + column * (nodeWidth + COLUMN_GAP);
      places.set(node.stateId, { node, x, y: MARGIN + row * (NODE_HEIGHT + ROW_GAP) });
    }
  }
  const rows = Math.max(1, ...columns.map((members) => members.length));
  const pairs = edges.flatMap((edge) => pairOf(edge, places));
  const hasBackEdge = pairs.some(isBackward);
  const lastX = MARGIN + (columns.length - 1) * (nodeWidth + COLUMN_GAP);
  const hasSideWay = pairs.some((pair) => isRoundTheSide(pair) && pair.from.x === lastX);
  return {
    width:
      2 * MARGIN + Math.max(1, columns.length) * (nodeWidth + COLUMN_GAP) - COLUMN_GAP + (hasSideWay ? SIDE_ROOM : 0),
    height: 2 * MARGIN + rows * (NODE_HEIGHT + ROW_GAP) - ROW_GAP + (hasBackEdge ? MARGIN : 0),
    nodeWidth,
    nodes: [...places.values()],
    edges: pairs.map((pair, index) => {
      const lane = pairs.slice(0, index).filter((before) => isLong(before, nodeWidth)).length;
      return placeEdge(pair, { lane, rows, nodeWidth });
    }),
  };
}

function nodeWidthFor(columns: number): number {
  const room = (COMFORT_WIDTH - 2 * MARGIN + COLUMN_GAP) / Math.max(1, columns) - COLUMN_GAP;
  return Math.round(Math.min(NODE_WIDTH.max, Math.max(NODE_WIDTH.min, room)));
}

/** The sentence a screen reader hears instead of the drawing. */
export function describeGraph(name: string, nodes: readonly Node[], edges: readonly Edge[]): string {
  const titles = new Map(nodes.map((node) => [node.stateId, node.title]));
  const ways = edges.map((edge) => {
    const label = edge.label === '' ? '' : ` (${edge.label})`;
    return `${titles.get(edge.from) ?? edge.from} leads to ${titles.get(edge.to) ?? edge.to}${label}`;
  });
  const waiting = nodes.filter((node) => node.mark === 'needs').map((node) => `${node.title} needs you`);
  return [`How ${name} works: ${nodes.length} steps.`, ...[...waiting, ...ways].map((way) => `${way}.`)].join(' ');
}

/**
 * Longest distance from the start along ways that do not come back, so that ordinary edges point to the right. An end
 * has no column of its own: it hangs below the last step that leads to it.
 */
function columnsOf(nodes: readonly Node[], edges: readonly Edge[]): Node[][] {
  const order = visitOrder(nodes, edges);
  const rankOf = new Map(order.map((stateId, index) => [stateId, index]));
  const depth = new Map<string, number>();
  for (const stateId of order) {
    const before = edges
      .filter((edge) => edge.to === stateId && (rankOf.get(edge.from) ?? 0) < (rankOf.get(stateId) ?? 0))
      .flatMap((edge) => depth.get(edge.from) ?? []);
    const isEnd = ENDS.has(nodes.find((node) => node.stateId === stateId)?.type ?? '');
    depth.set(stateId, before.length === 0 ? 0 : Math.max(...before) + (isEnd ? 0 : 1));
  }
  const columns: Node[][] = [];
  for (const isEnd of [false, true]) {
    for (const stateId of order) {
      const node = nodes.find((each) => each.stateId === stateId);
      if (node !== undefined && ENDS.has(node.type) === isEnd) (columns[depth.get(stateId) ?? 0] ??= []).push(node);
    }
  }
  return Array.from(columns, (members) => members ?? []);
}

/** Topological order of what the start reaches (ways that come back are left out), then the rest as written. */
function visitOrder(nodes: readonly Node[], edges: readonly Edge[]): string[] {
  const known = new Set(nodes.map((node) => node.stateId));
  const seen = new Set<string>();
  const finished: string[] = [];
  const visit = (stateId: string): void => {
    if (seen.has(stateId) || !known.has(stateId)) return;
    seen.add(stateId);
    for (const edge of edges.filter((each) => each.from === stateId).toReversed()) visit(edge.to);
    finished.unshift(stateId);
  };
  for (const node of nodes) if (node.isStart) visit(node.stateId);
  return [...finished, ...nodes.map((node) => node.stateId).filter((stateId) => !seen.has(stateId))];
}

interface Pair {
  readonly edge: Edge;
  readonly from: PlacedNode;
  readonly to: PlacedNode;
}

/** What a drawn way has to know of the rest. */
interface Surroundings {
  /** The how-manieth long way this is, so that they do not lie on each other. */
  readonly lane: number;
  readonly rows: number;
  readonly nodeWidth: number;
}

function pairOf(edge: Edge, places: ReadonlyMap<string, PlacedNode>): Pair[] {
  const from = places.get(edge.from);
  const to = places.get(edge.to);
  return from === undefined || to === undefined ? [] : [{ edge, from, to }];
}

function isBackward({ from, to }: Pair): boolean {
  return to.x < from.x || (to.x === from.x && to.y <= from.y);
}

function isLong({ from, to }: Pair, nodeWidth: number): boolean {
  return to.x - from.x > nodeWidth + COLUMN_GAP;
}

function isRoundTheSide({ from, to }: Pair): boolean {
  return from.x === to.x && to.y - from.y > NODE_HEIGHT + ROW_GAP;
}

interface DrawnWay {
  readonly path: string;
  readonly labelX: number;
  readonly labelY: number;
}

function placeEdge(pair: Pair, around: Surroundings): PlacedEdge {
  const { edge } = pair;
  return {
    key: `${edge.from}>${edge.to}>${edge.label}`,
    label: edge.label,
    tone: toneOf(edge.label),
    ...wayOf(pair, around),
  };
}

function wayOf(pair: Pair, around: Surroundings): DrawnWay {
  if (isBackward(pair)) return backwardPath(pair, around);
  if (pair.from.x === pair.to.x) return downwardPath(pair, around);
  return isLong(pair, around.nodeWidth) ? longPath(pair, around) : shortPath(pair, around);
}

/** To an end below: straight down, or round the right side past what lies between. */
function downwardPath(pair: Pair, { nodeWidth }: Surroundings): DrawnWay {
  const { from, to } = pair;
  const x = from.x + nodeWidth / 2;
  const startY = from.y + NODE_HEIGHT;
  if (!isRoundTheSide(pair)) {
    return { path: `M${x} ${startY}V${to.y - 3}`, labelX: x, labelY: to.y - 13 };
  }
  const right = from.x + nodeWidth;
  const midFrom = from.y + NODE_HEIGHT / 2;
  const midTo = to.y + NODE_HEIGHT / 2;
  const side = right + 14;
  return {
    path: `M${right} ${midFrom + 8}H${side - 6}Q${side} ${midFrom + 8} ${side} ${midFrom + 14}V${midTo - 6}Q${side} ${midTo} ${side - 6} ${midTo}H${right + 3}`,
    labelX: side,
    labelY: to.y - 13,
  };
}

/** To the next column: straight, or with one bend in the gap. */
function shortPath({ from, to }: Pair, { nodeWidth }: Surroundings): DrawnWay {
  const startX = from.x + nodeWidth;
  const startY = from.y + NODE_HEIGHT / 2;
  const endX = to.x - 3;
  const endY = to.y + NODE_HEIGHT / 2;
  if (startY === endY) return { path: `M${startX} ${startY}H${endX}`, labelX: (startX + endX) / 2, labelY: startY - 7 };
  const bendX = to.x - COLUMN_GAP / 2;
  return {
    path: `M${startX} ${startY}H${bendX - 8}${corner(bendX, startY, endY)}V${towards(endY, startY)}Q${bendX} ${endY} ${bendX + 8} ${endY}H${endX}`,
    labelX: bendX,
    labelY: (startY + endY) / 2 + 4,
  };
}

/** Further on: down into a lane between the rows, along it, and up or down in the gap before the target. */
function longPath({ from, to }: Pair, { lane, nodeWidth }: Surroundings): DrawnWay {
  const startX = from.x + nodeWidth;
  const startY = from.y + NODE_HEIGHT / 2;
  const endX = to.x - 3;
  const endY = to.y + NODE_HEIGHT / 2;
  const laneY = from.y + NODE_HEIGHT + 12 + (lane % LANES) * LANE_PX;
  const dropX = startX + COLUMN_GAP / 2 - 4;
  const bendX = to.x - COLUMN_GAP / 2 + 4;
  return {
    path:
      `M${startX} ${startY}H${dropX - 8}Q${dropX} ${startY} ${dropX} ${startY + 8}V${laneY - 8}Q${dropX} ${laneY} ${dropX + 8} ${laneY}` +
      `H${bendX - 8}Q${bendX} ${laneY} ${bendX} ${towards(laneY, endY)}V${towards(endY, laneY)}Q${bendX} ${endY} ${bendX + 8} ${endY}H${endX}`,
    labelX: dropX + 36,
    labelY: laneY + 4,
  };
}

/** A way that comes back runs below everything. */
function backwardPath({ from, to }: Pair, { rows, nodeWidth }: Surroundings): DrawnWay {
  const startX = from.x + nodeWidth / 2 + 12;
  const endX = to.x + nodeWidth / 2 - 12;
  const laneY = MARGIN + rows * (NODE_HEIGHT + ROW_GAP) - ROW_GAP + MARGIN;
  return {
    path: `M${startX} ${from.y + NODE_HEIGHT}V${laneY - 8}Q${startX} ${laneY} ${startX - 8} ${laneY}H${endX + 8}Q${endX} ${laneY} ${endX} ${laneY - 8}V${to.y + NODE_HEIGHT + 3}`,
    labelX: (startX + endX) / 2,
    labelY: laneY - 4,
  };
}

function corner(x: number, fromY: number, toY: number): string {
  return `Q${x} ${fromY} ${x} ${towards(fromY, toY)}`;
}

/** Eight units from `y` in the direction of `goal`. */
function towards(y: number, goal: number): number {
  return goal > y ? y + 8 : y - 8;
}

/** The contract names ways by their label: what a person reads decides how it looks. */
function toneOf(label: string): EdgeTone {
  if (/unclear|can.t tell/iu.test(label)) return 'unclear';
  return /fail|not allowed|no answer|error/iu.test(label) ? 'failure' : 'plain';
}
