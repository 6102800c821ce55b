import { useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { setFilters, useRunsList } from './run-filters.ts';
import { text } from './strings.ts';

/** The search field; `/` goes there, Esc clears it and then leaves. */
export function RunsSearch() {
  const search = useRunsList((state) => state.filters.search);
  const field = useRef<HTMLInputElement>(null);
  return (
    <div className="field runs-search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        data-search
        value={search}
        maxLength={200}
        placeholder={text.search}
        aria-label={text.searchLabel}
        onChange={(event) => setFilters({ search: event.target.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          if (search === '') field.current?.blur();
          else setFilters({ search: '' });
        }}
      />
      {search === '' ? (
        <kbd aria-hidden="true">/</kbd>
      ) : (
        <Button
          variant="quiet"
          size="small"
          icon="x"
          label={text.clearSearch}
          onClick={() => {
            setFilters({ search: '' });
            field.current?.focus();
          }}
        />
      )}
    </div>
  );
}
