import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-shapes.tsx';

export type NoteTone = 'needs' | 'safe' | 'plain' | 'bad';

const looks: Readonly<Record<NoteTone, { readonly className: string; readonly icon: IconName }>> = {
  needs: { className: 'note you', icon: 's-unclear' },
  safe: { className: 'note safe', icon: 's-ref' },
  plain: { className: 'note plain', icon: 'info' },
  bad: { className: 'note bad', icon: 's-fail1' },
};

/** One fact in strong, then what it means. `role` makes it announce itself. */
export function Note(props: {
  readonly tone: NoteTone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  readonly icon?: IconName;
  readonly role?: 'status' | 'alert';
  readonly className?: string;
}) {
  const look = looks[props.tone];
  return (
    <div
      className={props.className === undefined ? look.className : `${look.className} ${props.className}`}
      role={props.role}
    >
      <Icon name={props.icon ?? look.icon} />
      <div className="grow">
        {props.title !== undefined && <b className="strong">{props.title} </b>}
        {props.children}
      </div>
    </div>
  );
}
