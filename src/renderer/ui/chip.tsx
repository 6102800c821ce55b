import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-shapes.tsx';

/** A filter: applied (`isOn`), or one that can be added (`isDashed`). */
export function Chip(props: {
  readonly children: ReactNode;
  readonly onClick?: () => void;
  readonly isOn?: boolean;
  readonly isDashed?: boolean;
  readonly icon?: IconName;
  /** Given, the chip shows a cross and this is its accessible name. */
  readonly removeLabel?: string;
  readonly isPill?: boolean;
}) {
  const classes = ['chip', props.isOn ? 'on' : '', props.isDashed ? 'dash' : '', props.isPill ? 'pill' : '']
    .filter((part) => part !== '')
    .join(' ');
  return (
    <button
      type="button"
      className={classes}
      onClick={props.onClick}
      aria-label={props.removeLabel}
      aria-pressed={
        props.isOn !== undefined && props.removeLabel === undefined && !props.isPill ? props.isOn : undefined
      }
    >
      {props.icon !== undefined && <Icon name={props.icon} size="small" />}
      {props.children}
      {props.removeLabel !== undefined && <Icon name="x" size="small" />}
    </button>
  );
}
