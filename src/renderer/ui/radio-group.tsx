import { Radio } from '@base-ui/react/radio';
import { RadioGroup as BaseRadioGroup } from '@base-ui/react/radio-group';
import type { ReactNode } from 'react';
import { useId } from 'react';

export interface RadioItem<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  readonly description?: ReactNode;
  readonly isDisabled?: boolean;
}

/** One answer of several; `null` is none, and nothing is chosen beforehand unless the caller says so. */
export function RadioGroup<Value extends string>(props: {
  readonly label: string;
  readonly items: readonly RadioItem<Value>[];
  readonly value: Value | null;
  readonly onChange: (value: Value) => void;
  readonly isInline?: boolean;
}) {
  return (
    <BaseRadioGroup
      aria-label={props.label}
      className={props.isInline ? 'radios across' : 'radios'}
      value={props.value}
      onValueChange={(value) => {
        const item = props.items.find((each) => each.value === value);
        if (item !== undefined) props.onChange(item.value);
      }}
    >
      {props.items.map((item) => (
        <RadioRow key={item.value} item={item} />
      ))}
    </BaseRadioGroup>
  );
}

function RadioRow<Value extends string>({ item }: { readonly item: RadioItem<Value> }) {
  const id = useId();
  return (
    <div className={item.isDisabled === true ? 'radio-row off' : 'radio-row'}>
      <Radio.Root
        value={item.value}
        disabled={item.isDisabled ?? false}
        className="radio"
        aria-labelledby={`${id}-label`}
        {...(item.description === undefined ? {} : { 'aria-describedby': `${id}-what` })}
        id={id}
      >
        <Radio.Indicator className="radio-dot" />
      </Radio.Root>
      <label htmlFor={id} id={`${id}-label`}>
        {item.label}
      </label>
      {item.description !== undefined && (
        <p className="t12 ink2" id={`${id}-what`}>
          {item.description}
        </p>
      )}
    </div>
  );
}
