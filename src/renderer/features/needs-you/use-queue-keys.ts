import { useEffect } from 'react';
import { rowElementId, stepTo, type OpenItem } from './queue-rows.ts';

/** j and k move between the rows, Escape goes back to the queue. Enter belongs to the row that has the focus. */
export function useQueueKeys(rows: readonly OpenItem[], open: OpenItem | null, onBack: () => void): void {
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event.target)) return;
      if (event.key === 'Escape' && open !== null) {
        event.preventDefault();
        onBack();
        return;
      }
      if (isTyping(event.target) || (event.key !== 'j' && event.key !== 'k')) return;
      const focused = rows.find((row) => rowElementId(row) === document.activeElement?.id) ?? open;
      const next = stepTo(rows, focused, event.key === 'j' ? 1 : -1);
      if (next === null) return;
      event.preventDefault();
      document.querySelector<HTMLElement>(`#${CSS.escape(rowElementId(next))}`)?.focus();
    }
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [rows, open, onBack]);
}

/** A dialog or the palette above the page has its own keys. */
function isElsewhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.dialog, [aria-modal="true"], [role="menu"]') !== null;
}

/** Whether a key typed here is text. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return target.type !== 'radio' && target.type !== 'checkbox';
  return target instanceof HTMLTextAreaElement || target.isContentEditable;
}
