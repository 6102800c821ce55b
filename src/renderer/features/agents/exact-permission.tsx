import type { AgentDetailView } from '../../../shared/contract/views.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { text } from './strings.ts';

/** The whole of what a permission covers: the file as it was read, and its fingerprint. */
export function ExactPermission({ view }: { readonly view: AgentDetailView }) {
  return (
    <div className="ag-form ag-exact">
      <div className="ag-field">
        <span>{text.exactSource}</span>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable by keyboard */}
        <pre tabIndex={0} aria-label={text.exactSource}>
          <VisibleText text={view.source} />
        </pre>
      </div>
      <p className="t11 ink3 ag-print">
        {text.fingerprint} <code className="mono">{view.previewDigest}</code>
      </p>
    </div>
  );
}

/** What a permission that was given covers. It is only looked at. */
export function ExactPermissionDialog(props: { readonly view: AgentDetailView; readonly onClose: () => void }) {
  const { view, onClose } = props;
  return (
    <Dialog
      isOpen
      width="wide"
      title={text.exactHeading(view.agent.name)}
      onClose={onClose}
      actions={<Button onClick={onClose}>{text.close}</Button>}
    >
      <ExactPermission view={view} />
    </Dialog>
  );
}
