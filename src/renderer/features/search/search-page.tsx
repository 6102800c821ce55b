import { useRef } from 'react';
import { SEARCH_KINDS } from '../../../shared/contract/search-views.ts';
import type { SearchView } from '../../../shared/contract/search-views.ts';
import { searchWords } from '../../../shared/lib/search-text.ts';
import { setSearch, useSearchPage } from '../../state/search-page.ts';
import { QUERY_MAX_LENGTH, useFound } from '../../state/use-found.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Note } from '../../ui/note.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { useShortcuts } from '../../ui/use-shortcuts.ts';
import { FoundGroup } from './found-group.tsx';
import { text } from './strings.ts';
import './search.css';

/** Hits of each kind before more is asked for. */
const FIRST_HITS = 8;

/** Everything in the record that has the words in it, by where they stand. */
export function SearchPage() {
  const query = useSearchPage((state) => state.query);
  const found = useFound(query, FIRST_HITS);
  const list = useRef<HTMLDivElement>(null);
  const step = (by: number) => stepIn(list.current, by);
  useShortcuts({ 'next-row': () => step(1), 'previous-row': () => step(-1) });
  return (
    <div className="page">
      <header className="top">
        <h1>{text.title}</h1>
        <SearchField
          value={query}
          onChange={setSearch}
          label={text.label}
          clearLabel={text.clear}
          placeholder={text.placeholder}
          maxLength={QUERY_MAX_LENGTH}
          hasFocusFirst
        />
      </header>
      <div className="scroll grow" ref={list}>
        <Results view={found.view} query={query} isCurrent={found.isCurrent} />
      </div>
      <output className="sr-only">{found.isCurrent && found.view !== null && heardOf(found.view)}</output>
    </div>
  );
}

function Results(props: { readonly view: SearchView | null; readonly query: string; readonly isCurrent: boolean }) {
  const { view, query, isCurrent } = props;
  if (searchWords(query).length === 0) {
    return (
      <EmptyState icon="search" title={text.emptyTitle}>
        {text.empty}
      </EmptyState>
    );
  }
  return (
    <>
      {view?.isNewestOnly === true && (
        <div className="sf-note">
          <Note tone="plain" icon="info">
            {text.newestOnly}
          </Note>
        </div>
      )}
      {SEARCH_KINDS.map((kind) => view?.groups.find((group) => group.kind === kind)).map(
        (group) =>
          group !== undefined && <FoundGroup key={`${group.kind} ${query}`} group={group} query={query.trim()} />,
      )}
      {view !== null && view.groups.length === 0 && isCurrent && (
        <EmptyState icon="search" title={text.noneTitle}>
          {text.none}
        </EmptyState>
      )}
    </>
  );
}

function heardOf(view: SearchView): string {
  const count = view.groups.reduce((sum, group) => sum + group.hits.length, 0);
  return text.heard(
    count,
    view.groups.some((group) => group.next !== null),
  );
}

/** The results are links: the focus goes from one to the next. */
function stepIn(list: HTMLElement | null, by: number): void {
  const links = [...(list?.querySelectorAll<HTMLElement>('[data-hit]') ?? [])];
  const at = links.findIndex((link) => link === document.activeElement);
  links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
}
