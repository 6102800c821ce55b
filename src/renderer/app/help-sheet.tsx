import { Dialog } from '../ui/dialog.tsx';
import { shortcuts, text } from './strings.ts';

/** Every shortcut on one sheet. */
export function HelpSheet({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={text.keysTitle}>
      <dl className="keys">
        {shortcuts.map((shortcut) => (
          <div key={shortcut.does} className="contents">
            <dt>
              {shortcut.keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{shortcut.does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
