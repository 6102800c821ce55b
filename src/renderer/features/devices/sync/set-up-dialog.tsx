import { useRef, useState } from 'react';
import { useAction } from '../../../state/use-action.ts';
import { useQuery } from '../../../state/use-query.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Note } from '../../../ui/note.tsx';
import { RadioGroup } from '../../../ui/radio-group.tsx';
import { RelayFields, WordsField } from './set-up-fields.tsx';
import { EMPTY_FORM, mistakesOf, missingChoice, RELAY_KINDS, requestOf } from './set-up-form.ts';
import type { RelayKind, SetUpForm } from './set-up-form.ts';
import { setUpText as text } from './strings.ts';

/** Begins to share, or joins what other devices share. Nothing changes before the last press. */
export function SetUpDialog(props: {
  readonly onClose: () => void;
  /** The recovery words are there, and nowhere else yet. */
  readonly onWords: (words: readonly string[]) => void;
  readonly onDone: (sentence: string) => void;
}) {
  const [form, setForm] = useState<SetUpForm>(EMPTY_FORM);
  const [hasTried, setHasTried] = useState(false);
  const creating = useAction('sync.create');
  const joining = useAction('sync.join');
  const safe = useRef<HTMLButtonElement>(null);
  const isBusy = creating.isBusy || joining.isBusy;
  const problem = form.way === 'join' ? joining.problem : creating.problem;
  const mistakes = hasTried ? mistakesOf(form) : {};
  const edit = (change: Partial<SetUpForm>): void => setForm((now) => ({ ...now, ...change }));
  async function go(): Promise<void> {
    const request = requestOf(form);
    if (request === null) {
      setHasTried(true);
      return;
    }
    if (form.way === 'join') {
      const joined = await joining.run({ ...request, words: form.words });
      if (joined.ok) props.onDone(joined.value.sentence);
      return;
    }
    const created = await creating.run(request);
    if (created.ok) props.onWords(created.value.words);
  }
  return (
    <Dialog
      isOpen
      width="wide"
      title={text.heading}
      onClose={props.onClose}
      initialFocus={safe}
      actions={
        <>
          <Button ref={safe} isDisabled={isBusy} onClick={props.onClose}>
            {text.dont}
          </Button>
          <Button
            variant="primary"
            isDisabled={isBusy}
            disabledReason={isBusy ? '' : missingChoice(form)}
            onClick={() => void go()}
          >
            {form.way === 'join' ? text.join : text.begin}
          </Button>
        </>
      }
    >
      <Choices form={form} onChange={edit} />
      <div className="sy-part">
        <RelayFields form={form} mistakes={mistakes} onChange={edit} />
        {form.way === 'join' && <WordsField form={form} mistakes={mistakes} onChange={edit} />}
      </div>
      <p aria-live="polite" className="ink3">
        {isBusy ? (form.way === 'join' ? text.joining : text.beginning) : ''}
      </p>
      {problem !== null && (
        <Note tone="plain" icon="warn" role="alert" title={problem.message} className="dv-gap">
          {problem.wayOut}
        </Note>
      )}
    </Dialog>
  );
}

function Choices({
  form,
  onChange,
}: {
  readonly form: SetUpForm;
  readonly onChange: (change: Partial<SetUpForm>) => void;
}) {
  const coordinator = useQuery('coordinator.get', {}).value;
  const whyNot = (kind: RelayKind): string => {
    if (coordinator === null) return '';
    if (kind === 'hub' && coordinator.pairedHub === null) return text.notPaired;
    return kind === 'this-hub' && !coordinator.hub.isRunning ? text.hubIsOff : '';
  };
  return (
    <div className="sy-choices">
      <section>
        <h3 className="label">{text.how}</h3>
        <RadioGroup
          label={text.how}
          value={form.way}
          onChange={(way) => onChange({ way })}
          items={(['begin', 'join'] as const).map((way) => {
            const [label, description] = text.ways[way];
            return { value: way, label, description };
          })}
        />
      </section>
      <section>
        <h3 className="label">{text.carrier}</h3>
        <RadioGroup
          label={text.carrier}
          value={form.kind}
          onChange={(kind) => onChange({ kind })}
          items={RELAY_KINDS.map((kind) => {
            const [label, about] = text.relays[kind];
            const why = whyNot(kind);
            return {
              value: kind,
              label,
              description: why === '' ? about : `${about} ${why}`,
              isDisabled: why !== '',
            };
          })}
        />
        <p className="t12 ink3">{text.carrierHelp}</p>
      </section>
    </div>
  );
}
