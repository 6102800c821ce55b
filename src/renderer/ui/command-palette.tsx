import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { Command } from 'cmdk';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-shapes.tsx';
import { VisibleText } from './visible-text.tsx';

export interface PaletteItem {
  readonly id: string;
  readonly group: string;
  readonly label: string;
  readonly icon: IconName;
  /** Shown at the far side: a shortcut or a second name. */
  readonly note?: string;
  readonly keywords?: readonly string[];
  readonly run: () => void;
}

/** One field that finds and does things by name. Closing it changes nothing. */
export function CommandPalette(props: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly label: string;
  readonly placeholder: string;
  readonly nothing: string;
  readonly items: readonly PaletteItem[];
}) {
  const groups = [...new Set(props.items.map((item) => item.group))];
  return (
    <BaseDialog.Root
      open={props.isOpen}
      onOpenChange={(isOpen) => {
        if (!isOpen) props.onClose();
      }}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="scrim" />
        <BaseDialog.Popup className="dialog palette" aria-label={props.label}>
          <Command label={props.label} loop>
            <div className="palette-field">
              <Icon name="search" />
              <Command.Input placeholder={props.placeholder} />
              <kbd>Esc</kbd>
            </div>
            <Command.List className="palette-list" label={props.label}>
              <Command.Empty>{props.nothing}</Command.Empty>
              {groups.map((group) => (
                <Command.Group key={group} heading={group}>
                  {props.items
                    .filter((item) => item.group === group)
                    .map((item) => (
                      <PaletteRow key={item.id} item={item} onClose={props.onClose} />
                    ))}
                </Command.Group>
              ))}
            </Command.List>
          </Command>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

function PaletteRow({ item, onClose }: { readonly item: PaletteItem; readonly onClose: () => void }) {
  return (
    <Command.Item
      value={item.id}
      keywords={[item.label, ...(item.keywords ?? [])]}
      onSelect={() => {
        onClose();
        item.run();
      }}
    >
      <Icon name={item.icon} />
      <span className="cut">
        <VisibleText text={item.label} />
      </span>
      {item.note !== undefined && <span className="n nw">{item.note}</span>}
    </Command.Item>
  );
}
