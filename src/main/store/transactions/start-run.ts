import type { Digest, RunId } from '../../../shared/contract/identifiers.ts';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import { judgeOccurrence } from '../../../shared/core/trigger/occurrence.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Connection } from '../connection.ts';
import { activeGrant, findRun } from '../rows.ts';
import { enterState } from './move-run.ts';

/** What starts a run. */
export interface StartRunRequest {
  readonly runId: RunId;
  readonly requestDigest: Digest;
  readonly revisionDigest: Digest;
  readonly strategy: Strategy;
  readonly title: string;
  readonly by: string;
  readonly input: Readonly<Record<string, string>>;
  readonly nowMs: number;
}

/** Starts a run, or answers with the one that the same occurrence has started already. One transaction with the authority check. */
export function startRun(
  connection: Connection,
  request: StartRunRequest,
): Result<{ runId: RunId; isNew: boolean }, Problem> {
  const { runId, strategy, revisionDigest } = request;
  const existing = findRun(connection.db, runId);
  const verdict = judgeOccurrence(existing?.request_digest ?? null, request.requestDigest);
  if (verdict.kind === 'same-run') return ok({ runId, isNew: false });
  if (verdict.kind === 'conflict') {
    return err(
      problem(
        'idempotency-conflict',
        'The same request was made before with another input.',
        'Close the dialog and start again.',
      ),
    );
  }
  const grant = activeGrant(connection.db, strategy.id);
  if (grant === null || grant.revision_digest !== revisionDigest) {
    return err(
      problem(
        'grant-missing',
        `${strategy.name} has no permission to act as it is now.`,
        'Open the agent, look at what it asks for, and authorise it.',
      ),
    );
  }
  const { title, by, input, requestDigest, nowMs } = request;
  connection.journal.append('trigger.fired', {
    agentId: strategy.id,
    runId,
    revisionDigest,
    requestDigest,
    title,
    by,
    input,
    stateId: strategy.start,
  });
  const run = findRun(connection.db, runId);
  if (run === null) throw new Error('The run that was just written is not there.');
  enterState(connection, run, strategy, strategy.start, nowMs);
  return ok({ runId, isNew: true });
}
