import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

/** Who holds a right, and how long still. */
export function KeyChip(props: {
  readonly children: ReactNode;
  readonly left?: string;
  readonly isDoubtful?: boolean;
}) {
  return (
    <span className={`keychip${props.isDoubtful ? ' doubt' : ''}`}>
      <Icon name={props.isDoubtful ? 'moon' : 'key'} />
      <span className="cut">{props.children}</span>
      {props.left !== undefined && props.left !== '' && <span className="ink3 nw num">{props.left}</span>}
    </span>
  );
}
