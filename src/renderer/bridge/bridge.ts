import type { Bridge } from '../../shared/contract/api.ts';
import { connectSocket } from './socket-client.ts';

declare global {
  interface Window {
    /** Put there by the preload; missing in a browser. */
    readonly fencepost?: Bridge;
  }
}

/** A bridge, and whether the host can be reached through it. */
export interface WindowBridge extends Bridge {
  readonly onConnection: (listener: (isConnected: boolean) => void) => () => void;
}

/** The preload's bridge where there is one, else a socket to the origin that served this page. */
export function findBridge(): WindowBridge {
  const preload = window.fencepost;
  if (preload !== undefined) {
    return {
      call: (route, request) => preload.call(route, request),
      onChange: (listener) => preload.onChange(listener),
      // The preload lives and dies with the host: there is no line to lose.
      onConnection: () => () => undefined,
    };
  }
  const scheme = window.location.protocol === 'https:' ? 'wss' : 'ws';
  return connectSocket(`${scheme}://${window.location.host}/bridge`);
}
