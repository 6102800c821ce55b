import { useRef, useState } from 'react';
import type { RunDetailView } from '../../../shared/contract/views.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Note } from '../../ui/note.tsx';
import { saveText } from '../../ui/save-text.ts';
import { text } from './strings.ts';

/** Export, pause, resume and stop. Stopping and pausing say exactly what they will do first. */
export function RunActions({ view }: { readonly view: RunDetailView }) {
  const { runId } = view.row;
  const [asking, setAsking] = useState<'stop' | 'pause' | null>(null);
  const [said, setSaid] = useState('');
  const exporting = useAction('runs.export');
  const resuming = useAction('runs.resume');
  const problem = exporting.problem ?? resuming.problem;
  async function exportRun(): Promise<void> {
    const answer = await exporting.run({ runId });
    if (!answer.ok) return;
    saveText(answer.value.fileName, answer.value.text);
    setSaid(text.saved(answer.value.fileName));
  }
  async function resume(): Promise<void> {
    const answer = await resuming.run({ runId });
    if (answer.ok) setSaid(answer.value.sentence);
  }
  return (
    <span className="right flex wrap">
      <output className="t12 ink3">{problem === null ? said : `${problem.message} ${problem.wayOut}`}</output>
      <Button variant="quiet" icon="export" isDisabled={exporting.isBusy} onClick={() => void exportRun()}>
        {text.export}
      </Button>
      {view.canResume && (
        <Button icon="play" isDisabled={resuming.isBusy} onClick={() => void resume()}>
          {text.resume}
        </Button>
      )}
      {view.canPause && (
        <Button icon="pause" onClick={() => setAsking('pause')}>
          {text.pause}
        </Button>
      )}
      {view.canStop && (
        <Button icon="stop" onClick={() => setAsking('stop')}>
          {text.stop}
        </Button>
      )}
      {asking === 'stop' && <StopDialog runId={runId} onClose={() => setAsking(null)} onSaid={setSaid} />}
      {asking === 'pause' && <PauseDialog runId={runId} onClose={() => setAsking(null)} onSaid={setSaid} />}
    </span>
  );
}

interface AskProps {
  readonly runId: string;
  readonly onClose: () => void;
  readonly onSaid: (sentence: string) => void;
}

function StopDialog({ runId, onClose, onSaid }: AskProps) {
  const stopping = useAction('runs.stop');
  const keep = useRef<HTMLButtonElement>(null);
  async function stop(): Promise<void> {
    const answer = await stopping.run({ runId });
    if (!answer.ok) return;
    onSaid(answer.value.sentence);
    onClose();
  }
  return (
    <Dialog
      isOpen
      role="alertdialog"
      title={text.stopTitle}
      onClose={onClose}
      initialFocus={keep}
      actions={
        <>
          <Button ref={keep} onClick={onClose}>
            {text.stopKeep}
          </Button>
          <Button variant="danger" isDisabled={stopping.isBusy} onClick={() => void stop()}>
            {text.stopGo}
          </Button>
        </>
      }
    >
      <p>{text.stopBody}</p>
      <p>{text.stopMore}</p>
      <ProblemNote problem={stopping.problem} />
    </Dialog>
  );
}

function PauseDialog({ runId, onClose, onSaid }: AskProps) {
  const pausing = useAction('runs.pause');
  const keep = useRef<HTMLButtonElement>(null);
  async function pause(): Promise<void> {
    const answer = await pausing.run({ runId });
    if (!answer.ok) return;
    onSaid(answer.value.sentence);
    onClose();
  }
  return (
    <Dialog
      isOpen
      title={text.pauseTitle}
      onClose={onClose}
      initialFocus={keep}
      actions={
        <>
          <Button ref={keep} onClick={onClose}>
            {text.stopKeep}
          </Button>
          <Button variant="primary" isDisabled={pausing.isBusy} onClick={() => void pause()}>
            {text.pauseGo}
          </Button>
        </>
      }
    >
      <p>{text.pauseBody}</p>
      <ProblemNote problem={pausing.problem} />
    </Dialog>
  );
}

function ProblemNote({ problem }: { readonly problem: Problem | null }) {
  if (problem === null) return null;
  return (
    <Note tone="plain" icon="warn" role="alert" title={problem.message} className="rd-note">
      {problem.wayOut}
    </Note>
  );
}
