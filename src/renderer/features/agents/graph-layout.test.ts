import { describe, expect, it } from 'vitest';
import type { AgentDetailView } from '../../../shared/contract/views.ts';
import { describeGraph, layoutGraph, NODE_HEIGHT } from './graph-layout.ts';

type Node = AgentDetailView['nodes'][number];

function node(stateId: string, more: Partial<Node> = {}): Node {
  return { stateId, type: 'tool', title: stateId, note: '', isStart: false, mark: 'none', ...more };
}

const nodes = [
  node('ask', { isStart: true }),
  node('post'),
  node('done', { type: 'done' }),
  node('stop', { type: 'fail' }),
];
const edges = [
  { from: 'ask', to: 'post', label: '' },
  { from: 'ask', to: 'stop', label: 'not allowed' },
  { from: 'post', to: 'done', label: '' },
  { from: 'post', to: 'stop', label: "can't tell" },
];

describe('layoutGraph', () => {
  it('draws every ordinary way from left to right', () => {
    const layout = layoutGraph(nodes, edges);
    const xOf = (stateId: string) => layout.nodes.find((each) => each.node.stateId === stateId)?.x ?? -1;
    expect(xOf('post')).toBeGreaterThan(xOf('ask'));
    for (const edge of edges) expect(xOf(edge.to)).toBeGreaterThanOrEqual(xOf(edge.from));
  });

  it('never lays one step over another', () => {
    const wide = [node('s', { isStart: true }), ...Array.from({ length: 9 }, (_, index) => node(`n${index}`))];
    const layout = layoutGraph(
      wide,
      wide.slice(1).map((each) => ({ from: 's', to: each.stateId, label: '' })),
    );
    for (const one of layout.nodes) {
      for (const other of layout.nodes) {
        if (one === other) continue;
        expect(Math.abs(one.x - other.x) >= layout.nodeWidth || Math.abs(one.y - other.y) >= NODE_HEIGHT).toBe(true);
      }
      expect(one.x + layout.nodeWidth).toBeLessThanOrEqual(layout.width);
      expect(one.y + NODE_HEIGHT).toBeLessThanOrEqual(layout.height);
    }
  });

  it('ends on loops, on a step that leads to itself and on steps that nothing reaches', () => {
    const loop = [node('a', { isStart: true }), node('b'), node('lost')];
    const layout = layoutGraph(loop, [
      { from: 'a', to: 'b', label: '' },
      { from: 'b', to: 'a', label: 'again' },
      { from: 'b', to: 'b', label: 'fails' },
    ]);
    expect(layout.nodes).toHaveLength(3);
    expect(layout.edges).toHaveLength(3);
  });

  it('leaves out a way to a step that is not there', () => {
    expect(layoutGraph([node('a', { isStart: true })], [{ from: 'a', to: 'gone', label: '' }]).edges).toEqual([]);
  });

  it('tells the way of a failure and of the unknown from the ordinary one', () => {
    expect(layoutGraph(nodes, edges).edges.map((edge) => edge.tone)).toEqual(['plain', 'failure', 'plain', 'unclear']);
  });

  it('hangs an end below the last step that leads to it, and not on it', () => {
    const layout = layoutGraph(nodes, edges);
    const at = (stateId: string) => layout.nodes.find((each) => each.node.stateId === stateId);
    expect(at('stop')?.x).toBe(at('post')?.x);
    expect(at('stop')?.y).toBeGreaterThan(at('post')?.y ?? Infinity);
  });

  it('has room for an empty graph', () => {
    expect(layoutGraph([], []).width).toBeGreaterThan(0);
  });
});

describe('describeGraph', () => {
  it('says which step waits for a person, for those who do not see the drawing', () => {
    const text = describeGraph('Report', [node('a', { title: 'Send', mark: 'needs' })], []);
    expect(text).toContain('Send needs you.');
  });
});
