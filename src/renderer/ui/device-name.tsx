import { Icon } from './icon.tsx';
import type { IconName } from './icon-shapes.tsx';
import { VisibleText } from './visible-text.tsx';

/** A device with its drawing, guessed from its name only for the eye. */
export function DeviceName({ name }: { readonly name: string }) {
  return (
    <span className="device nw">
      <Icon name={deviceIcon(name)} />
      <span className="cut">
        <VisibleText text={name} />
      </span>
    </span>
  );
}

/** The drawing that fits a device's name; a desktop when nothing does. */
export function deviceIcon(name: string): IconName {
  const words = name.toLowerCase();
  if (words.includes('laptop') || words.includes('book')) return 'laptop';
  if (/\b(server|nas|attic|hub|pi)\b/u.test(words)) return 'server';
  if (/\b(pc|tower|workstation)\b/u.test(words)) return 'tower';
  return 'mac';
}
