import { useLocation } from 'wouter';
import type { NeedsYouItem } from '../../shared/contract/decision-views.ts';
import type { SearchGroup, SearchView } from '../../shared/contract/search-views.ts';
import { commandCaps, keyCaps, shortcutNamed } from '../../shared/contract/shortcuts.ts';
import type { RunRow } from '../../shared/contract/views.ts';
import { visibleText } from '../../shared/lib/visible-text.ts';
import { text as controlText } from '../features/agents/control-strings.ts';
import { openLayer } from '../state/layers.ts';
import { setSearch } from '../state/search-page.ts';
import { useQuery } from '../state/use-query.ts';
import { isMac } from '../ui/is-mac.ts';
import type { PaletteItem } from '../ui/palette-order.ts';
import { runNumber } from '../ui/run-number.ts';
import { places } from './places.ts';
import { text } from './strings.ts';

/** Runs that the palette knows by name without asking. */
const RECENT_RUNS = 50;

type Go = (path: string) => void;

/** Everything that the palette can open, in the order in which it stands there before anything is typed. */
export function usePaletteItems(found: SearchView | null, typed: string): readonly PaletteItem[] {
  const [, navigate] = useLocation();
  const needs = useQuery('needs.list', {}).value;
  const runs = useQuery('runs.list', { limit: RECENT_RUNS }).value?.rows ?? [];
  const agents = useQuery('agents.list', {}).value?.agents ?? [];
  const waiting = [...(needs?.unclear ?? []), ...(needs?.approvals ?? []), ...(needs?.waiting ?? [])];
  const known = new Set(runs.map((row) => row.runId));
  return [
    ...waiting.map((item) => waitingItem(item, navigate)),
    ...placeItems(navigate),
    ...runs.map((row) => runItem(row, navigate)),
    ...agents.map((agent): PaletteItem => ({
      id: `agent ${agent.agentId}`,
      group: text.agents,
      label: agent.name,
      icon: 'agents',
      run: () => navigate(`/agents/${encodeURIComponent(agent.agentId)}`),
    })),
    ...windowItems(navigate),
    ...(found?.groups ?? []).flatMap((group) => foundItems(group, { known, navigate })),
    ...(found === null || found.groups.length === 0 ? [] : [allFoundItem(typed, navigate)]),
  ];
}

function waitingItem(item: NeedsYouItem, go: Go): PaletteItem {
  return {
    id: `needs ${item.kind} ${item.id}`,
    group: text.waiting,
    label: item.title,
    icon: { status: item.kind === 'unclear' ? 'needs-recovery' : 'needs-approval' },
    note: `${item.agentName} · ${runNumber(item.runNumber)}`,
    keywords: [item.agentName, item.runTitle, runNumber(item.runNumber), item.deviceName],
    needsPerson: true,
    run: () => go(`/needs/${item.kind}/${encodeURIComponent(item.id)}`),
  };
}

function placeItems(go: Go): readonly PaletteItem[] {
  return places.map((place, index) => ({
    id: `go ${place.path}`,
    group: text.goTo,
    label: place.label,
    icon: place.icon,
    note: keyCaps(shortcutNamed(`place-${index + 1}`), isMac).join(' '),
    run: () => go(place.path),
  }));
}

function runItem(row: RunRow, go: Go): PaletteItem {
  return {
    id: `run ${row.runId}`,
    group: text.recentRuns,
    label: row.title,
    icon: { status: row.status },
    note: `${row.agentName} · ${runNumber(row.number)}`,
    keywords: [String(row.number), row.agentName, row.deviceName],
    run: () => go(`/runs/${encodeURIComponent(row.runId)}`),
  };
}

/** Each opens a screen or a question, where what it does is said and confirmed. */
function windowItems(go: Go): readonly PaletteItem[] {
  const help = shortcutNamed('help');
  return [
    {
      id: 'control',
      group: text.window,
      label: controlText.everything,
      icon: 'hand',
      keywords: ['stop everything', 'pause all', 'resume'],
      run: () => openLayer('control'),
    },
    {
      id: 'appearance',
      group: text.window,
      label: text.appearance,
      icon: 'eye',
      keywords: ['theme', 'light', 'dark', 'settings'],
      run: () => go('/settings'),
    },
    {
      id: 'help',
      group: text.window,
      label: text.help,
      icon: 'help',
      note: [...keyCaps(help, isMac), commandCaps(help, isMac).join(' ')].join('   '),
      keywords: ['keyboard', 'shortcuts'],
      run: () => openLayer('help'),
    },
  ];
}

function foundItems(
  group: SearchGroup,
  { known, navigate }: { readonly known: ReadonlySet<string>; readonly navigate: Go },
): readonly PaletteItem[] {
  return group.hits
    .filter((hit) => group.kind !== 'run' || !known.has(hit.runId))
    .map((hit, index) => ({
      id: group.kind === 'run' ? `run ${hit.runId}` : `${group.kind} ${index} ${hit.runId}`,
      // A run that was opened by what is in it is the same run the next time.
      recentId: `run ${hit.runId}`,
      group: text.found[group.kind],
      label: hit.text,
      ranges: hit.ranges,
      icon: { status: hit.status },
      note: group.kind === 'run' ? `${hit.agentName} · ${runNumber(hit.number)}` : visibleText(hit.title),
      run: () => navigate(`/runs/${encodeURIComponent(hit.runId)}`),
    }));
}

function allFoundItem(typed: string, go: Go): PaletteItem {
  return {
    id: 'search',
    group: text.window,
    label: text.showAllFound(typed.trim()),
    icon: 'search',
    ranges: [],
    recentId: null,
    run: () => {
      setSearch(typed.trim());
      go('/search');
    },
  };
}
