import type { GraphEdge } from '../../shared/contract/run-views.ts';
import type { GraphNode } from '../../shared/contract/views.ts';

/** One sentence or two for each state, for those who do not see the drawing: how it stands and where it leads. */
export function describeStates(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): string[] {
  const titles = new Map(nodes.map((node) => [node.stateId, node.title]));
  const ways = new Map<string, string[]>();
  for (const { from, to, label } of edges) {
    const way = label === '' ? (titles.get(to) ?? to) : `${titles.get(to) ?? to} (${label})`;
    ways.set(from, [...(ways.get(from) ?? []), way]);
  }
  return nodes.map((node) => {
    const stands =
      node.standingText ?? (node.mark === 'needs' ? 'Needs you' : node.mark === 'running' ? 'Running' : '');
    const facts = [node.isStart ? 'Starts here' : '', node.note, stands].filter((fact) => fact !== '').join(', ');
    const leads = ways.get(node.stateId);
    return `${node.title}: ${facts}.${leads === undefined ? '' : ` Leads to ${leads.join(', ')}.`}`;
  });
}
