import { create } from 'zustand';

/** What the search screen looks for. It survives leaving the screen, and stands in no address. */
export const useSearchPage = create<{ readonly query: string }>(() => ({ query: '' }));

/** Sets what the search screen looks for. */
export function setSearch(query: string): void {
  useSearchPage.setState({ query });
}
