import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-shapes.tsx';

export type BadgeTone = 'plain' | 'needs' | 'safe' | 'accent';

const classes: Readonly<Record<BadgeTone, string>> = {
  plain: 'badge',
  needs: 'badge you',
  safe: 'badge safe',
  accent: 'badge acc',
};

/** A property of a thing, not a state. */
export function Badge(props: { readonly children: ReactNode; readonly tone?: BadgeTone; readonly icon?: IconName }) {
  return (
    <span className={classes[props.tone ?? 'plain']}>
      {props.icon !== undefined && <Icon name={props.icon} />}
      {props.children}
    </span>
  );
}
