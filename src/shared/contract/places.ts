/** A screen that the list at the left, the system's menu and links lead to. */
export interface PlaceName {
  readonly path: string;
  readonly label: string;
}

/** The screens from top to bottom; the digit keys follow this order. */
export const PLACES = [
  { path: '/needs', label: 'Needs you' },
  { path: '/runs', label: 'Runs' },
  { path: '/agents', label: 'Agents' },
  { path: '/schedules', label: 'Schedules' },
  { path: '/leases', label: 'Right to act' },
  { path: '/refusals', label: 'Refusals' },
  { path: '/devices', label: 'Devices and sync' },
  { path: '/activity', label: 'Activity' },
  { path: '/settings', label: 'Settings' },
] as const satisfies readonly PlaceName[];

/** What floats above the screens and is opened by its address, without leaving the screen below it. */
export const LAYERS = ['palette', 'help', 'control', 'leaving'] as const;
export type Layer = (typeof LAYERS)[number];

/** The address of a layer. */
export function layerPath(layer: Layer): string {
  return `/open/${layer}`;
}

/** The layer that an address names; `null` for the address of a screen. */
export function layerAt(path: string): Layer | null {
  return LAYERS.find((layer) => layerPath(layer) === path) ?? null;
}

/** Where a link that leads nowhere is told of. */
export const NO_LINK_PATH = '/no-link';
