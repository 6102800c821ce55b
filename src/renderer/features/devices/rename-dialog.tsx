import { useRef, useState } from 'react';
import type { DeviceRow } from '../../../shared/contract/coordinator-views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { Note } from '../../ui/note.tsx';
import { changeText as text } from './strings.ts';

const LONGEST_NAME = 60;

/** Gives a device another name, on every screen. */
export function RenameDialog(props: {
  readonly device: DeviceRow;
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const { device, onClose } = props;
  const [name, setName] = useState(device.name);
  const renaming = useAction('devices.rename');
  const input = useRef<HTMLInputElement>(null);
  const isReady = name.trim() !== '' && name.trim() !== device.name;
  async function go(): Promise<void> {
    if (!isReady) return;
    const answer = await renaming.run({ deviceId: device.deviceId, name: name.trim() });
    if (answer.ok) props.onDone(answer.value.sentence);
  }
  return (
    <Dialog
      isOpen
      title={text.renameHeading(visibleText(device.name))}
      onClose={onClose}
      initialFocus={input}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" isDisabled={!isReady || renaming.isBusy} onClick={() => void go()}>
            {text.save}
          </Button>
        </>
      }
    >
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void go();
        }}
      >
        <FormField label={text.name} help={text.nameHelp} mistake={name.trim() === '' ? text.nameEmpty : ''}>
          {(described) => (
            <input
              {...described}
              ref={input}
              className="field"
              value={name}
              maxLength={LONGEST_NAME}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </FormField>
      </form>
      {renaming.problem !== null && (
        <Note tone="plain" icon="warn" role="alert" title={renaming.problem.message} className="dv-gap">
          {renaming.problem.wayOut}
        </Note>
      )}
    </Dialog>
  );
}
