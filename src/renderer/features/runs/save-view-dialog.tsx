import { useRef, useState } from 'react';
import { VIEW_NAME_MAX } from '../../../shared/contract/saved-view-terms.ts';
import type { SavedView } from '../../../shared/contract/saved-views.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { filtersOf, useRunsList } from './run-filters.ts';
import { text } from './strings.ts';

/** Gives the filters in use a name, or a saved view another one. */
export function SaveViewDialog(props: {
  /** The view that is renamed; `null` for a new one. */
  readonly view: SavedView | null;
  /** With what was done; empty where nothing was. */
  readonly onClose: (sentence: string) => void;
}) {
  const { view } = props;
  const filters = useRunsList((state) => state.filters);
  const field = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(view?.name ?? '');
  const saving = useAction('savedViews.save');
  async function save(): Promise<void> {
    if (name.trim() === '') return;
    const kept = view ?? filtersOf(filters);
    const answer = await saving.run({
      ...(view === null ? {} : { viewId: view.viewId }),
      name: name.trim(),
      search: kept.search,
      statuses: [...kept.statuses],
      agentId: kept.agentId,
      deviceId: kept.deviceId,
      time: kept.time,
    });
    if (answer.ok) props.onClose(answer.value.sentence);
  }
  return (
    <Dialog
      isOpen
      title={view === null ? text.saved.saveTitle : text.saved.renameTitle}
      onClose={() => props.onClose('')}
      initialFocus={field}
      actions={
        <>
          <Button onClick={() => props.onClose('')}>{text.saved.not}</Button>
          <Button
            variant="primary"
            isDisabled={saving.isBusy}
            disabledReason={name.trim() === '' ? text.saved.needsName : ''}
            onClick={() => void save()}
          >
            {text.saved.go}
          </Button>
        </>
      }
    >
      <FormField
        label={text.saved.name}
        help={view === null ? text.saved.help : text.saved.renameHelp}
        mistake={saving.problem === null ? '' : `${saving.problem.message} ${saving.problem.wayOut}`.trim()}
      >
        {(described) => (
          <input
            {...described}
            ref={field}
            className="field"
            value={name}
            maxLength={VIEW_NAME_MAX}
            onChange={(event) => setName(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') void save();
            }}
          />
        )}
      </FormField>
    </Dialog>
  );
}
