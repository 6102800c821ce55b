import { useRef } from 'react';
import type { SignInRow } from '../../../shared/contract/sign-in-views.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Note } from '../../ui/note.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { signInText as text } from './sign-in-strings.ts';

/** Asks before this device signs out: calls that need it are refused from then on. */
export function SignOutDialog(props: {
  readonly row: SignInRow;
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const { row, onClose } = props;
  const ending = useAction('signIns.end');
  const safe = useRef<HTMLButtonElement>(null);
  async function go(): Promise<void> {
    const answer = await ending.run({ address: row.address });
    if (answer.ok) props.onDone(answer.value.sentence);
  }
  return (
    <Dialog
      isOpen
      role="alertdialog"
      title={text.outHeading(row.host)}
      onClose={onClose}
      initialFocus={safe}
      actions={
        <>
          <Button ref={safe} onClick={onClose}>
            {text.stay}
          </Button>
          <Button variant="danger" isDisabled={ending.isBusy} onClick={() => void go()}>
            {text.outGo}
          </Button>
        </>
      }
    >
      <p>{text.outMore}</p>
      <p>
        <VisibleText text={text.outUse(row.agents.map((agent) => agent.name))} />
      </p>
      {ending.problem !== null && (
        <Note tone="bad" role="alert" title={ending.problem.message}>
          {ending.problem.wayOut}
        </Note>
      )}
    </Dialog>
  );
}
