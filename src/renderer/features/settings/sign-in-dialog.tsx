import { useEffect, useRef, useState } from 'react';
import type { SignInBegunView, SignInRow } from '../../../shared/contract/sign-in-views.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Note } from '../../ui/note.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { signInText as text } from './sign-in-strings.ts';

/**
 * Signs in at a tool server: what will happen, then the wait for the answer in the browser. Closing it while it waits calls
 * the waiting off; nothing is opened before the press.
 */
export function SignInDialog(props: {
  readonly row: SignInRow;
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
  readonly onChanged: () => void;
}) {
  const { row, onDone, onChanged } = props;
  const beginning = useAction('signIns.begin');
  const cancelling = useAction('signIns.cancel');
  const [begun, setBegun] = useState<SignInBegunView | null>(null);
  const safe = useRef<HTMLButtonElement>(null);
  // Until the list tells of this try, it tells of what was before.
  const isWaiting = begun !== null && (row.isWaiting || row.attempt !== begun.attempt);
  const isOver = begun !== null && !isWaiting;
  const isIn = isOver && row.standing === 'signed-in';
  useEffect(() => {
    if (isIn) onDone(text.done(row.host));
  }, [isIn, onDone, row.host]);
  async function go(): Promise<void> {
    // The button that was pressed cannot be pressed meanwhile, and is gone afterwards.
    safe.current?.focus();
    setBegun(null);
    const answer = await beginning.run({ address: row.address });
    if (answer.ok) setBegun(answer.value);
    onChanged();
  }
  function close(): void {
    if (beginning.isBusy || isWaiting) void cancelling.run({ address: row.address }).then(onChanged);
    props.onClose();
  }
  // What an earlier try came to says nothing before this one.
  const trouble = beginning.problem ?? (isOver ? row.problem : null);
  return (
    <Dialog
      isOpen
      title={text.inHeading(row.host)}
      onClose={close}
      initialFocus={safe}
      actions={
        <>
          <Button ref={safe} onClick={close}>
            {isWaiting ? text.stop : text.cancel}
          </Button>
          {!isWaiting && (
            <Button variant="primary" isDisabled={beginning.isBusy} onClick={() => void go()}>
              {trouble === null ? text.inGo : text.inAgain}
            </Button>
          )}
        </>
      }
    >
      {isWaiting ? <Waiting begun={begun} /> : <Question row={row} isBusy={beginning.isBusy} />}
      {trouble !== null && (
        <Note tone="plain" icon="warn" role="alert" title={trouble.message} className="se-gap">
          {trouble.wayOut}
        </Note>
      )}
    </Dialog>
  );
}

function Question({ row, isBusy }: { readonly row: SignInRow; readonly isBusy: boolean }) {
  return (
    <>
      <p>{text.inMore}</p>
      <p>
        {text.inKept}{' '}
        <span className="mono se-path">
          <VisibleText text={row.address} />
        </span>
      </p>
      <p>{text.inGrants}</p>
      <output className="t12 ink2">{isBusy ? text.looking : ''}</output>
    </>
  );
}

/** In a browser a person follows the link; the desktop app has opened the page already. */
function Waiting({ begun }: { readonly begun: SignInBegunView }) {
  return (
    <div aria-live="polite">
      <p>
        {begun.page === null ? (
          <VisibleText text={text.opened(begun.host)} />
        ) : (
          <a href={begun.page} target="_blank" rel="noopener noreferrer">
            <VisibleText text={text.open(begun.host)} />
          </a>
        )}
      </p>
      <p>{text.waiting}</p>
    </div>
  );
}
