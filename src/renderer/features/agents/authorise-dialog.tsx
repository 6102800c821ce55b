import { useRef, useState } from 'react';
import type { AgentDetailView } from '../../../shared/contract/views.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Note } from '../../ui/note.tsx';
import { AskList } from './agent-permission.tsx';
import { ExactPermission } from './exact-permission.tsx';
import { text } from './strings.ts';

/** Shows everything that a permission covers before it is given; given is exactly what was shown. */
export function AuthoriseDialog({ view, onClose }: { readonly view: AgentDetailView; readonly onClose: () => void }) {
  const safe = useRef<HTMLButtonElement>(null);
  const authorise = useAction('agents.authorise');
  const [seenDigest, setSeenDigest] = useState(view.previewDigest);
  const [problem, setProblem] = useState<{ readonly isStale: boolean; readonly sentence: string } | null>(null);
  const hasChanged = seenDigest !== view.previewDigest;
  async function permit(): Promise<void> {
    // What is on the screen now is what is named; the host turns away anything else.
    setSeenDigest(view.previewDigest);
    const answer = await authorise.run({ agentId: view.agent.agentId, previewDigest: view.previewDigest });
    if (answer.ok) {
      onClose();
      return;
    }
    const isStale = answer.error.code === 'grant-stale' || answer.error.code === 'changed';
    setProblem({ isStale, sentence: `${answer.error.message} ${answer.error.wayOut}`.trim() });
  }
  const isStale = hasChanged || problem?.isStale === true;
  return (
    <Dialog
      isOpen
      width="wide"
      initialFocus={safe}
      title={text.authoriseHeading(view.agent.name)}
      onClose={onClose}
      actions={
        <>
          <Button ref={safe} onClick={onClose}>
            {text.dontPermit}
          </Button>
          <Button variant="primary" isDisabled={authorise.isBusy} onClick={() => void permit()}>
            {text.permit}
          </Button>
        </>
      }
    >
      <div className="ag-form">
        <p className="ink2">{text.authoriseLead}</p>
        <div>
          <output className="ag-said">
            {isStale && (
              <Note tone="needs" icon="warn">
                <b className="strong">{text.staleTitle}</b> {text.stale}
              </Note>
            )}
            {!isStale && problem !== null && <p>{problem.sentence}</p>}
          </output>
          <AskList asks={view.asks} />
        </div>
        <ExactPermission view={view} />
      </div>
    </Dialog>
  );
}
