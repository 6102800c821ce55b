import { useRef } from 'react';
import type { LeaseView } from '../../../shared/contract/lease-views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Note } from '../../ui/note.tsx';
import { actText as text } from './strings.ts';

/** After a restore: says what raising does before it is done. */
export function BumpDialog(props: {
  readonly lease: LeaseView;
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const { lease, onClose } = props;
  const bumping = useAction('leases.bump');
  const safe = useRef<HTMLButtonElement>(null);
  async function go(): Promise<void> {
    const answer = await bumping.run({ agentId: lease.agentId });
    if (answer.ok) props.onDone(answer.value.sentence);
  }
  return (
    <Dialog
      isOpen
      role="alertdialog"
      title={text.bumpHeading(visibleText(lease.agentName))}
      onClose={onClose}
      initialFocus={safe}
      actions={
        <>
          <Button ref={safe} onClick={onClose}>
            {text.bumpLeave}
          </Button>
          <Button variant="danger" isDisabled={bumping.isBusy} onClick={() => void go()}>
            {text.bumpGo}
          </Button>
        </>
      }
    >
      <p>{text.bumpFact}</p>
      <p>{text.bumpMeaning}</p>
      <p>{text.bumpDoes}</p>
      <p className="strong ink">{text.bumpCheck}</p>
      {bumping.problem !== null && (
        <Note tone="plain" icon="warn" role="alert" title={bumping.problem.message} className="le-note">
          {bumping.problem.wayOut}
        </Note>
      )}
    </Dialog>
  );
}
