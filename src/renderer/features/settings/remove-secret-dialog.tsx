import { useRef } from 'react';
import type { KeptSecretRow } from '../../../shared/contract/secret-views.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Note } from '../../ui/note.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { secretText as text } from './secret-strings.ts';

/** Asks before a secret goes: its value cannot be had back from here. */
export function RemoveSecretDialog(props: {
  readonly row: KeptSecretRow;
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const { row, onClose } = props;
  const removing = useAction('secrets.remove');
  const safe = useRef<HTMLButtonElement>(null);
  async function go(): Promise<void> {
    const answer = await removing.run({ name: row.name });
    if (answer.ok) props.onDone(answer.value.sentence);
  }
  return (
    <Dialog
      isOpen
      role="alertdialog"
      title={text.removeHeading(row.name)}
      onClose={onClose}
      initialFocus={safe}
      actions={
        <>
          <Button ref={safe} onClick={onClose}>
            {text.keep}
          </Button>
          <Button variant="danger" isDisabled={removing.isBusy} onClick={() => void go()}>
            {text.removeGo}
          </Button>
        </>
      }
    >
      <p>{text.removeMore}</p>
      <p>
        <VisibleText text={text.removeUse(row.agents.map((agent) => agent.name))} />
      </p>
      {removing.problem !== null && (
        <Note tone="bad" role="alert" title={removing.problem.message}>
          {removing.problem.wayOut}
        </Note>
      )}
    </Dialog>
  );
}
