import type { AgentDetailView } from '../../../shared/contract/views.ts';
import { StateGraph } from '../../ui/state-graph.tsx';
import { text } from './strings.ts';

/** How an agent works. */
export function AgentGraph({ view }: { readonly view: AgentDetailView }) {
  return <StateGraph label={text.graphName} nodes={view.nodes} edges={view.edges} />;
}
