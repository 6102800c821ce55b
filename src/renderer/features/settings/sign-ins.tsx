import { useState } from 'react';
import type { SignInRow } from '../../../shared/contract/sign-in-views.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Note } from '../../ui/note.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { SignInDialog } from './sign-in-dialog.tsx';
import { SignOutDialog } from './sign-out-dialog.tsx';
import { signInText as text } from './sign-in-strings.ts';

type Asked = { readonly kind: 'in' | 'out'; readonly address: string };

/** Where this device can be signed in, and where it is. Nothing is shown where no agent names such a server. */
export function SignInsPart() {
  const query = useQuery('signIns.list', {});
  const [asked, setAsked] = useState<Asked | null>(null);
  const [said, setSaid] = useState('');
  const servers = query.value?.servers ?? [];
  if (servers.length === 0 && query.problem === null) return null;
  const row = servers.find(({ address }) => address === asked?.address);
  const done = (sentence: string): void => {
    setSaid(sentence);
    setAsked(null);
    query.refetch();
  };
  return (
    <section className="se-kinds" aria-label={text.title}>
      <h3 className="label">{text.title}</h3>
      <p className="t12 ink3">{text.lede}</p>
      {query.problem !== null && (
        <Note tone="bad" role="alert" title={query.problem.message}>
          {query.problem.wayOut}{' '}
          <Button size="small" onClick={query.refetch}>
            {text.again}
          </Button>
        </Note>
      )}
      {servers.length > 0 && (
        <ul className="se-secrets" aria-label={text.list}>
          {servers.map((each) => (
            <Server key={each.address} row={each} onAsk={setAsked} />
          ))}
        </ul>
      )}
      <output className="t12 ink2">{said}</output>
      {row !== undefined && asked?.kind === 'in' && (
        <SignInDialog row={row} onClose={() => setAsked(null)} onDone={done} onChanged={query.refetch} />
      )}
      {row !== undefined && asked?.kind === 'out' && (
        <SignOutDialog row={row} onClose={() => setAsked(null)} onDone={done} />
      )}
    </section>
  );
}

function Server({ row, onAsk }: { readonly row: SignInRow; readonly onAsk: (asked: Asked) => void }) {
  const { address, standing, signedInAtMs } = row;
  const isIn = standing === 'signed-in';
  return (
    <li>
      <span className="se-secret-use">
        <span className="mono medium">
          <VisibleText text={address} />
        </span>
        <span className="t12 ink2 se-help">
          {text.standing[standing]}
          {signedInAtMs !== null && (
            <>
              {' '}
              {text.since} <Time atMs={signedInAtMs} />
            </>
          )}
          {'. '}
          <VisibleText text={text.usedBy(row.agents.map((agent) => agent.name))} />
        </span>
      </span>
      <span className="flex se-secret-acts">
        <Button
          size="small"
          label={isIn ? text.signOutNamed(address) : text.signInNamed(address)}
          onClick={() => onAsk({ kind: isIn ? 'out' : 'in', address })}
        >
          {isIn ? text.signOut : text.signIn}
        </Button>
      </span>
    </li>
  );
}
