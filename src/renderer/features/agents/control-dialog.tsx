import { useRef } from 'react';
import { useAction } from '../../state/use-action.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Note } from '../../ui/note.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { text } from './control-strings.ts';

/** What stopping or pausing an agent will and will not do, as the host says it now, before it is done. */
export function ControlDialog(props: {
  readonly asks: 'stop' | 'pause';
  readonly agentId: string;
  readonly name: string;
  readonly onClose: () => void;
  readonly onSaid: (sentence: string) => void;
}) {
  const { asks, agentId, name, onClose } = props;
  const { value: view } = useQuery('control.get', { agentId });
  const action = useAction(asks === 'stop' ? 'control.stop' : 'control.pause');
  const safe = useRef<HTMLButtonElement>(null);
  async function go(): Promise<void> {
    const answer = await action.run({ agentId });
    if (!answer.ok) return;
    props.onSaid(answer.value.sentence);
    onClose();
  }
  return (
    <Dialog
      isOpen
      role={asks === 'stop' ? 'alertdialog' : 'dialog'}
      title={asks === 'stop' ? text.stopHeading(name) : text.pauseHeading(name)}
      onClose={onClose}
      initialFocus={safe}
      actions={
        <>
          <Button ref={safe} onClick={onClose}>
            {text.keep}
          </Button>
          <Button variant={asks === 'stop' ? 'danger' : 'primary'} isDisabled={action.isBusy} onClick={() => void go()}>
            {asks === 'stop' ? text.stopGo : text.pauseGo}
          </Button>
        </>
      }
    >
      <Sentences sentences={view === null ? [text.loading] : view[asks]} />
      {action.problem !== null && (
        <Note tone="plain" icon="warn" role="alert" title={action.problem.message}>
          {action.problem.wayOut}
        </Note>
      )}
    </Dialog>
  );
}

/** The host's sentences, one to a line. Titles in them come from agents, so nothing in them is markup. */
export function Sentences({ sentences }: { readonly sentences: readonly string[] }) {
  return sentences.map((sentence) => (
    <p key={sentence}>
      <VisibleText text={sentence} />
    </p>
  ));
}
