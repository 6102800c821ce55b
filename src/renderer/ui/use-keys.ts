import { useEffect, useRef } from 'react';

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
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
      const handler = latest.current[event.key];
      if (handler === undefined) return;
      // Enter and Space belong to the control that has the focus.
      if (
        event.key === 'Enter' &&
        event.target instanceof Element &&
        event.target.closest('a, button, [role="tab"]') !== null
      )
        return;
      event.preventDefault();
      handler();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
}
