import { useLocation } from 'wouter';
import { text as controlText } from '../features/agents/control-strings.ts';
import { CommandPalette } from '../ui/command-palette.tsx';
import type { PaletteItem } from '../ui/command-palette.tsx';
import { stateLooks } from '../ui/state-words.ts';
import { useAction } from '../state/use-action.ts';
import { useQuery } from '../state/use-query.ts';
import { places } from './places.ts';
import { text } from './strings.ts';

/** Search or jump: screens, what waits, recent runs, agents. */
export function Palette({
  isOpen,
  onClose,
  onHelp,
  onControl,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onHelp: () => void;
  readonly onControl: () => void;
}) {
  return isOpen ? <OpenPalette onClose={onClose} onHelp={onHelp} onControl={onControl} /> : null;
}

function OpenPalette({
  onClose,
  onHelp,
  onControl,
}: {
  readonly onClose: () => void;
  readonly onHelp: () => void;
  readonly onControl: () => void;
}) {
  const items = usePaletteItems(onHelp, onControl);
  return (
    <CommandPalette
      isOpen
      onClose={onClose}
      label={text.palette}
      placeholder={text.palettePlaceholder}
      nothing={text.paletteNothing}
      items={items}
    />
  );
}

function usePaletteItems(onHelp: () => void, onControl: () => void): readonly PaletteItem[] {
  const [, navigate] = useLocation();
  const needs = useQuery('needs.list', {}).value;
  const runs = useQuery('runs.list', { limit: 50 }).value?.rows ?? [];
  const agents = useQuery('agents.list', {}).value?.agents ?? [];
  const setSettings = useAction('settings.set');
  const waiting = [...(needs?.unclear ?? []), ...(needs?.approvals ?? [])];
  const themes = ['system', 'light', 'dark'] as const;
  return [
    ...waiting.map((item): PaletteItem => ({
      id: `needs ${item.kind} ${item.id}`,
      group: text.waiting,
      label: item.title,
      icon: item.kind === 'unclear' ? 's-unclear' : 's-approve',
      note: item.agentName,
      keywords: [item.agentName, item.deviceName],
      run: () => navigate(`/needs/${item.kind}/${encodeURIComponent(item.id)}`),
    })),
    ...places.map((place, index): PaletteItem => ({
      id: `go ${place.path}`,
      group: text.goTo,
      label: place.label,
      icon: place.icon,
      note: String(index + 1),
      run: () => navigate(place.path),
    })),
    ...runs.map((row): PaletteItem => ({
      id: `run ${row.runId}`,
      group: text.recentRuns,
      label: row.title,
      icon: stateLooks[row.status].icon,
      note: row.agentName,
      keywords: [String(row.number), row.agentName, row.deviceName],
      run: () => navigate(`/runs/${encodeURIComponent(row.runId)}`),
    })),
    ...agents.map((agent): PaletteItem => ({
      id: `agent ${agent.agentId}`,
      group: text.agents,
      label: agent.name,
      icon: 'agents',
      run: () => navigate(`/agents/${encodeURIComponent(agent.agentId)}`),
    })),
    {
      id: 'control',
      group: text.control,
      label: controlText.everything,
      icon: 'hand',
      keywords: ['stop everything', 'pause all', 'resume'],
      run: onControl,
    },
    ...themes.map((theme): PaletteItem => ({
      id: `theme ${theme}`,
      group: text.appearance,
      label: text.useTheme[theme],
      icon: 'eye',
      run: () => void setSettings.run({ theme }),
    })),
    { id: 'help', group: text.appearance, label: text.help, icon: 'help', note: '?', run: onHelp },
  ];
}
