import { useRef, useState } from 'react';
import type { AgentDetailView } from '../../../shared/contract/views.ts';
import { Button } from '../../ui/button.tsx';
import { SourceChanges } from './source-changes.tsx';
import { ProblemList, SourceEditor } from './source-editor.tsx';
import { text } from './strings.ts';
import { useSaveAgent } from './use-save-agent.ts';

/** The file of an agent, to read and to change. Saving makes a version that needs its own permission. */
export function AgentSource({ view, onSaved }: { readonly view: AgentDetailView; readonly onSaved: () => void }) {
  const [source, setSource] = useState(view.source);
  const field = useRef<HTMLTextAreaElement>(null);
  const saving = useSaveAgent();
  const [isComparing, setIsComparing] = useState(false);
  const isSaved = source === view.source;
  async function save(): Promise<void> {
    const isJson = source.trimStart().startsWith('{');
    const agentId = await saving.save(`${view.agent.agentId}.${isJson ? 'json' : 'yaml'}`, source);
    if (agentId !== null) onSaved();
  }
  return (
    <section className="ag-editor" aria-label={text.source}>
      <SourceEditor
        label={text.sourceOf(view.agent.name)}
        source={source}
        problems={saving.problems}
        field={field}
        onChange={setSource}
      />
      {saving.problems.length > 0 && <ProblemList problems={saving.problems} source={source} field={field} />}
      {isComparing && (
        <SourceChanges
          agentId={view.agent.agentId}
          source={source}
          revisionDigest={view.revisionDigest}
          isSaved={isSaved}
        />
      )}
      <div className="bar-row">
        <output className="t12 ink2 grow">
          {saving.failure !== '' && saving.failure}
          {saving.problems.length > 0 && text.problems(saving.problems.length)}
          {saving.failure === '' && saving.problems.length === 0 && text.sourceHint}
        </output>
        <Button isExpanded={isComparing} onClick={() => setIsComparing(!isComparing)}>
          {text.showChanges}
        </Button>
        <Button
          variant="primary"
          isDisabled={saving.isBusy}
          disabledReason={isSaved ? text.unchanged : ''}
          onClick={() => void save()}
        >
          {text.save}
        </Button>
      </div>
    </section>
  );
}
