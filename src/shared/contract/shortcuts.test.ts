import { describe, expect, it } from 'vitest';
import { PLACES } from './places.ts';
import { acceleratorOf, ariaKeys, commandCaps, keyCaps, SHORTCUTS, shortcutNamed, shortcutOf } from './shortcuts.ts';
import type { Pressed } from './shortcuts.ts';

const key = (name: string, changes: Partial<Pressed> = {}): Pressed => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  isComposing: false,
  ...changes,
});
const AT_REST = { isMac: false, isTyping: false };
const TYPING = { isMac: false, isTyping: true };

describe('the table of shortcuts', () => {
  it('gives one key two meanings', () => {
    const plain = SHORTCUTS.flatMap((each) => each.key ?? []);
    const commands = SHORTCUTS.flatMap((each) => each.commandKey ?? []);
    expect(new Set(plain).size).toBe(plain.length);
    expect(new Set(commands).size).toBe(commands.length);
    expect(new Set(SHORTCUTS.map((each) => each.name)).size).toBe(SHORTCUTS.length);
  });

  it('takes away a key that every text field or window of the system has', () => {
    // Cut, copy, paste, all, undo, redo, find, print, save, new, open, close, quit, reload, hide, minimise, address, settings.
    const taken = ['x', 'c', 'v', 'a', 'z', 'y', 'f', 'p', 's', 'n', 'o', 'w', 'q', 'r', 'h', 'm', 'l', ',', 't'];
    for (const each of SHORTCUTS) expect(taken).not.toContain(each.commandKey);
  });

  it('does something while somebody types', () => {
    for (const each of SHORTCUTS) {
      if (each.key === null || each.key === 'Escape') continue;
      expect(shortcutOf(key(each.key), TYPING), each.name).toBeNull();
    }
    expect(shortcutOf(key('k', { ctrlKey: true }), TYPING)).toBe('palette');
    expect(shortcutOf(key('Escape'), TYPING)).toBe('back');
    expect(shortcutOf(key('Enter', { isComposing: true }), AT_REST)).toBeNull();
  });

  it('takes the wrong command key of a system, or a key with one more held down', () => {
    const onMac = { isMac: true, isTyping: false };
    expect(shortcutOf(key('k', { metaKey: true }), onMac)).toBe('palette');
    expect(shortcutOf(key('K', { ctrlKey: true }), AT_REST)).toBe('palette');
    // Control and K cuts a line on macOS; Windows and K is the system's.
    expect(shortcutOf(key('k', { ctrlKey: true }), onMac)).toBeNull();
    expect(shortcutOf(key('k', { metaKey: true }), AT_REST)).toBeNull();
    expect(shortcutOf(key('k', { ctrlKey: true, altKey: true }), AT_REST)).toBeNull();
    expect(shortcutOf(key('k', { ctrlKey: true, shiftKey: true }), AT_REST)).toBeNull();
    expect(shortcutOf(key('d', { ctrlKey: true }), AT_REST)).toBeNull();
  });

  it('cannot be pressed as it is printed', () => {
    expect(shortcutOf(key('?', { shiftKey: true }), AT_REST)).toBe('help');
    expect(shortcutOf(key('/', { ctrlKey: true }), AT_REST)).toBe('help');
    expect(shortcutOf(key('/'), AT_REST)).toBe('search-here');
    expect(shortcutOf(key('j'), AT_REST)).toBe('next-row');
    expect(shortcutOf(key('8'), AT_REST)).toBe('place-8');
    expect(shortcutOf(key('q'), AT_REST)).toBeNull();
  });

  it('says another key on a sheet, in a menu or to a screen reader', () => {
    const palette = shortcutNamed('palette');
    expect(keyCaps(palette, true)).toEqual(['⌘', 'K']);
    expect(commandCaps(palette, false)).toEqual(['Ctrl', 'K']);
    expect(acceleratorOf(palette)).toBe('CmdOrCtrl+K');
    expect(acceleratorOf(shortcutNamed('next-row'))).toBeNull();
    expect(ariaKeys(shortcutNamed('place-2'), false)).toBe('2 Control+2');
    expect(keyCaps(shortcutNamed('back'), false)).toEqual(['Esc']);
  });

  it('leaves a screen without a digit', () => {
    for (const [index, place] of PLACES.slice(0, 9).entries())
      expect(shortcutNamed(`place-${index + 1}`).does).toBe(place.label);
  });
});
