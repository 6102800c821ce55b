import { describe, expect, it } from 'vitest';
import type { GraphEdge } from '../../shared/contract/run-views.ts';
import type { GraphNode } from '../../shared/contract/views.ts';
import { layoutGraph, NODE_HEIGHT } from './graph-layout.ts';
import type { GraphLayout } from './graph-layout.ts';
import { describeStates } from './graph-words.ts';

function node(stateId: string, more: Partial<GraphNode> = {}): GraphNode {
  return { stateId, type: 'tool', title: stateId, note: '', isStart: false, mark: 'none', ...more };
}

function way(from: string, to: string, label = '', kind: GraphEdge['kind'] = 'success'): GraphEdge {
  return { from, to, label, kind };
}

const nodes = [
  node('ask', { isStart: true }),
  node('post'),
  node('done', { type: 'done' }),
  node('stop', { type: 'fail' }),
];
const edges = [
  way('ask', 'post'),
  way('ask', 'stop', 'not allowed', 'failure'),
  way('post', 'done'),
  way('post', 'stop', 'unclear', 'unclear'),
];

/** Forty states: a fork of four branches with a loop in one, a join, and a chain with ways back and past. */
function large(): { nodes: GraphNode[]; edges: GraphEdge[] } {
  const names = Array.from({ length: 16 }, (_, index) => `b${index}`);
  const chain = Array.from({ length: 19 }, (_, index) => `c${index}`);
  const ways = [
    way('start', 'fork'),
    ...[0, 4, 8, 12].map((first) => way('fork', `b${first}`, `branch ${first}`, 'branch')),
    ...names.map((name, index) => way(name, index % 4 === 3 ? 'join' : `b${index + 1}`, 'success')),
    way('b6', 'b4', 'failure (transient)', 'failure'),
    way('b9', 'b9', 'failure', 'failure'),
    way('join', 'c0', 'arrived'),
    way('join', 'bad', 'too few arrived', 'failure'),
    ...chain.slice(1).map((name, index) => way(`c${index}`, name, 'success')),
    ...chain.map((name) => way(name, 'bad', 'failure', 'failure')),
    way('c4', 'c1', 'again', 'failure'),
    way('c2', 'c9', 'steps.c2.output.status == 204'),
    way('c3', 'c7', 'skip'),
    way('c18', 'over'),
  ];
  return {
    nodes: [
      node('start', { isStart: true }),
      node('fork', { type: 'fork' }),
      ...names.map((name) => node(name)),
      node('join', { type: 'join' }),
      ...chain.map((name) => node(name)),
      node('over', { type: 'done' }),
      node('bad', { type: 'fail' }),
    ],
    edges: ways,
  };
}

/** The straight pieces of a path; its round corners lie inside of them. */
function piecesOf(path: string): { x1: number; y1: number; x2: number; y2: number }[] {
  const points = [...path.matchAll(/[MLQ ]?(-?[\d.]+) (-?[\d.]+)/gu)].map((found) => [
    Number(found[1]),
    Number(found[2]),
  ]);
  return points.slice(1).map(([x2 = 0, y2 = 0], index) => {
    const [x1 = 0, y1 = 0] = points[index] ?? [];
    return { x1, y1, x2, y2 };
  });
}

function crossings(layout: GraphLayout): string[] {
  return layout.edges.flatMap(({ key, path }) =>
    piecesOf(path).flatMap(({ x1, y1, x2, y2 }) =>
      layout.nodes
        .filter(
          ({ x, y }) =>
            Math.max(x1, x2) > x + 4 &&
            Math.min(x1, x2) < x + layout.nodeWidth - 4 &&
            Math.max(y1, y2) > y + 4 &&
            Math.min(y1, y2) < y + NODE_HEIGHT - 4,
        )
        .map(({ node: crossed }) => `${key} crosses ${crossed.stateId}`),
    ),
  );
}

describe('the drawing of a graph', () => {
  it('draws an ordinary way from right to left', () => {
    const layout = layoutGraph(nodes, edges);
    const xOf = (stateId: string) => layout.nodes.find((each) => each.node.stateId === stateId)?.x ?? -1;
    expect(xOf('post')).toBeGreaterThan(xOf('ask'));
    for (const edge of edges) expect(xOf(edge.to)).toBeGreaterThanOrEqual(xOf(edge.from));
  });

  it('lays one step over another, or outside of the drawing', () => {
    const { nodes: many, edges: ways } = large();
    expect(many).toHaveLength(40);
    const layout = layoutGraph(many, ways);
    for (const one of layout.nodes) {
      for (const other of layout.nodes) {
        if (one === other) continue;
        expect(Math.abs(one.x - other.x) >= layout.nodeWidth || Math.abs(one.y - other.y) >= NODE_HEIGHT).toBe(true);
      }
      expect(one.x + layout.nodeWidth).toBeLessThanOrEqual(layout.width);
      expect(one.y + NODE_HEIGHT).toBeLessThanOrEqual(layout.height);
    }
    for (const { path } of layout.edges) {
      for (const { x2, y2 } of piecesOf(path)) {
        expect(x2).toBeGreaterThanOrEqual(0);
        expect(x2).toBeLessThanOrEqual(layout.width);
        expect(y2).toBeLessThanOrEqual(layout.height);
      }
    }
  });

  it('leads a way through a state that has nothing to do with it', () => {
    const { nodes: many, edges: ways } = large();
    expect(crossings(layoutGraph(many, ways))).toEqual([]);
  });

  it('never ends on loops, on a step that leads to itself or on steps that nothing reaches', () => {
    const loop = [node('a', { isStart: true }), node('b'), node('lost')];
    const layout = layoutGraph(loop, [way('a', 'b'), way('b', 'a', 'again'), way('b', 'b', 'fails')]);
    expect(layout.nodes).toHaveLength(3);
    expect(layout.edges).toHaveLength(3);
    expect(crossings(layout)).toEqual([]);
  });

  it('draws a way to a step that is not there', () => {
    expect(layoutGraph([node('a', { isStart: true })], [way('a', 'gone')]).edges).toEqual([]);
  });

  it('draws a failure and the unknown like the ordinary way, or two ways to one place over each other', () => {
    expect(layoutGraph(nodes, edges).edges.map((edge) => edge.tone)).toEqual(['plain', 'failure', 'plain', 'unclear']);
    const both = layoutGraph(nodes, [
      way('ask', 'stop', 'failure', 'failure'),
      way('ask', 'stop', 'unclear', 'unclear'),
    ]);
    expect(both.edges.map((edge) => edge.label)).toEqual(['failure or unclear']);
  });

  it('lays the words of two ways into one state over each other', () => {
    const two = [node('a', { isStart: true }), node('b'), node('c'), node('over', { type: 'done' })];
    const { edges: drawn } = layoutGraph(two, [
      way('a', 'b', 'one'),
      way('a', 'c', 'two'),
      way('b', 'over', 'success'),
      way('c', 'over', 'failure', 'failure'),
      way('a', 'over', 'not allowed', 'failure'),
    ]);
    for (const one of drawn)
      for (const other of drawn)
        if (one !== other && Math.abs(one.labelX - other.labelX) < 30)
          expect(Math.abs(one.labelY - other.labelY)).toBeGreaterThan(10);
  });

  it('hangs an end on a step instead of below the last one that leads to it', () => {
    const layout = layoutGraph(nodes, edges);
    const at = (stateId: string) => layout.nodes.find((each) => each.node.stateId === stateId);
    expect(at('stop')?.x).toBe(at('post')?.x);
    expect(at('stop')?.y).toBeGreaterThan(at('post')?.y ?? Infinity);
  });

  it('has no room for an empty graph', () => {
    expect(layoutGraph([], []).width).toBeGreaterThan(0);
  });
});

describe('the words for those who do not see it', () => {
  it('do not say how a state stands, or where it leads', () => {
    const [ask, post] = describeStates(
      [
        node('ask', { title: 'Ask', isStart: true, standingText: 'Needs you: approve' }),
        node('post', { mark: 'needs' }),
      ],
      [way('ask', 'post', 'allowed')],
    );
    expect(ask).toBe('Ask: Starts here, Needs you: approve. Leads to post (allowed).');
    expect(post).toBe('post: Needs you.');
  });
});
