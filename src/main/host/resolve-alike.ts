import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { Digest } from '../../shared/contract/identifiers.ts';
import { alikeDoubt } from '../../shared/core/recovery/alike-doubts.ts';
import type { BatchChoice } from '../../shared/core/recovery/alike-doubts.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { doubtFacts } from '../store/recovery-now.ts';
import { findAttempt } from '../store/rows.ts';
import type { HostControl } from './control.ts';

/** One answer of a person for several unclear steps, each bound to what was shown of it. */
export interface AlikeRequest {
  readonly steps: readonly { readonly attemptToken: string; readonly inputDigest: Digest; readonly epoch: number }[];
  readonly choice: BatchChoice;
  readonly by: string;
  readonly reason: string;
}

/** What came of one of them. */
export interface AlikeResult {
  readonly attemptToken: string;
  readonly result: Result<null, Problem>;
}

const NOT_ALIKE = problem(
  'not-offered',
  'These steps are not unclear for the same reason.',
  'Nothing was decided. Answer them one by one.',
);
const MORE_IS_KNOWN = problem(
  'changed',
  'Something more is known about this one by now.',
  'Look at it, then answer it by itself.',
);

/**
 * Decides the same about several unclear steps that are alike: each by a compare-and-set of its own with a result of its own.
 * Steps that are not alike are refused as a whole, before anything is decided; one that was decided meanwhile is not.
 */
export async function resolveAlike(
  control: Pick<HostControl, 'connection' | 'resolveRecovery'>,
  request: AlikeRequest,
): Promise<Result<readonly AlikeResult[], Problem>> {
  const connection = control.connection();
  if (connection === null) return err(problem('store-unsure', 'The record is being opened again.', 'Wait a moment.'));
  const found = request.steps.map(({ attemptToken }) => {
    const attempt = findAttempt(connection.db, attemptToken);
    return attempt === null ? null : doubtFacts(connection, attempt);
  });
  // By what was the same when they were shown: an answer that came since holds back the one that it is about.
  const kinds = new Set(found.map((facts) => (facts === null ? null : alikeDoubt({ ...facts, hasEvidence: false }))));
  const tokens = new Set(request.steps.map(({ attemptToken }) => attemptToken));
  if (kinds.size !== 1 || kinds.has(null) || tokens.size !== request.steps.length) return err(NOT_ALIKE);
  const { choice, by, reason } = request;
  const decide = async (step: AlikeRequest['steps'][number], index: number): Promise<AlikeResult> => {
    const { attemptToken } = step;
    const isMoreKnown = found[index]?.hasEvidence === true && isOpen(control, attemptToken);
    if (isMoreKnown) return { attemptToken, result: err(MORE_IS_KNOWN) };
    return { attemptToken, result: await control.resolveRecovery({ ...step, choice, by, reason }) };
  };
  return ok(await Promise.all(request.steps.map(decide)));
}

function isOpen(control: Pick<HostControl, 'connection'>, attemptToken: string): boolean {
  const connection = control.connection();
  const attempt = connection === null ? null : findAttempt(connection.db, attemptToken);
  return attempt !== null && attempt.progress !== 'settled' && attempt.decision === null;
}
