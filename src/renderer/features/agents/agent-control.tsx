import { useState } from 'react';
import type { AgentDetailView } from '../../../shared/contract/views.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { ControlDialog } from './control-dialog.tsx';
import { text } from './control-strings.ts';
import './agent-control.css';

/** Pause, resume and stop of one agent, and how far a pause has got. */
export function AgentControl({
  view,
  when,
}: {
  readonly view: AgentDetailView;
  readonly when: (ms: number) => string;
}) {
  const [asks, setAsks] = useState<'stop' | 'pause' | null>(null);
  const [said, setSaid] = useState('');
  const resume = useAction('control.resume');
  const { hold, agent } = view;
  const { agentId, name } = agent;
  async function go(): Promise<void> {
    const answer = await resume.run({ agentId });
    setSaid(answer.ok ? answer.value.sentence : `${answer.error.message} ${answer.error.wayOut}`.trim());
  }
  return (
    <>
      {hold === null ? (
        <Button size="small" icon="pause" onClick={() => setAsks('pause')}>
          {text.pause}
        </Button>
      ) : (
        <Button size="small" icon="play" isDisabled={resume.isBusy} onClick={() => void go()}>
          {text.resume}
        </Button>
      )}
      <Button size="small" icon="stop" onClick={() => setAsks('stop')}>
        {text.stop}
      </Button>
      <output className="t12 ink3 ag-held">
        {hold === null ? said : <VisibleText text={text.held[hold.state](hold.by, when(hold.sinceMs))} />}
      </output>
      {asks !== null && (
        <ControlDialog asks={asks} agentId={agentId} name={name} onClose={() => setAsks(null)} onSaid={setSaid} />
      )}
    </>
  );
}
