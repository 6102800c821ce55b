import { useHost } from './host-store.ts';

/** Whether what is shown is what the host knows: not while the line is down, and not surely while an answer is late. */
export function useFreshness(): 'current' | 'slow' | 'offline' {
  return useHost((state) => (state.isConnected ? (state.isSlow ? 'slow' : 'current') : 'offline'));
}

/** Whether the host can be reached. */
export function useIsConnected(): boolean {
  return useHost((state) => state.isConnected);
}
