import type { Digest, RunId } from '../../../shared/contract/identifiers.ts';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import type { GrantStanding } from '../../../shared/core/gate/grant.ts';
import { judgeOccurrence } from '../../../shared/core/trigger/occurrence.ts';
import type { TriggerSource } from '../../../shared/core/trigger/occurrence.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Connection } from '../connection.ts';
import { grantNow } from '../grant-now.ts';
import { findRun } from '../rows.ts';
import { writeTriggerCursor } from '../trigger-rows.ts';

/** What starts a run. */
export interface StartRunRequest {
  readonly runId: RunId;
  readonly requestDigest: Digest;
  readonly revisionDigest: Digest;
  readonly strategy: Strategy;
  readonly title: string;
  readonly by: string;
  readonly input: Readonly<Record<string, string>>;
  readonly source: TriggerSource;
  /** Up to where the trigger is settled with this run, if that moves: wall ms of a schedule, place of an ended run here. */
  readonly settledUpTo?: number | undefined;
}

/**
 * Starts a run, or answers with the one that the same occurrence has started already. One transaction with the authority check.
 * It does not come to its first state here: any device may start a run, and only the one that may act writes how it goes on.
 * What two devices start as one run could else take back what the run has done since (ADR 0017).
 */
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
  const { standing } = grantNow(connection, strategy.id, revisionDigest);
  if (standing.kind !== 'in-force') return err(missingGrant(strategy.name, standing));
  const { title, by, input, source, settledUpTo, requestDigest } = request;
  connection.journal.append('trigger.fired', {
    agentId: strategy.id,
    runId,
    revisionDigest,
    requestDigest,
    title,
    by,
    input,
    stateId: strategy.start,
    source,
    ...(settledUpTo === undefined || source.by === 'run' ? {} : { settledUpTo }),
  });
  if (source.by === 'run' && settledUpTo !== undefined)
    writeTriggerCursor(connection.db, { agentId: strategy.id, triggerId: source.triggerId, seq: settledUpTo });
  return ok({ runId, isNew: true });
}

function missingGrant(name: string, standing: Exclude<GrantStanding, { kind: 'in-force' }>): Problem {
  const wayOut = 'Open the agent, look at what it asks for, and authorise it.';
  if (standing.kind === 'expired') {
    const endedAt = new Date(standing.expiresAtMs).toISOString();
    const details = { endedAtMs: standing.expiresAtMs };
    return problem('grant-missing', `Your permission for ${name} ended on ${endedAt.slice(0, 10)}.`, wayOut, details);
  }
  if (standing.kind === 'other-device')
    return problem('grant-missing', `Your permission for ${name} does not hold on this device.`, wayOut);
  if (standing.kind === 'revoked')
    return problem('grant-missing', `Your permission for ${name} was taken back.`, wayOut);
  return problem('grant-missing', `${name} has no permission to act as it is now.`, wayOut);
}
