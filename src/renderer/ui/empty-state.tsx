import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-shapes.tsx';

/** An empty screen teaches: what will appear here, and what to do next. */
export function EmptyState(props: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly icon?: IconName;
  readonly action?: ReactNode;
}) {
  return (
    <div className="empty">
      {props.icon !== undefined && (
        <span className="empty-mark">
          <Icon name={props.icon} />
        </span>
      )}
      <h2 className="t15 strong">{props.title}</h2>
      {props.children !== undefined && <div className="ink2">{props.children}</div>}
      {props.action !== undefined && <div className="flex empty-acts">{props.action}</div>}
    </div>
  );
}
