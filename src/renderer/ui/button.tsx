import type { KeyboardEventHandler, ReactNode, Ref } from 'react';
import { useId } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-shapes.tsx';
import { Tooltip } from './tooltip.tsx';

export interface ButtonProps {
  readonly children?: ReactNode;
  readonly onClick?: () => void;
  readonly onKeyDown?: KeyboardEventHandler<HTMLButtonElement>;
  readonly variant?: 'normal' | 'primary' | 'quiet' | 'danger';
  readonly size?: 'normal' | 'small';
  readonly icon?: IconName;
  /** The accessible name where the button shows only an icon; also its tooltip. */
  readonly label?: string;
  readonly isDisabled?: boolean;
  /** Says why, beside the button and in its tooltip. A button with a reason stays focusable. */
  readonly disabledReason?: string;
  readonly type?: 'button' | 'submit';
  readonly className?: string;
  readonly isPressed?: boolean;
  readonly isExpanded?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** A verb naming the effect. */
export function Button({ ref, ...props }: ButtonProps) {
  const { disabledReason = '', label } = props;
  const reasonId = useId();
  const isOff = props.isDisabled === true || disabledReason !== '';
  const button = (
    <button
      ref={ref}
      type={props.type ?? 'button'}
      className={classesOf(props)}
      onClick={isOff ? undefined : props.onClick}
      onKeyDown={props.onKeyDown}
      // With a reason it stays in the tab order, so that the reason can be heard.
      disabled={isOff && disabledReason === ''}
      aria-disabled={isOff || undefined}
      aria-describedby={disabledReason === '' ? undefined : reasonId}
      aria-label={label}
      aria-pressed={props.isPressed}
      aria-expanded={props.isExpanded}
    >
      {props.icon !== undefined && <Icon name={props.icon} size={props.size === 'small' ? 'small' : 'normal'} />}
      {props.children}
    </button>
  );
  const tip = disabledReason === '' ? (props.children === undefined ? (label ?? '') : '') : disabledReason;
  return (
    <>
      {tip === '' ? button : <Tooltip text={tip}>{button}</Tooltip>}
      {disabledReason !== '' && (
        <span id={reasonId} className="why-off">
          {disabledReason}
        </span>
      )}
    </>
  );
}

function classesOf(props: Omit<ButtonProps, 'ref'>): string {
  const { variant = 'normal', size = 'normal', className = '' } = props;
  return [
    'btn',
    variant === 'normal' ? '' : variant,
    size === 'small' ? 'small' : '',
    props.children === undefined ? 'icon' : '',
    className,
  ]
    .filter((part) => part !== '')
    .join(' ');
}
