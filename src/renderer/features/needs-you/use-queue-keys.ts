import { useEffect } from 'react';
import { pressedShortcut } from '../../ui/use-shortcuts.ts';
import { rowElementId, stepTo, type OpenItem } from './queue-rows.ts';

/** j and k move between the rows, Escape goes back to the queue. Enter belongs to the row that has the focus. */
export function useQueueKeys(rows: readonly OpenItem[], open: OpenItem | null, onBack: () => void): void {
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      const name = pressedShortcut(event);
      if (name === 'back' && open !== null) {
        event.preventDefault();
        onBack();
        return;
      }
      if (name !== 'next-row' && name !== 'previous-row') return;
      const focused = rows.find((row) => rowElementId(row) === document.activeElement?.id) ?? open;
      const next = stepTo(rows, focused, name === 'next-row' ? 1 : -1);
      if (next === null) return;
      event.preventDefault();
      document.querySelector<HTMLElement>(`#${CSS.escape(rowElementId(next))}`)?.focus();
    }
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [rows, open, onBack]);
}
