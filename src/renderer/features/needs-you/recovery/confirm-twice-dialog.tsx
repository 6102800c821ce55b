import { useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { text } from './strings.ts';

/** The second, typed confirmation: only where a repeat can neither be checked nor undone. Closing it decides nothing. */
export function ConfirmTwiceDialog(props: {
  readonly title: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const isTyped = typed.trim().toLowerCase() === text.confirmWord;
  return (
    <Dialog
      isOpen
      role="alertdialog"
      initialFocus={field}
      title={text.confirmHeading}
      onClose={props.onClose}
      actions={
        <>
          <Button onClick={props.onClose}>{text.confirmBack}</Button>
          <Button variant="danger" isDisabled={!isTyped} onClick={props.onConfirm}>
            {text.confirmGo}
          </Button>
        </>
      }
    >
      <div className="rc-dialog">
        <p>{text.confirmWhy(props.title)}</p>
        <label>
          <span className="t12 medium">{text.confirmLabel(text.confirmWord)}</span>
          <input
            ref={field}
            className="nq-input"
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
      </div>
    </Dialog>
  );
}
