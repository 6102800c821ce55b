import type { IconName } from '../ui/icon-shapes.tsx';
import { text } from './strings.ts';

export interface Place {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  readonly group: 'top' | 'agents' | 'safety' | 'devices' | 'last';
}

/** The rail, from top to bottom; the digit keys follow this order. */
export const places: readonly Place[] = [
  { path: '/needs', label: text.needs, icon: 'needs', group: 'top' },
  { path: '/runs', label: text.runs, icon: 'runs', group: 'top' },
  { path: '/agents', label: text.agents, icon: 'agents', group: 'agents' },
  { path: '/schedules', label: text.schedules, icon: 'cal', group: 'agents' },
  { path: '/leases', label: text.rightToAct, icon: 'key', group: 'safety' },
  { path: '/refusals', label: text.refusals, icon: 'shield', group: 'safety' },
  { path: '/devices', label: text.devices, icon: 'devices', group: 'devices' },
  { path: '/activity', label: text.activity, icon: 'activity', group: 'devices' },
  { path: '/settings', label: text.settings, icon: 'sliders', group: 'last' },
];

/** The place that a location belongs to. */
export function placeOf(location: string): Place | undefined {
  return places.find((place) => location === place.path || location.startsWith(`${place.path}/`));
}
