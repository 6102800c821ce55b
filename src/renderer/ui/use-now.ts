import { useEffect, useState } from 'react';

/** The wall clock, looked at again every `everyMs`; stands still while the window is hidden. */
export function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const look = () => {
      if (!document.hidden) setNowMs(Date.now());
    };
    const timer = setInterval(look, everyMs);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [everyMs]);
  return nowMs;
}
