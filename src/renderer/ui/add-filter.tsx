import type { ReactNode } from 'react';
import { ChoiceMenu } from './menu.tsx';
import { Icon } from './icon.tsx';

/** The chip that adds a filter: a menu of what there is to choose, and nothing where that is nothing. */
export function AddFilter<Value extends string>(props: {
  readonly label: string;
  readonly choices: readonly { readonly value: Value; readonly label: ReactNode }[];
  readonly onChoose: (value: Value) => void;
}) {
  if (props.choices.length === 0) return null;
  return (
    <ChoiceMenu
      label={props.label}
      isSingle
      trigger={
        <button type="button" className="chip dash">
          <Icon name="plus" size="small" />
          {props.label}
        </button>
      }
      choices={props.choices.map((choice) => ({ ...choice, isOn: false }))}
      onToggle={props.onChoose}
    />
  );
}
