import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactNode, RefObject } from 'react';
import { Icon } from './icon.tsx';
import { text } from './strings.ts';

/** A question above the window. Esc and the cross call `onClose` and decide nothing; focus returns to where it was. */
export function Dialog(props: {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  readonly width?: 'normal' | 'wide';
  /** What has the focus first; the safe button is the default. */
  readonly initialFocus?: RefObject<HTMLElement | null>;
  readonly role?: 'dialog' | 'alertdialog';
}) {
  return (
    <BaseDialog.Root
      open={props.isOpen}
      onOpenChange={(isOpen) => {
        if (!isOpen) props.onClose();
      }}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="scrim" />
        <BaseDialog.Popup
          className={`dialog${props.width === 'wide' ? ' wide' : ''}`}
          role={props.role ?? 'dialog'}
          {...(props.initialFocus === undefined ? {} : { initialFocus: props.initialFocus })}
        >
          <div className="dialog-head">
            <BaseDialog.Title className="t15 strong">{props.title}</BaseDialog.Title>
            <BaseDialog.Close className="btn icon small quiet right" aria-label={text.closeDialog}>
              <Icon name="x" size="small" />
            </BaseDialog.Close>
          </div>
          <div className="dialog-body">{props.children}</div>
          {props.actions !== undefined && <div className="dialog-acts">{props.actions}</div>}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
