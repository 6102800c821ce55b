import { useState } from 'react';
import { useLocation } from 'wouter';
import type { AgentDetailView } from '../../../shared/contract/views.ts';
import { useAction } from '../../state/use-action.ts';
import { isPracticeAgent } from '../../state/practice-agent.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { text } from './strings.ts';

/** Starts one run. The request has one id per dialog, so a double press is one run. */
export function RunNowDialog({ view, onClose }: { readonly view: AgentDetailView; readonly onClose: () => void }) {
  const [requestId] = useState(() => crypto.randomUUID());
  const [input, setInput] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(view.input.map((field) => [field.key, field.default])),
  );
  const [said, setSaid] = useState('');
  const start = useAction('runs.start');
  const [, navigate] = useLocation();
  async function go(): Promise<void> {
    const answer = await start.run({ agentId: view.agent.agentId, requestId, input: { ...input } });
    if (answer.ok) {
      onClose();
      navigate(`/runs/${encodeURIComponent(answer.value.runId)}`);
    } else setSaid(`${answer.error.message} ${answer.error.wayOut}`.trim());
  }
  return (
    <Dialog
      isOpen
      title={text.runHeading(view.agent.name)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{text.dontRun}</Button>
          <Button variant="primary" isDisabled={start.isBusy} onClick={() => void go()}>
            {start.isBusy ? text.starting : text.runGo}
          </Button>
        </>
      }
    >
      <div className="ag-form">
        <p className="ink2">{view.input.length === 0 ? text.runNoInput : text.runLead}</p>
        {view.input.map((field) => (
          <label key={field.key} className="ag-field">
            <span>{field.title}</span>
            <textarea
              rows={field.default.includes('\n') ? 4 : 1}
              spellCheck={false}
              maxLength={65_536}
              value={input[field.key] ?? ''}
              onChange={(event) => setInput({ ...input, [field.key]: event.target.value })}
            />
            {field.description !== '' && <small>{field.description}</small>}
          </label>
        ))}
        {isPracticeAgent(view.agent) && <p className="ink2">{text.runPractice}</p>}
        <output>{said}</output>
      </div>
    </Dialog>
  );
}
