import { Link } from 'wouter';
import type { SearchHit, SearchKind } from '../../shared/contract/search-views.ts';
import { FoundText } from './found-text.tsx';
import { runNumber } from './run-number.ts';
import { StateIcon } from './state-mark.tsx';
import { Time } from './time.tsx';
import { VisibleText } from './visible-text.tsx';

/** One result: what was found, the run it is about, and when. It leads to the run. */
export function FoundHit({ hit, kind }: { readonly hit: SearchHit; readonly kind: SearchKind }) {
  return (
    <Link href={`/runs/${encodeURIComponent(hit.runId)}`} className="hit" data-hit="">
      <StateIcon status={hit.status} />
      <span className="hit-text cut">
        <FoundText text={hit.text} ranges={hit.ranges} />
      </span>
      <span className="hit-run cut">
        {kind !== 'run' && (
          <>
            <bdi>
              <VisibleText text={hit.title} />
            </bdi>
            {' · '}
          </>
        )}
        <bdi>
          <VisibleText text={hit.agentName} />
        </bdi>{' '}
        <span className="num">{runNumber(hit.number)}</span>
      </span>
      <span className="hit-when">
        <Time atMs={hit.atMs} />
      </span>
    </Link>
  );
}
