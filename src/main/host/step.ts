import type { AttemptToken } from '../../shared/contract/identifiers.ts';
import type { Strategy, StrategyState } from '../../shared/contract/strategy.ts';
import { effectKeyOf } from '../../shared/core/run/effect-key.ts';
import { isActing } from '../../shared/core/run/next-state.ts';
import type { StepResult } from '../../shared/core/run/next-state.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import { hasOpenBranches } from '../store/branches.ts';
import type { Connection } from '../store/connection.ts';
import { findRun, isStillAt } from '../store/rows.ts';
import type { RunRecord } from '../store/rows.ts';
import { hasOpenAttempt, releaseHeldBack } from '../store/transactions/control-run.ts';
import { carryOnFrom, conclude, enterFirst } from '../store/transactions/enter-state.ts';
import { failRun } from '../store/transactions/end-run.ts';
import { gatherBranches } from '../store/transactions/gather-branches.ts';
import { releaseStep } from '../store/transactions/release-step.ts';
import { retryLater } from '../store/transactions/retry-step.ts';
import { nextAct } from './act.ts';
import type { NextAct } from './act.ts';
import { askAboutCall, requestApproval } from './approve.ts';
import { offerTools } from './offer-tools.ts';
import { dispatch } from './pipeline/pipeline.ts';
import type { PassResult, PipelineState } from './pipeline/pipeline.ts';
import { releaseUnprepared } from './pipeline/successor.ts';
import { failWhereTooLate } from './repeat.ts';
import type { WaitClock } from './wait-clock.ts';

/** What looking at a run once came to; `rest`: it waits for a person, a time or its branches. */
export type StepOutcome = PassResult | 'rest';

/** What a run needs besides its record to be taken further. */
interface StepTurn {
  readonly waits: WaitClock;
  /** Whether the run may be worked on beside its siblings now. */
  hasRoom(): boolean;
  /** From now on, until it rests, the run is one of those that are worked on. */
  takePlace(): void;
}

/** Takes a run one step further, if it is its turn. */
export async function takeStep(state: PipelineState, run: RunRecord, turn: StepTurn): Promise<StepOutcome> {
  const { ports } = state;
  const { waits } = turn;
  const strategy = ports.strategyOf(run.revision_digest);
  const current = strategy === null ? undefined : ownMember(strategy.states, run.state_id);
  if (strategy === null || current === undefined) return 'wait-for-change';
  if (run.state_visit === 0) return begin(state, run, strategy);
  if (run.phase === 'branching') return gather(state, run, strategy);
  if (run.phase === 'acting') {
    const taken = await takeUp(state, run, strategy);
    if (taken !== 'still-to-be-done') return taken;
  }
  if (isActing(current) && turn.hasRoom() && isTurn(run, current, waits)) {
    // A place is for work: a branch that waits for a person or a time leaves it to the others.
    turn.takePlace();
    return act(state, run, strategy);
  }
  if (run.phase === 'ready' && current.type === 'approve') {
    await requestApproval(ports, { run, strategy, approve: current });
    return 'go-on';
  }
  if (run.phase === 'ready' && !isActing(current)) return carryOn(state, run, strategy);
  if (run.phase !== 'waiting' || current.type !== 'wait' || !waits.isOver(run, current.forMs)) return 'rest';
  await leaveStep(state, run, { strategy, result: { kind: 'success' }, failText: '' });
  return 'go-on';
}

async function begin(state: PipelineState, run: RunRecord, strategy: Strategy): Promise<StepOutcome> {
  const begun = await state.ports.store.write((connection) =>
    enterFirst(connection, run.run_id, { strategy, nowMs: nowMs(state) }),
  );
  return begun.ok ? 'go-on' : 'try-later';
}

/** No run rests ready at a state without an outside act, unless the journal that told of it broke off there. */
async function carryOn(state: PipelineState, run: RunRecord, strategy: Strategy): Promise<StepOutcome> {
  const carried = await state.ports.store.write((connection) =>
    carryOnFrom(connection, run, { strategy, nowMs: nowMs(state) }),
  );
  return carried.ok ? 'go-on' : 'try-later';
}

/**
 * A step that was begun or decided about, and of which nothing is on its way: where devices told each other late, nobody has
 * released what follows, or the step is still to be done.
 */
async function takeUp(
  state: PipelineState,
  run: RunRecord,
  strategy: Strategy,
): Promise<StepOutcome | 'still-to-be-done'> {
  const seen = state.ports.store.connection();
  if (seen === null) return 'try-later';
  if (hasOpenAttempt(seen.db, run.run_id)) return 'rest';
  const taken = await state.ports.store.write((connection) => {
    const now = findRun(connection.db, run.run_id);
    if (now?.phase !== 'acting' || hasOpenAttempt(connection.db, run.run_id)) return 'rest';
    if (!releaseHeldBack(connection, now, { strategy, nowMs: nowMs(state) })) return 'still-to-be-done';
    // One that is to be tried again rests where it is until its time has come.
    const isWaiting = findRun(connection.db, run.run_id)?.phase === 'waiting';
    return isStillAt(connection, now) && !isWaiting ? 'wait-for-change' : 'go-on';
  });
  return taken.ok ? taken.value : 'try-later';
}

/** Ready, begun with nothing on its way, or tried again after a failure that passes by itself. */
function isTurn(run: RunRecord, state: StrategyState, waits: WaitClock): boolean {
  if (run.phase === 'ready' || run.phase === 'acting') return true;
  const longestMs = 'retry' in state ? (state.retry?.longestDelayMs ?? 0) : 0;
  return run.phase === 'waiting' && waits.isOver(run, longestMs);
}

async function act(state: PipelineState, run: RunRecord, strategy: Strategy): Promise<StepOutcome> {
  const { ports } = state;
  const connection = ports.store.connection();
  if (connection === null) return 'try-later';
  const next = nextAct(connection, run, strategy);
  if (typeof next === 'string') {
    await ports.store.write((within) => endBroken(within, run, next));
    return 'go-on';
  }
  if (next.kind === 'over') return concludeStep(state, run, { strategy, next });
  if (await failWhereTooLate(ports, { run, strategy, act: next.act })) return 'go-on';
  const consent = next.act.asks ? await askAboutCall(ports, connection, { run, strategy, act: next.act }) : 'allowed';
  // Nothing has changed, and looking again at once would stop everything else.
  if (consent === 'waits') return 'rest';
  if (consent !== 'allowed') return 'go-on';
  const offered = await offerTools(ports, connection, { run, strategy, act: next.act });
  if (offered.ok) return dispatch(state, { run, strategy, act: offered.value });
  await releaseUnprepared(ports, { run, strategy, act: next.act }, offered.error);
  return 'go-on';
}

function endBroken(connection: Connection, run: RunRecord, sentence: string): void {
  const now = findRun(connection.db, run.run_id);
  if (now !== null && now.ending === null) failRun(connection, now, sentence);
}

/** A step of several parts is over: what it gives and what follows it are written down together. */
async function concludeStep(
  state: PipelineState,
  run: RunRecord,
  of: { strategy: Strategy; next: Extract<NextAct, { kind: 'over' }> },
): Promise<StepOutcome> {
  const { result, output, summary, failed } = of.next;
  const place = { stateId: run.state_id, stateVisit: run.state_visit };
  const now = { strategy: of.strategy, nowMs: nowMs(state) };
  await state.ports.store.write((connection) => {
    // The journal that told of the failure may end before it tells that the question is to be asked again.
    if (failed !== null && retryLater(connection, failed.attempt, { ...now, outcome: failed.outcome })) return;
    conclude(connection, run, { ...place, output, summary });
    releaseWithin(connection, run, { ...now, result, failText: summary });
  });
  return 'go-on';
}

async function gather(state: PipelineState, run: RunRecord, strategy: Strategy): Promise<StepOutcome> {
  const connection = state.ports.store.connection();
  if (connection === null || hasOpenBranches(connection.db, run.run_id)) return 'rest';
  const gathered = await state.ports.store.write((within) =>
    gatherBranches(within, run.run_id, { strategy, nowMs: nowMs(state) }),
  );
  return gathered.ok && gathered.value ? 'go-on' : 'rest';
}

async function leaveStep(
  state: PipelineState,
  run: RunRecord,
  of: { strategy: Strategy; result: StepResult; failText: string },
): Promise<void> {
  await state.ports.store.write((connection) => releaseWithin(connection, run, { ...of, nowMs: nowMs(state) }));
}

function releaseWithin(
  connection: Connection,
  run: RunRecord,
  of: { strategy: Strategy; result: StepResult; failText: string; nowMs: number },
): void {
  const effect = { agentId: run.agent_id, runId: run.run_id, effectKey: effectKeyOf(run.state_id, run.state_visit) };
  const from = { stateId: run.state_id, stateVisit: run.state_visit };
  releaseStep(connection, { ...of, attempt: { effect, attemptToken: 'no-effect' as AttemptToken }, from });
}

function nowMs(state: PipelineState): number {
  return state.ports.clock.read().wallMs;
}
