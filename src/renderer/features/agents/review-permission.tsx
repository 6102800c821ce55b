import { useState } from 'react';
import { Redirect } from 'wouter';
import type { AgentDetailView } from '../../../shared/contract/views.ts';
import { useQuery } from '../../state/use-query.ts';
import { AuthoriseDialog } from './authorise-dialog.tsx';
import { ExactPermissionDialog } from './exact-permission.tsx';

/** What an agent asks for, above whichever screen led here. Where that can't be read, its own screen says why. */
export function ReviewPermission(props: { readonly agentId: string; readonly onClose: () => void }) {
  const { agentId, onClose } = props;
  const { value: view, problem } = useQuery('agents.get', { agentId });
  if (view !== null) return <Review view={view} onClose={onClose} />;
  return problem === null ? null : <Redirect to={`/agents/${encodeURIComponent(agentId)}`} />;
}

function Review({ view, onClose }: { readonly view: AgentDetailView; readonly onClose: () => void }) {
  // As it was when it was opened: given in this dialog, it stays the same one until it is closed.
  const [isGiven] = useState(view.grant?.isInForce === true);
  return isGiven ? (
    <ExactPermissionDialog view={view} onClose={onClose} />
  ) : (
    <AuthoriseDialog view={view} onClose={onClose} />
  );
}
