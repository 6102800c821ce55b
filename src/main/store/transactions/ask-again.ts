import type { Strategy } from '../../../shared/contract/strategy.ts';
import { staleAnswer } from '../authority.ts';
import type { GuardedEffect } from '../authority.ts';
import type { Connection } from '../connection.ts';
import { findRun } from '../rows.ts';
import { enterState } from './enter-state.ts';

/**
 * Where a yes does not count any more (another device or lease, another input, used before), the run goes back to the
 * question, and the person is asked anew about what would be sent now. Answers whether that was so. Nothing was sent.
 */
export function askAgain(
  connection: Connection,
  effect: GuardedEffect,
  of: { readonly strategy: Strategy; readonly nowMs: number },
): boolean {
  const { strategy, nowMs } = of;
  const run = findRun(connection.db, effect.runId);
  // Waiting: a failure that passes by itself is about to be tried again.
  const isItsTurn = run !== null && (run.phase === 'ready' || run.phase === 'waiting');
  const isAtStep = isItsTurn && run.ending === null && run.state_id === effect.stateId;
  if (!isAtStep || run.stop_requested === 1 || effect.guardedBy === null) return false;
  const stale = staleAnswer(connection, effect);
  if (stale === null) return false;
  const { agentId, runId } = effect;
  const { approval_id: approvalId } = stale.approval;
  connection.journal.append('approval.stale', { agentId, runId, approvalId, reason: stale.reason });
  // A model's step asks about its own calls, and stays where it is.
  if (effect.guardedBy !== effect.stateId) enterState(connection, run, strategy, effect.guardedBy, nowMs);
  return true;
}
