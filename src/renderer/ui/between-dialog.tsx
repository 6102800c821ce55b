import { useRef, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { dayStartMs } from './day.ts';
import { FormField } from './form-field.tsx';
import { text } from './strings.ts';

interface Days {
  readonly from: string;
  readonly until: string;
}

/** Asks for a first and a last day. Closing it changes no filter. */
export function BetweenDialog(props: {
  readonly title: string;
  /** What choosing them does, for its button. */
  readonly go: string;
  readonly onClose: (chosen: Days | null) => void;
}) {
  const { title, go, onClose } = props;
  const first = useRef<HTMLInputElement>(null);
  const [days, setDays] = useState<Days>({ from: '', until: '' });
  const isWhole = dayStartMs(days.from) !== null && dayStartMs(days.until) !== null;
  const isOrdered = !isWhole || days.from <= days.until;
  const choose = () => {
    if (isWhole && isOrdered) onClose(days);
  };
  return (
    <Dialog
      isOpen
      title={title}
      onClose={() => onClose(null)}
      initialFocus={first}
      actions={
        <>
          <Button onClick={() => onClose(null)}>{text.days.not}</Button>
          <Button
            variant="primary"
            isDisabled={!isOrdered}
            disabledReason={isWhole ? '' : text.days.needsBoth}
            onClick={choose}
          >
            {go}
          </Button>
        </>
      }
    >
      <div className="days-between">
        <FormField label={text.days.from} help={text.days.fromHelp}>
          {(described) => (
            <input
              {...described}
              ref={first}
              type="date"
              className="field"
              value={days.from}
              onChange={(event) => setDays({ ...days, from: event.target.value })}
            />
          )}
        </FormField>
        <FormField label={text.days.until} help={text.days.untilHelp} mistake={isOrdered ? '' : text.days.wrongOrder}>
          {(described) => (
            <input
              {...described}
              type="date"
              className="field"
              value={days.until}
              onChange={(event) => setDays({ ...days, until: event.target.value })}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return;
                // Else the same press goes on to the chip that gets the focus, and opens its menu.
                event.preventDefault();
                choose();
              }}
            />
          )}
        </FormField>
      </div>
    </Dialog>
  );
}
