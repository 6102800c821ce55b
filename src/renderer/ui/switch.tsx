import { Switch as BaseSwitch } from '@base-ui/react/switch';
import type { ReactNode } from 'react';
import { useId } from 'react';

/** Something that is on or off, with its name beside it and what that means below. */
export function Switch(props: {
  readonly label: string;
  readonly description?: ReactNode;
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  readonly onChange: (isOn: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="switch-row">
      <BaseSwitch.Root
        id={id}
        className="switch"
        checked={props.isOn}
        disabled={props.isDisabled ?? false}
        aria-labelledby={`${id}-label`}
        {...(props.description === undefined ? {} : { 'aria-describedby': `${id}-what` })}
        onCheckedChange={props.onChange}
      >
        <BaseSwitch.Thumb className="switch-thumb" />
      </BaseSwitch.Root>
      <label htmlFor={id} id={`${id}-label`} className="medium">
        {props.label}
      </label>
      {props.description !== undefined && (
        <div className="t12 ink2" id={`${id}-what`}>
          {props.description}
        </div>
      )}
    </div>
  );
}
