import { Icon } from './icon.tsx';
import { ChoiceMenu } from './menu.tsx';
import { VisibleText } from './visible-text.tsx';

/** The chip of a filter by name: all of them, or one that is chosen from a menu. */
export function ChooseOneChip(props: {
  /** What is chosen, such as `Agent`. */
  readonly label: string;
  /** The words for all of them, such as `Any agent`. */
  readonly any: string;
  readonly names: readonly string[];
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  readonly isFirst?: boolean;
}) {
  const { label, any, names, value, onChange } = props;
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
              <VisibleText text={value} />
            </span>
          )}
        </button>
      }
      // A name may be anything, also nothing: it is told by its place.
      choices={[
        { value: 'any', label: any, isOn: value === null },
        ...names.map((name, index) => ({
          value: String(index),
          label: <VisibleText text={name} />,
          isOn: name === value,
        })),
      ]}
      onToggle={(chosen) => onChange(chosen === 'any' ? null : (names[Number(chosen)] ?? null))}
    />
  );
}
