import { useEffect, useRef, useState } from 'react';

/** Counts whole seconds down and calls `onEnd` once at zero; `null` rests. Stops when the component goes away. */
export function useCountdown(onEnd: () => void): {
  readonly secondsLeft: number | null;
  readonly start: (seconds: number) => void;
  readonly cancel: () => void;
} {
  const [secondsLeft, setSecondsLeft] = useState<number | null>(null);
  const end = useRef(onEnd);
  useEffect(() => {
    end.current = onEnd;
  });
  useEffect(() => {
    if (secondsLeft === null) return undefined;
    const timer = setTimeout(() => {
      if (secondsLeft > 1) {
        setSecondsLeft(secondsLeft - 1);
        return;
      }
      setSecondsLeft(null);
      end.current();
    }, 1_000);
    return () => clearTimeout(timer);
  }, [secondsLeft]);
  return { secondsLeft, start: setSecondsLeft, cancel: () => setSecondsLeft(null) };
}
