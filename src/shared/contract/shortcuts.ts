import { PLACES } from './places.ts';

/** Something that a key does in the window. */
export type ShortcutName =
  | 'palette'
  | 'search-here'
  | 'help'
  | 'first-unclear'
  | 'next-row'
  | 'previous-row'
  | 'open-row'
  | 'back'
  | 'focus-allow'
  | 'focus-deny'
  | `place-${number}`;

/** Where the sheet lists a key. */
export type ShortcutGroup = 'anywhere' | 'lists' | 'questions' | 'places';

/** One line of the table from which keys are handled, listed on the sheet, shown in tips and put into the system's menu. */
export interface Shortcut {
  readonly name: ShortcutName;
  /** As a key event names it. It does nothing while somebody types (but for Escape), or below an open dialog. */
  readonly key: string | null;
  /** The same with ⌘ on macOS and Ctrl elsewhere; this one works everywhere, and stands in the system's menu. */
  readonly commandKey: string | null;
  readonly does: string;
  readonly group: ShortcutGroup;
}

const shortcut = (
  name: ShortcutName,
  group: ShortcutGroup,
  of: { readonly key?: string; readonly commandKey?: string; readonly does: string },
): Shortcut => ({ name, group, key: of.key ?? null, commandKey: of.commandKey ?? null, does: of.does });

/** Every shortcut there is. Nothing that sends, permits or decides is on a key. */
export const SHORTCUTS: readonly Shortcut[] = [
  shortcut('palette', 'anywhere', { commandKey: 'k', does: 'Search or jump' }),
  shortcut('search-here', 'anywhere', { key: '/', does: 'Search in this screen' }),
  shortcut('first-unclear', 'anywhere', { key: 'r', does: 'Go to the first unclear step' }),
  shortcut('back', 'anywhere', { key: 'Escape', does: 'Close, or go back. Decides nothing' }),
  shortcut('help', 'anywhere', { key: '?', commandKey: '/', does: 'This list' }),
  shortcut('next-row', 'lists', { key: 'j', does: 'Next row' }),
  shortcut('previous-row', 'lists', { key: 'k', does: 'Previous row' }),
  shortcut('open-row', 'lists', { key: 'Enter', does: 'Open the row' }),
  shortcut('focus-allow', 'questions', { key: 'a', does: 'Move to allow, without pressing it' }),
  shortcut('focus-deny', 'questions', { key: 'd', does: 'Move to don’t allow, without pressing it' }),
  // There are nine digits; a tenth place has no key.
  ...PLACES.slice(0, 9).map(({ label }, index) =>
    shortcut(`place-${index + 1}`, 'places', {
      key: String(index + 1),
      commandKey: String(index + 1),
      does: label,
    }),
  ),
];

/** A shortcut by its name. */
export function shortcutNamed(name: ShortcutName): Shortcut {
  const found = SHORTCUTS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no shortcut ${name}.`);
  return found;
}

/** What of a key event tells which shortcut was pressed. */
export interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  /** The key chooses or completes a character that is still being written. */
  readonly isComposing: boolean;
}

/** The shortcut that a key event means; `null` for any other key. Commands and Escape count also while somebody types. */
export function shortcutOf(
  pressed: Pressed,
  where: { readonly isMac: boolean; readonly isTyping: boolean },
): ShortcutName | null {
  if (pressed.isComposing || pressed.altKey) return null;
  const isCommand = where.isMac ? pressed.metaKey && !pressed.ctrlKey : pressed.ctrlKey && !pressed.metaKey;
  if (isCommand && !pressed.shiftKey)
    return SHORTCUTS.find((each) => each.commandKey === pressed.key.toLowerCase())?.name ?? null;
  if (pressed.ctrlKey || pressed.metaKey || (where.isTyping && pressed.key !== 'Escape')) return null;
  return SHORTCUTS.find((each) => each.key === pressed.key)?.name ?? null;
}

/** The keys of a shortcut as they are printed on a keyboard: the plain one, or else the command. */
export function keyCaps(of: Shortcut, isMac: boolean): readonly string[] {
  if (of.key !== null) return [CAPS[of.key] ?? of.key];
  return of.commandKey === null ? [] : commandCaps(of, isMac);
}

/** The command of a shortcut as it is printed on a keyboard; empty if it has none. */
export function commandCaps(of: Shortcut, isMac: boolean): readonly string[] {
  return of.commandKey === null ? [] : [isMac ? '⌘' : 'Ctrl', of.commandKey.toUpperCase()];
}

const CAPS: Readonly<Record<string, string>> = { Escape: 'Esc' };

/** The command of a shortcut as Electron's menus take it; `null` if it has none. */
export function acceleratorOf(of: Shortcut): string | null {
  return of.commandKey === null ? null : `CmdOrCtrl+${of.commandKey.toUpperCase()}`;
}

/** The same for `aria-keyshortcuts`. */
export function ariaKeys(of: Shortcut, isMac: boolean): string {
  const plain = of.key === null ? [] : [of.key];
  const command = of.commandKey === null ? [] : [`${isMac ? 'Meta' : 'Control'}+${of.commandKey.toUpperCase()}`];
  return [...plain, ...command].join(' ');
}
