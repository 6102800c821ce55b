import { useCallback, useLayoutEffect, useRef } from 'react';

/** One function for the life of the component that calls the newest `act`, so that memoised rows are not drawn again. */
export function useLatest<Arguments extends readonly unknown[]>(
  act: (...args: Arguments) => void,
): (...args: Arguments) => void {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...args: Arguments) => latest.current(...args), []);
}
