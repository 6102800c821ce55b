import { useEffect, useEffectEvent } from 'react';
import { shortcutOf } from '../../shared/contract/shortcuts.ts';
import type { ShortcutName } from '../../shared/contract/shortcuts.ts';
import { isMac } from './is-mac.ts';

export type ShortcutHandlers = Readonly<Partial<Record<ShortcutName, () => void>>>;

/** Inputs that take no letters: on them a letter is still a shortcut. */
const WITHOUT_TEXT = new Set(['radio', 'checkbox', 'button', 'submit', 'range', 'file', 'color']);

/** Whether a key typed here is text. */
function isTyping(target: Element): boolean {
  if (target instanceof HTMLInputElement) return !WITHOUT_TEXT.has(target.type);
  const isText = target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
  return isText || (target instanceof HTMLElement && target.isContentEditable);
}

/** Which shortcut a key event is for a screen; `null` if it belongs to what is typed into or to a layer above it. */
export function pressedShortcut(event: KeyboardEvent): ShortcutName | null {
  if (event.defaultPrevented) return null;
  const target = event.target instanceof Element ? event.target : null;
  const isBelowLayer =
    target !== null &&
    target.closest('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') !== null;
  const name = shortcutOf(event, { isMac, isTyping: target !== null && isTyping(target) });
  // What floats has its own keys; only the two that open and close such a layer reach past it.
  if (isBelowLayer) return name === 'palette' || (name === 'help' && event.key === '/') ? name : null;
  // Enter belongs to the control that has the focus.
  const isOnControl = target !== null && target.closest('a, button, summary, input, [role="tab"]') !== null;
  return name === 'open-row' && isOnControl ? null : name;
}

/** What the shortcuts of the table do on a screen. Never while text is typed or a dialog or menu is open, but for commands. */
export function useShortcuts(handlers: ShortcutHandlers): void {
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    const name = pressedShortcut(event);
    const handler = name === null ? undefined : handlers[name];
    if (handler === undefined) return;
    event.preventDefault();
    handler();
  });
  useEffect(() => {
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
}
