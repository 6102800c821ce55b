import { useRef } from 'react';
import { useAction } from '../../../state/use-action.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Note } from '../../../ui/note.tsx';
import { restoreText as text } from './strings.ts';

/** A person says that a server that came back older is the one that counts. */
export function RestoreDialog(props: { readonly onClose: () => void; readonly onDone: (sentence: string) => void }) {
  const confirming = useAction('coordinator.confirmRestore');
  const safe = useRef<HTMLButtonElement>(null);
  async function go(): Promise<void> {
    const answer = await confirming.run({});
    if (answer.ok) props.onDone(answer.value.sentence);
  }
  return (
    <Dialog
      isOpen
      role="alertdialog"
      title={text.heading}
      onClose={props.onClose}
      initialFocus={safe}
      actions={
        <>
          <Button ref={safe} onClick={props.onClose}>
            {text.leave}
          </Button>
          <Button variant="danger" isDisabled={confirming.isBusy} onClick={() => void go()}>
            {text.go}
          </Button>
        </>
      }
    >
      <p>{text.fact}</p>
      <p>{text.meaning}</p>
      <p>{text.does}</p>
      <p className="strong ink">{text.check}</p>
      {confirming.problem !== null && (
        <Note tone="plain" icon="warn" role="alert" title={confirming.problem.message} className="co-gap">
          {confirming.problem.wayOut}
        </Note>
      )}
    </Dialog>
  );
}
