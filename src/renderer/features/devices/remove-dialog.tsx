import { useRef } from 'react';
import { useLocation } from 'wouter';
import type { DeviceRow } from '../../../shared/contract/coordinator-views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { useAction } from '../../state/use-action.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Note } from '../../ui/note.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { changeText as text } from './strings.ts';

/** Takes a device out at once; says what becomes of its rights, and asks to look at its unclear steps first. */
export function RemoveDialog(props: {
  readonly device: DeviceRow;
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const { device, onClose } = props;
  const removing = useAction('devices.revoke');
  const needs = useQuery('needs.list', {}).value;
  const [, navigate] = useLocation();
  const safe = useRef<HTMLButtonElement>(null);
  const unclear = [...(needs?.unclear ?? []), ...(needs?.waiting ?? [])].filter(
    (item) => item.deviceName === device.name,
  ).length;
  async function go(): Promise<void> {
    const answer = await removing.run({ deviceId: device.deviceId });
    if (answer.ok) props.onDone(answer.value.sentence);
  }
  return (
    <Dialog
      isOpen
      role="alertdialog"
      title={text.removeHeading(visibleText(device.name))}
      onClose={onClose}
      initialFocus={safe}
      actions={
        <>
          <Button ref={safe} onClick={onClose}>
            {text.keep}
          </Button>
          <Button variant="danger" isDisabled={removing.isBusy} onClick={() => void go()}>
            {text.remove}
          </Button>
        </>
      }
    >
      <p className="ink">
        <VisibleText text={device.revokeSentence} />
      </p>
      <p>{text.atOnce}</p>
      {unclear > 0 && (
        <Note tone="needs" title={text.unclear(unclear)} className="dv-gap">
          {text.unclearMore}
          <Button size="small" className="dv-review" onClick={() => navigate('/needs')}>
            {text.review}
          </Button>
        </Note>
      )}
      {removing.problem !== null && (
        <Note tone="plain" icon="warn" role="alert" title={removing.problem.message} className="dv-gap">
          {removing.problem.wayOut}
        </Note>
      )}
    </Dialog>
  );
}
