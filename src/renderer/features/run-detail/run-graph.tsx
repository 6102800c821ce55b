import type { RunDetailView } from '../../../shared/contract/views.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { StateGraph } from '../../ui/state-graph.tsx';
import { Branchings } from './branchings.tsx';
import { text } from './strings.ts';

/** The states of a run with where it stands in them, then the items and branches that it goes on in. */
export function RunGraph({ view }: { readonly view: RunDetailView }) {
  if (view.nodes.length === 0) return <EmptyState icon="agents" title={text.noGraph} />;
  return (
    <div className="rd-graph scroll grow">
      <StateGraph label={text.graphName} nodes={view.nodes} edges={view.edges} />
      <Branchings view={view} />
    </div>
  );
}
