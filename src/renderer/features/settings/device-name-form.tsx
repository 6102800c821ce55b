import { useId, useState } from 'react';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { text } from './strings.ts';

const LONGEST_NAME = 60;

/** The name of this device, saved only when asked to. */
export function DeviceNameForm({ name, onSaved }: { readonly name: string; readonly onSaved: () => void }) {
  const [typed, setTyped] = useState(name);
  const saving = useAction('settings.set');
  const id = useId();
  const isUnchanged = typed.trim() === name || typed.trim() === '';
  async function save(): Promise<void> {
    if (isUnchanged) return;
    const answer = await saving.run({ deviceName: typed.trim() });
    if (answer.ok) onSaved();
  }
  return (
    <form
      className="se-row"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label className="ink2" htmlFor={id}>
        {text.name}
      </label>
      <span className="se-value">
        <span className="flex wrap">
          <input
            id={id}
            className="field se-name"
            value={typed}
            maxLength={LONGEST_NAME}
            autoComplete="off"
            aria-describedby={`${id}-help`}
            onChange={(event) => setTyped(event.target.value)}
          />
          {!isUnchanged && (
            <Button type="submit" isDisabled={saving.isBusy}>
              {text.save}
            </Button>
          )}
        </span>
        <span className="t12 ink3 se-help" id={`${id}-help`}>
          {saving.problem === null ? text.nameHelp : `${saving.problem.message} ${saving.problem.wayOut}`}
        </span>
      </span>
    </form>
  );
}
