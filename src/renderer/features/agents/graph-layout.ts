import type { AgentDetailView } from '../../../shared/contract/views.ts';

type Node = AgentDetailView['nodes'][number];
type Edge = AgentDetailView['edges'][number];

export const NODE_WIDTH = 140;
export const NODE_HEIGHT = 42;
const COLUMN_GAP = 44;
const ROW_GAP = 36;
const MARGIN = 20;

/** How an edge is drawn: the ordinary way, the way of a failure, or the way where nobody can tell. */
export type EdgeTone = 'plain' | 'failure' | 'unclear';

export interface PlacedNode {
  readonly node: Node;
  readonly x: number;
  readonly y: number;
}

export interface PlacedEdge {
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
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

/** Places a state graph in columns by distance from the start; what nothing leads to comes last. Pure and stable. */
export function layoutGraph(nodes: readonly Node[], edges: readonly Edge[]): GraphLayout {
  const columns = columnsOf(nodes, edges);
  const places = new Map<string, PlacedNode>();
  for (const [column, members] of columns.entries()) {
    for (const [row, node] of members.entries()) {
      places.set(node.stateId, {
        node,
        x: MARGIN + column * (NODE_WIDTH + COLUMN_GAP),
        y: MARGIN + row * (NODE_HEIGHT + ROW_GAP),
      });
    }
  }
  const rows = Math.max(1, ...columns.map((members) => members.length));
  const hasBackEdge = edges.some((edge) => isBackward(places.get(edge.from), places.get(edge.to)));
  return {
    width: 2 * MARGIN + Math.max(1, columns.length) * (NODE_WIDTH + COLUMN_GAP) - COLUMN_GAP,
    height: 2 * MARGIN + rows * (NODE_HEIGHT + ROW_GAP) - ROW_GAP + (hasBackEdge ? MARGIN : 0),
    nodes: [...places.values()],
    edges: edges.flatMap((edge) => placeEdge(edge, places, rows)),
  };
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

/** Longest distance from the start along ways that do not come back, so that ordinary edges point to the right. */
function columnsOf(nodes: readonly Node[], edges: readonly Edge[]): Node[][] {
  const order = visitOrder(nodes, edges);
  const depth = new Map<string, number>();
  for (const stateId of order) {
    const before = edges
      .filter((edge) => edge.to === stateId && edge.from !== stateId)
      .flatMap((edge) => depth.get(edge.from) ?? []);
    depth.set(stateId, before.length === 0 ? 0 : Math.max(...before) + 1);
  }
  const columns: Node[][] = [];
  for (const stateId of order) {
    const node = nodes.find((each) => each.stateId === stateId);
    const column = depth.get(stateId) ?? 0;
    if (node !== undefined) (columns[column] ??= []).push(node);
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

function isBackward(from: PlacedNode | undefined, to: PlacedNode | undefined): boolean {
  return from !== undefined && to !== undefined && to.x <= from.x;
}

function placeEdge(edge: Edge, places: ReadonlyMap<string, PlacedNode>, rows: number): PlacedEdge[] {
  const from = places.get(edge.from);
  const to = places.get(edge.to);
  if (from === undefined || to === undefined) return [];
  const base = { key: `${edge.from}>${edge.to}>${edge.label}`, label: edge.label, tone: toneOf(edge.label) };
  if (isBackward(from, to)) return [{ ...base, ...backwardPath(from, to, rows) }];
  return [{ ...base, ...forwardPath(from, to) }];
}

/** Straight out, a bend in the gap before the target, straight in; a long way first drops into the lane between rows. */
function forwardPath(from: PlacedNode, to: PlacedNode): { path: string; labelX: number; labelY: number } {
  const startX = from.x + NODE_WIDTH;
  const startY = from.y + NODE_HEIGHT / 2;
  const endX = to.x - 3;
  const endY = to.y + NODE_HEIGHT / 2;
  const isLong = to.x - from.x > NODE_WIDTH + COLUMN_GAP;
  if (!isLong && startY === endY) {
    return { path: `M${startX} ${startY}H${endX}`, labelX: (startX + endX) / 2, labelY: startY - 6 };
  }
  const bendX = to.x - COLUMN_GAP / 2;
  if (!isLong) {
    return {
      path: `M${startX} ${startY}H${bendX - 8}${corner(bendX, startY, endY)}V${towards(endY, startY)}Q${bendX} ${endY} ${bendX + 8} ${endY}H${endX}`,
      labelX: bendX,
      labelY: (startY + endY) / 2 + 4,
    };
  }
  const laneY = from.y + NODE_HEIGHT + ROW_GAP / 2;
  const dropX = startX + COLUMN_GAP / 2;
  return {
    path:
      `M${startX} ${startY}H${dropX - 8}Q${dropX} ${startY} ${dropX} ${startY + 8}V${laneY - 8}Q${dropX} ${laneY} ${dropX + 8} ${laneY}` +
      `H${bendX - 8}Q${bendX} ${laneY} ${bendX} ${towards(laneY, endY)}V${towards(endY, laneY)}Q${bendX} ${endY} ${bendX + 8} ${endY}H${endX}`,
    labelX: dropX + 34,
    labelY: laneY + 4,
  };
}

/** A way that comes back runs below everything. */
function backwardPath(
  from: PlacedNode,
  to: PlacedNode,
  rows: number,
): { path: string; labelX: number; labelY: number } {
  const startX = from.x + NODE_WIDTH / 2 + 12;
  const endX = to.x + NODE_WIDTH / 2 - 12;
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
