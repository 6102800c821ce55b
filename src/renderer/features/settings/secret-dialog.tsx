import type { RefObject } from 'react';
import { useRef, useState } from 'react';
import type { KeptSecretRow, SecretsView } from '../../../shared/contract/secret-views.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { Note } from '../../ui/note.tsx';
import { secretText as text } from './secret-strings.ts';

const LONGEST_NAME = 64;
const LONGEST_VALUE = 65_536;

/** Takes a new value for a secret. What was kept before is never shown; what is typed goes with the dialog. */
export function SecretDialog(props: {
  /** `null` asks for the name as well. */
  readonly name: string | null;
  readonly kept: readonly KeptSecretRow[];
  readonly protection: SecretsView['protection']['kind'];
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const [typedName, setTypedName] = useState('');
  const [value, setValue] = useState('');
  const saving = useAction('secrets.set');
  const first = useRef<HTMLInputElement>(null);
  const name = props.name ?? typedName.trim();
  const isThere = props.kept.some((row) => row.name === name);
  const isReady = name !== '' && value !== '';
  async function go(): Promise<void> {
    if (!isReady) return;
    const answer = await saving.run({ name, value });
    if (answer.ok) props.onDone(answer.value.sentence);
  }
  return (
    <Dialog
      isOpen
      title={props.name === null ? text.addHeading : isThere ? text.replaceHeading(name) : text.addNamed(name)}
      onClose={props.onClose}
      initialFocus={first}
      actions={
        <>
          <Button onClick={props.onClose}>{text.cancel}</Button>
          <Button variant="primary" isDisabled={!isReady || saving.isBusy} onClick={() => void go()}>
            {isThere ? text.replaceGo : text.addGo}
          </Button>
        </>
      }
    >
      <form
        className="form"
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          void go();
        }}
      >
        {props.name === null && <NameField input={first} name={typedName} isThere={isThere} onChange={setTypedName} />}
        <ValueField
          {...(props.name === null ? {} : { input: first })}
          value={value}
          help={`${text.valueHelp} ${text.keptIn[props.protection]}`}
          onChange={setValue}
        />
        {/* With two fields, Enter needs a button of the form's own; the one that is seen stands below. */}
        <input type="submit" hidden />
      </form>
      {saving.problem !== null && (
        <Note tone="bad" role="alert" title={saving.problem.message}>
          {saving.problem.wayOut}
        </Note>
      )}
    </Dialog>
  );
}

function NameField(props: {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly name: string;
  readonly isThere: boolean;
  readonly onChange: (name: string) => void;
}) {
  return (
    <FormField label={text.name} help={props.isThere ? text.isThere : text.nameHelp}>
      {(described) => (
        <input
          {...described}
          ref={props.input}
          className="field mono"
          value={props.name}
          maxLength={LONGEST_NAME}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          onChange={(event) => props.onChange(event.target.value)}
        />
      )}
    </FormField>
  );
}

function ValueField(props: {
  readonly input?: RefObject<HTMLInputElement | null>;
  readonly value: string;
  readonly help: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <FormField label={text.value} help={props.help}>
      {(described) => (
        <input
          {...described}
          ref={props.input}
          className="field mono"
          type="password"
          value={props.value}
          maxLength={LONGEST_VALUE}
          autoComplete="new-password"
          onChange={(event) => props.onChange(event.target.value)}
        />
      )}
    </FormField>
  );
}
