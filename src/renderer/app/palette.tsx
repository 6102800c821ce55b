import { useState } from 'react';
import { CommandPalette } from '../ui/command-palette.tsx';
import { rankItems } from '../ui/palette-order.ts';
import type { PaletteItem } from '../ui/palette-order.ts';
import { useFound } from '../state/use-found.ts';
import { usePaletteItems } from './palette-items.ts';
import { recentIds, rememberRecent } from './recent-places.ts';
import { text } from './strings.ts';

/** Hits of each kind that the palette shows; the search screen has the rest. */
const HITS = 5;

/** Search or jump: what waits, screens, runs, agents, and what the record knows. It opens the right place and does no more. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [recent] = useState(recentIds);
  const found = useFound(typed, HITS);
  const items = usePaletteItems(found.view, typed);
  const groups = rankItems(items, typed, { ids: recent, name: text.lately });
  const count = groups.reduce((sum, group) => sum + group.items.length, 0);
  return (
    <CommandPalette
      onClose={onClose}
      label={text.palette}
      placeholder={text.palettePlaceholder}
      nothing={found.isCurrent ? text.paletteNothing : text.paletteLooking}
      typed={typed}
      onType={setTyped}
      groups={groups}
      heard={typed === '' || !found.isCurrent ? '' : text.paletteHeard(count)}
      onChoose={(id) => choose(items, id, onClose)}
    />
  );
}

/** Closed first, so that the focus is where it was before the place moves it. */
function choose(items: readonly PaletteItem[], id: string, onClose: () => void): void {
  onClose();
  const item = items.find((each) => each.id === id);
  const recentId = item?.recentId === undefined ? id : item.recentId;
  if (recentId !== null) rememberRecent(recentId);
  item?.run();
}
