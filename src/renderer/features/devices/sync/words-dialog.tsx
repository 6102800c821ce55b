import { useEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import type { RecoveryWordsView } from '../../../../shared/contract/sync-views.ts';
import { useAction } from '../../../state/use-action.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Note } from '../../../ui/note.tsx';
import { RecoverySheet } from './recovery-sheet.tsx';
import { wordsText as text } from './strings.ts';

/** The recovery words, to be written down or printed; then the offer to forget them here. Closing decides nothing. */
export function WordsDialog(props: {
  /** The words as they were just made; empty to fetch them. */
  readonly words: readonly string[];
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const { onClose } = props;
  const fetching = useAction('sync.words');
  const forgetting = useAction('sync.forgetWords');
  const [view, setView] = useState<RecoveryWordsView | null>(null);
  const [isWritten, setIsWritten] = useState(false);
  const safe = useRef<HTMLButtonElement>(null);
  const { run } = fetching;
  useEffect(() => {
    let isGone = false;
    // Not as a query: what is secret is kept only as long as it is shown.
    void run({}).then((answer) => {
      if (!isGone && answer.ok) setView(answer.value);
    });
    return () => {
      isGone = true;
    };
  }, [run]);
  useEffect(() => {
    if (isWritten) safe.current?.focus();
  }, [isWritten]);
  const words = view?.words ?? props.words;
  async function forget(): Promise<void> {
    const forgotten = await forgetting.run({});
    if (forgotten.ok) props.onDone(forgotten.value.sentence);
  }
  const problem = forgetting.problem ?? (words.length === 0 ? fetching.problem : null);
  return (
    <Dialog
      isOpen
      width="wide"
      title={isWritten ? text.forgetHeading : text.heading}
      onClose={onClose}
      initialFocus={safe}
      actions={
        <Actions
          isWritten={isWritten}
          isBusy={forgetting.isBusy}
          hasWords={words.length > 0}
          safe={safe}
          onPrint={view === null ? null : () => window.print()}
          onWritten={() => setIsWritten(true)}
          onForget={() => void forget()}
          onClose={onClose}
        />
      }
    >
      {isWritten ? (
        <>
          <p className="ink">{text.forgetLead}</p>
          <p>{text.forgetMore}</p>
        </>
      ) : (
        <Words words={words} spaceName={view?.spaceName ?? ''} />
      )}
      {view !== null && !isWritten && <RecoverySheet words={view.words} spaceName={view.spaceName} />}
      {problem !== null && (
        <Note tone="plain" icon="warn" role="alert" title={problem.message} className="dv-gap">
          {problem.wayOut}
        </Note>
      )}
    </Dialog>
  );
}

function Words({ words, spaceName }: { readonly words: readonly string[]; readonly spaceName: string }) {
  if (words.length === 0) return <p aria-live="polite">{text.loading}</p>;
  return (
    <>
      <p className="ink">{text.lead}</p>
      <ol className="sy-words" aria-label={text.list}>
        {words.map((word, index) => (
          // A word may come twice; its place is its name.
          <li key={index}>
            <span className="num ink3" aria-hidden="true">
              {index + 1}
            </span>
            <span className="mono">{word}</span>
          </li>
        ))}
      </ol>
      <p>{text.keep}</p>
      {spaceName !== '' && <p className="t12 ink3">{text.compare(spaceName)}</p>}
    </>
  );
}

function Actions(props: {
  readonly isWritten: boolean;
  readonly isBusy: boolean;
  readonly hasWords: boolean;
  readonly safe: RefObject<HTMLButtonElement | null>;
  /** `null` while there is no sheet. */
  readonly onPrint: (() => void) | null;
  readonly onWritten: () => void;
  readonly onForget: () => void;
  readonly onClose: () => void;
}) {
  const { safe, onPrint } = props;
  if (props.isWritten) {
    return (
      <>
        <Button ref={safe} onClick={props.onClose}>
          {text.keepHere}
        </Button>
        <Button variant="danger" isDisabled={props.isBusy} onClick={props.onForget}>
          {text.forget}
        </Button>
      </>
    );
  }
  return (
    <>
      <Button ref={safe} onClick={props.onClose}>
        {text.later}
      </Button>
      <Button isDisabled={onPrint === null} onClick={() => onPrint?.()}>
        {text.print}
      </Button>
      <Button variant="primary" isDisabled={!props.hasWords} onClick={props.onWritten}>
        {text.written}
      </Button>
    </>
  );
}
