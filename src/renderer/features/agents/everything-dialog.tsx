import { useRef } from 'react';
import { useAction } from '../../state/use-action.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Note } from '../../ui/note.tsx';
import { Sentences } from './control-dialog.tsx';
import { text } from './control-strings.ts';

/** All agents at once: what a pause and what a stop would do, side by side. Closing it does neither. */
export function EverythingDialog({ onClose }: { readonly onClose: () => void }) {
  const { value: view } = useQuery('control.get', {});
  const stop = useAction('control.stop');
  const pause = useAction('control.pause');
  const resume = useAction('control.resume');
  const safe = useRef<HTMLButtonElement>(null);
  const isHeld = view !== null && view.hold !== null;
  const problem = stop.problem ?? pause.problem ?? resume.problem;
  async function go(action: typeof stop | typeof pause | typeof resume): Promise<void> {
    if ((await action.run({})).ok) onClose();
  }
  return (
    <Dialog
      isOpen
      width="wide"
      role="alertdialog"
      title={text.allHeading}
      onClose={onClose}
      initialFocus={safe}
      actions={
        <>
          <Button ref={safe} onClick={onClose}>
            {text.allKeep}
          </Button>
          {isHeld ? (
            <Button isDisabled={resume.isBusy} onClick={() => void go(resume)}>
              {text.allResumeGo}
            </Button>
          ) : (
            <Button isDisabled={pause.isBusy} onClick={() => void go(pause)}>
              {text.allPauseGo}
            </Button>
          )}
          <Button variant="danger" isDisabled={stop.isBusy} onClick={() => void go(stop)}>
            {text.allStopGo}
          </Button>
        </>
      }
    >
      {view === null ? (
        <p>{text.loading}</p>
      ) : (
        <>
          {!isHeld && (
            <section aria-label={text.allPauseHeading}>
              <p className="label">{text.allPauseHeading}</p>
              <Sentences sentences={view.pause} />
            </section>
          )}
          <section aria-label={text.allStopHeading}>
            <p className="label">{text.allStopHeading}</p>
            <Sentences sentences={view.stop} />
          </section>
        </>
      )}
      {problem !== null && (
        <Note tone="plain" icon="warn" role="alert" title={problem.message}>
          {problem.wayOut}
        </Note>
      )}
    </Dialog>
  );
}
