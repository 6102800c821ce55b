import type { Problem, ErrorCode } from '../../shared/contract/errors.ts';
import type { Result } from '../../shared/lib/result.ts';

/** What came of asking for the same about many things, each by itself. Ids. */
export interface BulkResult {
  readonly done: readonly string[];
  /** Nothing more was needed: it had ended, or somebody else had decided. */
  readonly already: readonly string[];
  readonly failed: readonly string[];
  /** Why the first of those failed that did, with its way out. */
  readonly whyFailed: string;
}

export const NOTHING_YET: BulkResult = { done: [], already: [], failed: [], whyFailed: '' };

/** One more answer. An expected failure about one thing never keeps the others back. */
export function counted(
  result: BulkResult,
  answered: {
    readonly id: string;
    readonly answer: Result<unknown, Problem>;
    /** The code that says that nothing more was needed. */
    readonly alreadyCode: ErrorCode;
  },
): BulkResult {
  const { id, answer, alreadyCode } = answered;
  if (answer.ok) return { ...result, done: [...result.done, id] };
  const { code, message, wayOut } = answer.error;
  if (code === alreadyCode) return { ...result, already: [...result.already, id] };
  const whyFailed = result.whyFailed === '' ? `${message} ${wayOut}`.trim() : result.whyFailed;
  return { ...result, failed: [...result.failed, id], whyFailed };
}

/** How many have answered. */
export function answeredOf({ done, already, failed }: BulkResult): number {
  return done.length + already.length + failed.length;
}
