import { useEffect, useEffectEvent } from 'react';

export type KeyHandlers = Readonly<Record<string, () => void>>;

/** Whether a key belongs to what is being typed into or to an open layer rather than to the screen. */
function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return true;
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  const isTyping = target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/u.test(target.tagName);
  return isTyping || target.closest('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;
}

/** Plain keys for a screen: `j`, `/`, `?`, `Enter`. Never while text is typed or a dialog or menu is open. */
export function useKeys(handlers: KeyHandlers): void {
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
    const handler = handlers[event.key];
    if (handler === undefined) return;
    // Enter belongs to the control that has the focus.
    const isOnControl = event.target instanceof Element && event.target.closest('a, button, [role="tab"]') !== null;
    if (event.key === 'Enter' && isOnControl) return;
    event.preventDefault();
    handler();
  });
  useEffect(() => {
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
}
