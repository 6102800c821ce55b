import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { Command } from 'cmdk';
import { FoundText } from './found-text.tsx';
import { Icon } from './icon.tsx';
import type { RankedGroup, RankedItem } from './palette-order.ts';
import { StateIcon } from './state-mark.tsx';
import { VisibleText } from './visible-text.tsx';

/** One field that finds and opens things by name. Closing it changes nothing, and gives the focus back. */
export function CommandPalette(props: {
  readonly onClose: () => void;
  readonly label: string;
  readonly placeholder: string;
  /** What is said instead of a list: that there is nothing, or that it is still being looked for. */
  readonly nothing: string;
  readonly typed: string;
  readonly onType: (typed: string) => void;
  readonly onChoose: (id: string) => void;
  readonly groups: readonly RankedGroup[];
  /** Told to assistive technology once it stands still. */
  readonly heard: string;
}) {
  return (
    <BaseDialog.Root
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) props.onClose();
      }}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="scrim" />
        <BaseDialog.Popup className="dialog palette" aria-label={props.label}>
          <Command label={props.label} loop shouldFilter={false} vimBindings={false}>
            <div className="palette-field">
              <Icon name="search" />
              <Command.Input
                placeholder={props.placeholder}
                maxLength={200}
                value={props.typed}
                onValueChange={props.onType}
              />
              <kbd>Esc</kbd>
            </div>
            <Command.List className="palette-list" label={props.label}>
              <Command.Empty>{props.nothing}</Command.Empty>
              {props.groups.map((group) => (
                <Command.Group key={group.name} heading={group.name}>
                  {group.items.map((ranked) => (
                    <PaletteRow key={ranked.item.id} ranked={ranked} onChoose={props.onChoose} />
                  ))}
                </Command.Group>
              ))}
            </Command.List>
          </Command>
          <output className="sr-only">{props.heard}</output>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

function PaletteRow({ ranked, onChoose }: { readonly ranked: RankedItem; readonly onChoose: (id: string) => void }) {
  const { item, ranges } = ranked;
  return (
    <Command.Item value={item.id} onSelect={() => onChoose(item.id)}>
      {typeof item.icon === 'string' ? <Icon name={item.icon} /> : <StateIcon status={item.icon.status} />}
      <span className="cut">
        <FoundText text={item.label} ranges={ranges} />
      </span>
      {item.note !== undefined && (
        <span className="n cut">
          <VisibleText text={item.note} />
        </span>
      )}
    </Command.Item>
  );
}
