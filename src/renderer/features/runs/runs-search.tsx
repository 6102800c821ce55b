import { SearchField } from '../../ui/search-field.tsx';
import { setFilters, useRunsList } from './run-filters.ts';
import { text } from './strings.ts';

/** The search field of the list. */
export function RunsSearch() {
  const search = useRunsList((state) => state.filters.search);
  return (
    <SearchField
      value={search}
      onChange={(value) => setFilters({ search: value })}
      label={text.searchLabel}
      clearLabel={text.clearSearch}
      placeholder={text.search}
      maxLength={200}
    />
  );
}
