import type { HostControl } from '../host/control.ts';
import type { Application } from './application.ts';

/** To be replaced by the read side. */
export function createHandlers(_control: HostControl, _info: unknown): Application['handlers'] {
  return {} as Application['handlers'];
}
