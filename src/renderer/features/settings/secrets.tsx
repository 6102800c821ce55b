import { useRef, useState } from 'react';
import type { KeptSecretRow, SecretsView } from '../../../shared/contract/secret-views.ts';
import { useAction } from '../../state/use-action.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Note } from '../../ui/note.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { RemoveSecretDialog } from './remove-secret-dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { secretText as text } from './secret-strings.ts';

/** What is asked in a dialog: a value for a name (`null`: a name as well), or whether a secret is to go. */
type Asked =
  | { readonly kind: 'set'; readonly name: string | null }
  | { readonly kind: 'remove'; readonly row: KeptSecretRow };

/** Secrets by name, who asks for them, and how well they are kept. No value ever comes here. */
export function Secrets() {
  const query = useQuery('secrets.list', {});
  const [asked, setAsked] = useState<Asked | null>(null);
  const [said, setSaid] = useState('');
  const add = useRef<HTMLButtonElement>(null);
  const done = (sentence: string): void => {
    setSaid(sentence);
    setAsked(null);
    query.refetch();
  };
  if (query.value === null) return query.problem === null ? null : <Unreadable query={query} />;
  const view = query.value;
  return (
    <>
      {query.problem !== null && <Unreadable query={query} />}
      {view.missing.map((row) => (
        <Note key={row.name} tone="needs" icon="key" className="se-missing">
          <span>
            <b className="strong">{text.missing(row.name)}</b>{' '}
            <VisibleText text={text.missingMore(row.agents.map((agent) => agent.name))} />
          </span>
          <Button
            size="small"
            className="se-go"
            label={text.addNamed(row.name)}
            onClick={() => setAsked({ kind: 'set', name: row.name })}
          >
            {text.add}
          </Button>
        </Note>
      ))}
      {view.kept.length === 0 ? (
        <p className="ink2">{text.none}</p>
      ) : (
        <ul className="se-secrets" aria-label={text.list}>
          {view.kept.map((row) => (
            <Kept key={row.name} row={row} onAsk={setAsked} />
          ))}
        </ul>
      )}
      <div className="flex wrap">
        <Button ref={add} icon="plus" onClick={() => setAsked({ kind: 'set', name: null })}>
          {text.addNew}
        </Button>
        <output className="t12 ink2">{said}</output>
      </div>
      <Protection view={view} onSaid={done} />
      {asked?.kind === 'set' && (
        <SecretDialog
          name={asked.name}
          kept={view.kept}
          protection={view.protection.kind}
          onClose={() => setAsked(null)}
          onDone={done}
        />
      )}
      {asked?.kind === 'remove' && (
        <RemoveSecretDialog
          row={asked.row}
          onClose={() => setAsked(null)}
          onDone={(sentence) => {
            done(sentence);
            // The button that was pressed is gone together with its row.
            add.current?.focus();
          }}
        />
      )}
    </>
  );
}

function Unreadable({ query }: { readonly query: ReturnType<typeof useQuery<'secrets.list'>> }) {
  return (
    <Note tone="bad" role="alert" title={query.problem?.message}>
      {query.problem?.wayOut}{' '}
      <Button size="small" onClick={query.refetch}>
        {text.again}
      </Button>
    </Note>
  );
}

function Kept({ row, onAsk }: { readonly row: KeptSecretRow; readonly onAsk: (asked: Asked) => void }) {
  return (
    <li>
      <span className="mono medium se-secret-name">{row.name}</span>
      <span className="t12 ink2 se-secret-use">
        <VisibleText text={text.usedBy(row.agents.map((agent) => agent.name))} />
        {row.variable !== null && <span className="se-help ink3">{text.fromEnvironment(row.variable)}</span>}
      </span>
      {row.variable === null && (
        <span className="flex se-secret-acts">
          <Button
            size="small"
            label={text.replaceNamed(row.name)}
            onClick={() => onAsk({ kind: 'set', name: row.name })}
          >
            {text.replace}
          </Button>
          <Button
            size="small"
            variant="quiet"
            label={text.removeNamed(row.name)}
            onClick={() => onAsk({ kind: 'remove', row })}
          >
            {text.remove}
          </Button>
        </span>
      )}
    </li>
  );
}

/** How well values are kept; without a keychain a plain warning and what can be done instead. */
function Protection({ view, onSaid }: { readonly view: SecretsView; readonly onSaid: (sentence: string) => void }) {
  const choosing = useAction('secrets.choose');
  const { kind, sentence } = view.protection;
  if (kind === 'keychain') return <p className="t12 ink3">{sentence}</p>;
  async function choose(next: 'session' | 'plain-file'): Promise<void> {
    if (next === kind) return;
    const answer = await choosing.run({ kind: next });
    if (answer.ok) onSaid(text.chosen);
  }
  return (
    <>
      <Note tone="needs" icon="warn" title={text.noKeychain}>
        {sentence}
      </Note>
      <RadioGroup
        label={text.choice}
        value={kind}
        onChange={(next) => void choose(next)}
        items={[
          { value: 'session', label: text.session, description: text.sessionMore },
          { value: 'plain-file', label: text.plainFile, description: text.plainFileMore },
        ]}
      />
      {choosing.problem !== null && (
        <Note tone="bad" role="alert" title={choosing.problem.message}>
          {choosing.problem.wayOut}
        </Note>
      )}
    </>
  );
}
