import { useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { text } from './strings.ts';

const NAME_LIMIT = 60;

/** The name by which a person will recognise this device in every record. */
export function NameStep(props: {
  readonly name: string;
  readonly isBusy: boolean;
  readonly onName: (name: string) => void;
}) {
  const [name, setName] = useState(props.name);
  const field = useRef<HTMLInputElement>(null);
  const trimmed = name.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (trimmed === '') field.current?.focus();
        else props.onName(trimmed);
      }}
    >
      <p className="ob-welcome">{text.welcome}</p>
      <h1 id="onboarding-heading">{text.nameHeading}</h1>
      <p className="ob-lead">{text.nameLead}</p>
      <label className="ob-field">
        <span>{text.nameLabel}</span>
        <input ref={field} maxLength={NAME_LIMIT} value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <div className="ob-acts">
        <Button
          type="submit"
          variant="primary"
          isDisabled={props.isBusy}
          disabledReason={trimmed === '' ? text.nameEmpty : ''}
        >
          {text.nameGo}
        </Button>
      </div>
    </form>
  );
}
