import { useRef, useState } from 'react';
import type { Retention } from '../../../shared/contract/record-views.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Note } from '../../ui/note.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { recordText as text } from './record-strings.ts';

/** From the shortest to the longest. */
const TERMS: readonly Retention[] = ['30-days', '90-days', '365-days', 'for-ever'];

/** How long single steps are kept. A shorter time is asked about first: what goes does not come back. */
export function RetentionChoice(props: { readonly retention: Retention; readonly onSaved: () => void }) {
  const { retention } = props;
  const saving = useAction('record.keep');
  const [asked, setAsked] = useState<Retention | null>(null);
  const [said, setSaid] = useState('');
  async function save(next: Retention): Promise<void> {
    const answer = await saving.run({ retention: next });
    if (answer.ok) setSaid(answer.value.sentence);
    setAsked(null);
    // Also after a refusal: what is shown is what holds.
    props.onSaved();
  }
  function choose(next: Retention): void {
    setSaid('');
    saving.clear();
    if (TERMS.indexOf(next) < TERMS.indexOf(retention)) setAsked(next);
    else if (next !== retention) void save(next);
  }
  return (
    <div className="se-row">
      <span className="ink2">{text.retention}</span>
      <span className="se-value">
        <RadioGroup
          label={text.retention}
          value={retention}
          onChange={choose}
          items={TERMS.map((value) => ({ value, label: text.terms[value] }))}
        />
        <output className="t12 ink2 se-help">{said}</output>
        <span className="t12 ink3 se-help">{text.retentionHelp}</span>
        {saving.problem !== null && (
          <Note tone="bad" role="alert" title={saving.problem.message}>
            {saving.problem.wayOut}
          </Note>
        )}
      </span>
      {asked !== null && (
        <ShorterDialog
          term={asked}
          isBusy={saving.isBusy}
          onClose={() => setAsked(null)}
          onGo={() => void save(asked)}
        />
      )}
    </div>
  );
}

function ShorterDialog(props: {
  readonly term: Retention;
  readonly isBusy: boolean;
  readonly onClose: () => void;
  readonly onGo: () => void;
}) {
  const safe = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      isOpen
      role="alertdialog"
      title={text.shorterTitle}
      onClose={props.onClose}
      initialFocus={safe}
      actions={
        <>
          <Button ref={safe} onClick={props.onClose}>
            {text.leave}
          </Button>
          <Button variant="danger" isDisabled={props.isBusy} onClick={props.onGo}>
            {text.terms[props.term]}
          </Button>
        </>
      }
    >
      <p>{text.shorter}</p>
      <p>{text.shorterStays}</p>
    </Dialog>
  );
}
