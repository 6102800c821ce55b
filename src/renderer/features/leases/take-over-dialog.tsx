import { useRef, useState } from 'react';
import type { LeaseView } from '../../../shared/contract/lease-views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Note } from '../../ui/note.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { actText as text } from './strings.ts';

/**
 * Takes over exactly the right that is shown: it is named by its number, and one that changed meanwhile is shown as it is
 * now and must be looked at before it can be taken.
 */
export function TakeOverDialog(props: {
  readonly lease: LeaseView;
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
  /** Reads the rights again. */
  readonly onLook: () => void;
}) {
  const { lease, onClose } = props;
  const taking = useAction('leases.takeOver');
  const safe = useRef<HTMLButtonElement>(null);
  const [seen, setSeen] = useState(lease);
  const { holder } = seen;
  const hasChanged = seen.epoch !== lease.epoch;
  async function go(): Promise<void> {
    const answer = await taking.run({ agentId: seen.agentId, seenEpoch: seen.epoch });
    if (answer.ok) props.onDone(answer.value.sentence);
    else props.onLook();
  }
  function lookAgain(): void {
    taking.clear();
    setSeen(lease);
    safe.current?.focus();
  }
  return (
    <Dialog
      isOpen
      role="alertdialog"
      title={text.takeOverHeading(visibleText(seen.agentName))}
      onClose={onClose}
      initialFocus={safe}
      actions={
        <>
          <Button ref={safe} onClick={onClose}>
            {holder.kind === 'device' && holder.name.length <= 24
              ? text.leaveWith(visibleText(holder.name))
              : text.leave}
          </Button>
          <Button
            variant="danger"
            isDisabled={taking.isBusy || !lease.canTakeOver}
            disabledReason={!lease.canTakeOver ? text.gone : hasChanged ? text.changedWhy : ''}
            onClick={() => void go()}
          >
            {text.takeOverGo}
          </Button>
        </>
      }
    >
      <Meaning seen={seen} />
      <div role="alert">
        {hasChanged || taking.problem?.code === 'changed' ? (
          <Changed lease={lease} canLook={hasChanged} onLook={lookAgain} />
        ) : (
          taking.problem !== null && (
            <Note tone="plain" icon="warn" title={taking.problem.message} className="le-note">
              {taking.problem.wayOut}
            </Note>
          )
        )}
      </div>
    </Dialog>
  );
}

/** What taking over waits for or cuts off, what may come of it, and the number that it is bound to. */
function Meaning({ seen }: { readonly seen: LeaseView }) {
  const { holder } = seen;
  return (
    <>
      <p className="ink">
        <VisibleText text={seen.takeOverSentence} />
      </p>
      <Note tone="plain" icon="warn" className="le-note">
        <VisibleText text={holder.kind === 'device' ? text.midSend(holder.name) : text.midSendNobody} />
      </Note>
      <p className="le-number">
        {text.bound} <b className="mono ink">{seen.epoch}</b>
        <span className="t12 ink3">{text.boundMore}</span>
      </p>
      <p className="t12 ink3">{text.byPerson}</p>
    </>
  );
}

function Changed(props: { readonly lease: LeaseView; readonly canLook: boolean; readonly onLook: () => void }) {
  const { lease } = props;
  return (
    <Note tone="needs" icon="warn" title={text.changedTitle} className="le-note">
      <p>
        <VisibleText text={lease.sentence} /> {text.changedNow(lease.epoch)}
      </p>
      {props.canLook && lease.canTakeOver && (
        <Button size="small" className="le-look" onClick={props.onLook}>
          {text.changedGo}
        </Button>
      )}
    </Note>
  );
}
