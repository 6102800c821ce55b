import { useRef, useState } from 'react';
import type { AgentDetailView } from '../../../shared/contract/views.ts';
import { useAction } from '../../state/use-action.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Note } from '../../ui/note.tsx';
import { AskList } from './agent-permission.tsx';
import { ExactPermission } from './exact-permission.tsx';
import { DEFAULT_TERMS, GrantTermsFields, lastsOf } from './grant-terms.tsx';
import type { ChosenTerms } from './grant-terms.tsx';
import { text } from './strings.ts';

/** Shows everything that a permission covers before it is given; given is exactly what was shown. */
export function AuthoriseDialog({ view, onClose }: { readonly view: AgentDetailView; readonly onClose: () => void }) {
  const safe = useRef<HTMLButtonElement>(null);
  const authorise = useAction('agents.authorise');
  const [seenDigest, setSeenDigest] = useState(view.previewDigest);
  const [problem, setProblem] = useState<{ readonly isStale: boolean; readonly sentence: string } | null>(null);
  const [terms, setTerms] = useState(DEFAULT_TERMS);
  const { named, sentence, whyOff } = useTerms(view, terms);
  const hasChanged = seenDigest !== view.previewDigest;
  async function permit(): Promise<void> {
    if (named === null) return;
    // What is on the screen now is what is named; the host turns away anything else.
    setSeenDigest(view.previewDigest);
    const answer = await authorise.run({ agentId: view.agent.agentId, devices: terms.devices, ...named });
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
          <Button
            variant="primary"
            isDisabled={authorise.isBusy || named === null}
            disabledReason={whyOff}
            onClick={() => void permit()}
          >
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
        <GrantTermsFields terms={terms} onChange={setTerms} sentence={sentence} />
        <ExactPermission view={view} />
      </div>
    </Dialog>
  );
}

/** The permission as it would be given with these terms: its digest, its end, and the host's sentence about both. */
function useTerms(
  view: AgentDetailView,
  terms: ChosenTerms,
): {
  readonly named: { readonly previewDigest: string; readonly expiresAtMs: number | null } | null;
  readonly sentence: string;
  readonly whyOff: string;
} {
  const lasts = lastsOf(terms);
  const { agentId } = view.agent;
  const preview = useQuery('agents.preview', { agentId, devices: terms.devices, lasts: lasts ?? { kind: 'always' } });
  if (terms.devices === 'any' && terms.ends === 'never')
    return { named: { previewDigest: view.previewDigest, expiresAtMs: null }, sentence: text.openTerms, whyOff: '' };
  if (lasts === null) return { named: null, sentence: '', whyOff: text.pickDay };
  if (preview.problem !== null) return { named: null, sentence: preview.problem.message, whyOff: '' };
  if (preview.value === null) return { named: null, sentence: '', whyOff: '' };
  const { previewDigest, expiresAtMs, sentence } = preview.value;
  return { named: { previewDigest, expiresAtMs }, sentence, whyOff: '' };
}
