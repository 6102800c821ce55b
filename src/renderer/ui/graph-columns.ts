import type { GraphEdge } from '../../shared/contract/run-views.ts';
import type { GraphNode } from '../../shared/contract/views.ts';

const ENDS: ReadonlySet<string> = new Set(['done', 'fail']);

/**
 * The states in columns, by the longest distance from the start along ways that do not come back, so that ordinary ways
 * point to the right. An end has no column of its own: it hangs below the last step that leads to it. What nothing leads
 * to comes last. Pure and stable.
 */
export function columnsOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): GraphNode[][] {
  const byId = new Map(nodes.map((node) => [node.stateId, node]));
  const before = predecessorsOf(edges);
  const order = visitOrder(nodes, edges);
  const rankOf = new Map(order.map((stateId, index) => [stateId, index]));
  const depth = new Map<string, number>();
  for (const stateId of order) {
    const earlier = (before.get(stateId) ?? [])
      .filter((from) => (rankOf.get(from) ?? Infinity) < (rankOf.get(stateId) ?? 0))
      .flatMap((from) => depth.get(from) ?? []);
    const isEnd = ENDS.has(byId.get(stateId)?.type ?? '');
    depth.set(stateId, earlier.length === 0 ? 0 : Math.max(...earlier) + (isEnd ? 0 : 1));
  }
  const columns: GraphNode[][] = [];
  for (const isEnd of [false, true]) {
    for (const stateId of order) {
      const node = byId.get(stateId);
      if (node !== undefined && ENDS.has(node.type) === isEnd) (columns[depth.get(stateId) ?? 0] ??= []).push(node);
    }
  }
  return untangled(
    Array.from(columns, (members) => members ?? []),
    before,
  );
}

/** Puts the steps of a column in the order of what leads to them, so that fewer ways cross. Ends stay below. */
function untangled(columns: readonly GraphNode[][], before: ReadonlyMap<string, readonly string[]>): GraphNode[][] {
  const rows = new Map<string, number>();
  return columns.map((members) => {
    const placed = members.map((node, index) => {
      const known = (before.get(node.stateId) ?? []).flatMap((from) => rows.get(from) ?? []);
      const mean = known.length === 0 ? index : known.reduce((sum, row) => sum + row, 0) / known.length;
      return { node, index, place: ENDS.has(node.type) ? Infinity : mean };
    });
    const sorted = placed
      .toSorted((one, other) => (one.place === other.place ? one.index - other.index : one.place - other.place))
      .map(({ node }) => node);
    for (const [row, node] of sorted.entries()) rows.set(node.stateId, row);
    return sorted;
  });
}

function predecessorsOf(edges: readonly GraphEdge[]): ReadonlyMap<string, readonly string[]> {
  const before = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const known = before.get(to);
    if (known === undefined) before.set(to, [from]);
    else known.push(from);
  }
  return before;
}

/** Topological order of what the start reaches (ways that come back are left out), then the rest as written. */
function visitOrder(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): string[] {
  const after = new Map<string, string[]>(nodes.map((node) => [node.stateId, []]));
  for (const { from, to } of edges) after.get(from)?.push(to);
  const seen = new Set<string>();
  const finished: string[] = [];
  const visit = (stateId: string): void => {
    const next = after.get(stateId);
    if (next === undefined || seen.has(stateId)) return;
    seen.add(stateId);
    for (const to of next.toReversed()) visit(to);
    finished.push(stateId);
  };
  for (const node of nodes) if (node.isStart) visit(node.stateId);
  return [...finished.toReversed(), ...nodes.map((node) => node.stateId).filter((stateId) => !seen.has(stateId))];
}
