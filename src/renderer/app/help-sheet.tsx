import { commandCaps, keyCaps, SHORTCUTS } from '../../shared/contract/shortcuts.ts';
import type { Shortcut, ShortcutGroup } from '../../shared/contract/shortcuts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { isMac } from '../ui/is-mac.ts';
import { KeyCaps } from '../ui/key-caps.tsx';
import { text } from './strings.ts';

const GROUPS: readonly ShortcutGroup[] = ['anywhere', 'places', 'lists', 'questions'];

/** Every shortcut of the table on one sheet. */
export function HelpSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog isOpen onClose={onClose} title={text.keysTitle} width="wide">
      <p className="ink3">{text.keysLede}</p>
      <div className="keys-groups">
        {GROUPS.map((group) => (
          <section key={group} aria-labelledby={`keys-${group}`}>
            <h3 id={`keys-${group}`} className="label">
              {text.keyGroups[group]}
            </h3>
            <dl>
              {SHORTCUTS.filter((each) => each.group === group).map((each) => (
                <KeyLine key={each.name} of={each} />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function KeyLine({ of }: { readonly of: Shortcut }) {
  const command = commandCaps(of, isMac);
  return (
    <div className="key-line">
      <dt>
        {of.key !== null && <KeyCaps caps={keyCaps(of, isMac)} />}
        {of.key !== null && command.length > 0 && <span className="ink3">{text.or}</span>}
        {command.length > 0 && <KeyCaps caps={command} />}
      </dt>
      <dd>{of.does}</dd>
    </div>
  );
}
