import type { StateId } from '../../shared/contract/identifiers.ts';
import type { Strategy, StrategyState } from '../../shared/contract/strategy.ts';
import { usualNext } from '../../shared/core/run/next-state.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import type { RunRecord } from '../store/rows.ts';

/** A state with its name. */
export interface NamedState {
  readonly stateId: StateId;
  readonly state: StrategyState;
}

/** The states from one on, as they follow if nothing special happens, each once; up to `until`, which is left out. */
export function straightWay(
  strategy: Strategy,
  from: StateId,
  { until }: { readonly until: StateId | null },
): readonly NamedState[] {
  const way = new Map<StateId, NamedState>();
  let at: StateId | null = from;
  while (at !== null && at !== until && !way.has(at)) {
    const state: StrategyState | undefined = ownMember(strategy.states, at);
    if (state === undefined) break;
    way.set(at, { stateId: at, state });
    at = state.type === 'choice' ? state.otherwise : usualNext(state, 'success');
  }
  return [...way.values()];
}

/** Where a run begins and, for a branch of a fork, in which join it ends. */
export function endsOf(
  strategy: Strategy,
  run: Pick<RunRecord, 'parent_state_id' | 'branch'>,
): { readonly start: StateId; readonly until: StateId | null } {
  const origin = run.parent_state_id === null ? undefined : ownMember(strategy.states, run.parent_state_id);
  if (origin?.type === 'workset') return { start: origin.do, until: null };
  if (origin?.type !== 'fork') return { start: strategy.start, until: null };
  return { start: ownMember(origin.branches, run.branch ?? '') ?? strategy.start, until: origin.join };
}
