import { useHost } from './host-store.ts';

/** Whether the host can be reached. */
export function useIsConnected(): boolean {
  return useHost((state) => state.isConnected);
}
