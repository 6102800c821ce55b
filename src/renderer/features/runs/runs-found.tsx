import { useLocation } from 'wouter';
import type { SearchGroup } from '../../../shared/contract/search-views.ts';
import { setSearch } from '../../state/search-page.ts';
import { useFound } from '../../state/use-found.ts';
import { Button } from '../../ui/button.tsx';
import { FoundHit } from '../../ui/found-hit.tsx';
import { useRunsList } from './run-filters.ts';
import { text } from './strings.ts';

/** Hits of each kind that stand above the table; the search screen has the rest. */
const HITS = 2;

/** What the search finds inside the runs, where the table looks at their names: whom, which file, and what became of it. */
export function RunsFound() {
  const search = useRunsList((state) => state.filters.search);
  const [, navigate] = useLocation();
  const inside = (useFound(search, HITS).view?.groups ?? []).filter((group) => group.kind !== 'run');
  if (inside.length === 0) return null;
  return (
    <section className="runs-found" aria-label={text.found}>
      <div className="runs-found-head">
        <h2 className="label">{text.found}</h2>
        <Button
          size="small"
          variant="quiet"
          onClick={() => {
            setSearch(search);
            navigate('/search');
          }}
        >
          {text.showFound}
        </Button>
      </div>
      <ul>{inside.map((group) => hitsOf(group))}</ul>
    </section>
  );
}

function hitsOf(group: SearchGroup) {
  return group.hits.map((hit, index) => (
    <li key={`${group.kind} ${hit.runId} ${index}`}>
      <FoundHit hit={hit} kind={group.kind} />
    </li>
  ));
}
