import { useCallback, useEffect, useRef, useState } from 'react';
import type { Answer, RequestOf, Route } from '../../shared/contract/api.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { problem } from '../../shared/contract/errors.ts';
import { err } from '../../shared/lib/result.ts';
import { callHost } from './host-store.ts';

export interface Action<R extends Route> {
  /** Asks the host once. While it is busy a second press is not sent. */
  readonly run: (request: RequestOf<R>) => Promise<Answer<R>>;
  readonly isBusy: boolean;
  readonly problem: Problem | null;
  readonly clear: () => void;
}

/** A command with its pending state and its problem. Nothing is ever sent again by itself. */
export function useAction<R extends Route>(route: R): Action<R> {
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly problem: Problem | null }>({
    isBusy: false,
    problem: null,
  });
  const isBusy = useRef(false);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  const run = useCallback(
    async (request: RequestOf<R>): Promise<Answer<R>> => {
      if (isBusy.current) return err(problem('store-busy', 'The first press is still being worked on.'));
      isBusy.current = true;
      setState({ isBusy: true, problem: null });
      const answer = await callHost(route, request);
      isBusy.current = false;
      if (!isGone.current) setState({ isBusy: false, problem: answer.ok ? null : answer.error });
      return answer;
    },
    [route],
  );
  const clear = useCallback(() => setState((now) => ({ ...now, problem: null })), []);
  return { run, ...state, clear };
}
