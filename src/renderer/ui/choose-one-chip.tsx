import { Icon } from './icon.tsx';
import { ChoiceMenu } from './menu.tsx';
import { VisibleText } from './visible-text.tsx';

/** The chip of a filter: all of them, or one that is chosen from a menu. */
export function ChooseOneChip<Value extends string>(props: {
  /** What is chosen, such as `Agent`. */
  readonly label: string;
  /** The words for all of them, such as `Any agent`. */
  readonly any: string;
  readonly choices: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value | null;
  readonly onChange: (value: Value | null) => void;
  /** What is said of the chosen one, where that is not what the menu calls it. */
  readonly chosen?: string;
  readonly isFirst?: boolean;
}) {
  const { label, any, choices, value, onChange } = props;
  // What was chosen may be none of the choices any more.
  const chosen = props.chosen ?? choices.find((choice) => choice.value === value)?.label ?? value ?? '';
  return (
    <ChoiceMenu
      label={label}
      isSingle
      trigger={
        <button type="button" className={value === null ? 'chip' : 'chip on'}>
          {props.isFirst === true && <Icon name="filter" size="small" />}
          {value === null ? (
            any
          ) : (
            <span className="cut">
              <span className="sr-only">{label} </span>
              <VisibleText text={chosen} />
            </span>
          )}
        </button>
      }
      // A value may be anything, also nothing: it is told by its place.
      choices={[
        { value: 'any', label: any, isOn: value === null },
        ...choices.map((choice, index) => ({
          value: String(index),
          label: <VisibleText text={choice.label} />,
          isOn: choice.value === value,
        })),
      ]}
      onToggle={(place) => onChange(place === 'any' ? null : (choices[Number(place)]?.value ?? null))}
    />
  );
}
