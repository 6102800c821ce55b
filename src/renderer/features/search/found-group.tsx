import { useState } from 'react';
import type { SearchGroup, SearchHit } from '../../../shared/contract/search-views.ts';
import { callHost } from '../../state/host-store.ts';
import { Button } from '../../ui/button.tsx';
import { FoundHit } from '../../ui/found-hit.tsx';
import { text } from './strings.ts';

/** Hits that each further page brings. */
const MORE_HITS = 30;

interface Further {
  readonly hits: readonly SearchHit[];
  readonly next: number | null;
}

/** The hits of one kind. What comes newly to the top moves nothing that was asked for below it. */
export function FoundGroup({ group, query }: { readonly group: SearchGroup; readonly query: string }) {
  const [further, setFurther] = useState<Further | null>(null);
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle');
  const next = further === null ? group.next : further.next;
  const name = text.kinds[group.kind];
  const more = async (before: number) => {
    setState('busy');
    const answer = await callHost('search.list', { query, kind: group.kind, before, limit: MORE_HITS });
    setState(answer.ok ? 'idle' : 'failed');
    if (!answer.ok) return;
    const [page] = answer.value.groups;
    setFurther((now) => ({ hits: [...(now?.hits ?? []), ...(page?.hits ?? [])], next: page?.next ?? null }));
  };
  return (
    <section className="sf-group" aria-labelledby={`found-${group.kind}`}>
      <h2 id={`found-${group.kind}`} className="sf-head">
        <span className="label">{name}</span> <span className="ink3">{text.kindNotes[group.kind]}</span>
      </h2>
      <ul>
        {[...group.hits, ...(further?.hits ?? [])].map((hit, index) => (
          <li key={`${hit.runId} ${index}`}>
            <FoundHit hit={hit} kind={group.kind} />
          </li>
        ))}
      </ul>
      {next !== null && (
        <div className="sf-more">
          <Button size="small" isDisabled={state === 'busy'} onClick={() => void more(next)}>
            {text.more}
            <span className="sr-only"> {name}</span>
          </Button>
          {state === 'failed' && <span role="alert">{text.problem}</span>}
        </div>
      )}
    </section>
  );
}
