import { useQuery } from '../state/use-query.ts';
import { useRefetchEvery } from '../state/use-refetch-every.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { text } from './strings.ts';

/** What is on its way ends without a notice of its own, and there are only seconds left, ms. */
const LOOK_EVERY_MS = 400;

/** What quitting waits for. Closing the sheet changes nothing; closing the window is the same as quitting once more. */
export function LeavingSheet({ onClose }: { readonly onClose: () => void }) {
  const desktop = useQuery('desktop.get', {});
  useRefetchEvery(desktop, LOOK_EVERY_MS);
  const titles = desktop.value?.desktop?.leaving ?? [];
  return (
    <Dialog
      isOpen
      title={text.leavingTitle}
      onClose={onClose}
      actions={<Button onClick={() => window.close()}>{text.leaveNow}</Button>}
    >
      <p>{text.leavingLede}</p>
      {titles.length === 0 ? (
        <p>{text.leavingNone}</p>
      ) : (
        <>
          <ul className="leaving" aria-label={text.leavingList}>
            {titles.map((title, index) => (
              // Two steps may have the same title, and the list only gets shorter.
              <li key={`${index} ${title}`}>
                <VisibleText text={title} />
              </li>
            ))}
          </ul>
          <p className="ink2">{text.leavingMore}</p>
        </>
      )}
    </Dialog>
  );
}
