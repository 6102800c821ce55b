import { useRef } from 'react';
import type { SyncDeviceRow } from '../../../../shared/contract/sync-views.ts';
import type { Problem } from '../../../../shared/contract/errors.ts';
import { visibleText } from '../../../../shared/lib/visible-text.ts';
import { useAction } from '../../../state/use-action.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Note } from '../../../ui/note.tsx';
import { leaveText as text } from './strings.ts';

/** Lets a device go, after saying what that does and what it does not. */
export function LetGoDialog(props: {
  readonly device: SyncDeviceRow;
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const { device } = props;
  const going = useAction('sync.letGo');
  async function go(): Promise<void> {
    const answer = await going.run({ deviceId: device.deviceId });
    if (answer.ok) props.onDone(answer.value.sentence);
  }
  return (
    <Asking
      title={text.letGoHeading(visibleText(device.name))}
      facts={text.letGoFacts}
      note={text.letGoPaired}
      safe={text.keep}
      does={text.letGo}
      isBusy={going.isBusy}
      problem={going.problem}
      onGo={() => void go()}
      onClose={props.onClose}
    />
  );
}

/** Makes this device another one, after a restore or a copy. */
export function AnewDialog(props: { readonly onClose: () => void; readonly onDone: (sentence: string) => void }) {
  const beginning = useAction('sync.newIdentity');
  async function go(): Promise<void> {
    const answer = await beginning.run({});
    if (answer.ok) props.onDone(answer.value.sentence);
  }
  return (
    <Asking
      title={text.anewHeading}
      facts={text.anewFacts}
      note={text.anewNote}
      safe={text.stayAsIs}
      does={text.anew}
      isBusy={beginning.isBusy}
      problem={beginning.problem}
      onGo={() => void go()}
      onClose={props.onClose}
    />
  );
}

/** Stops sharing on this device, after saying what stays. */
export function StopDialog(props: {
  readonly hasWords: boolean;
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const leaving = useAction('sync.leave');
  async function go(): Promise<void> {
    const answer = await leaving.run({});
    if (answer.ok) props.onDone(answer.value.sentence);
  }
  return (
    <Asking
      title={text.stopHeading}
      facts={text.stopFacts}
      note={props.hasWords ? text.stopWords : ''}
      safe={text.goOn}
      does={text.stop}
      isBusy={leaving.isBusy}
      problem={leaving.problem}
      onGo={() => void go()}
      onClose={props.onClose}
    />
  );
}

function Asking(props: {
  readonly title: string;
  readonly facts: readonly string[];
  readonly note: string;
  readonly safe: string;
  readonly does: string;
  readonly isBusy: boolean;
  readonly problem: Problem | null;
  readonly onGo: () => void;
  readonly onClose: () => void;
}) {
  const safe = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      isOpen
      role="alertdialog"
      title={props.title}
      onClose={props.onClose}
      initialFocus={safe}
      actions={
        <>
          <Button ref={safe} onClick={props.onClose}>
            {props.safe}
          </Button>
          <Button variant="danger" isDisabled={props.isBusy} onClick={props.onGo}>
            {props.does}
          </Button>
        </>
      }
    >
      <ul className="sy-facts">
        {props.facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      {props.note !== '' && (
        <Note tone="plain" className="dv-gap">
          {props.note}
        </Note>
      )}
      {props.problem !== null && (
        <Note tone="plain" icon="warn" role="alert" title={props.problem.message} className="dv-gap">
          {props.problem.wayOut}
        </Note>
      )}
    </Dialog>
  );
}
