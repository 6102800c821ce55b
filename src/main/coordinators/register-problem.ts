import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';

/** Nobody knows what the register holds or did. `cause` is a whole sentence. */
export function unreachableProblem(cause: string): Problem {
  return problem(
    'register-unreachable',
    `The register that keeps the right to act cannot be used. ${cause}`,
    'Nothing new is sent meanwhile. Fencepost keeps trying.',
  );
}

/** The register in its place is not the one this host began with. */
export function wentBackProblem(): Problem {
  return problem(
    'register-went-back',
    'The register that keeps the right to act was replaced while it was in use.',
    'Nothing is sent. Close Fencepost, put the right register back in its place, and start again.',
  );
}

/** The sentence of whatever was thrown. */
export function sentenceOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.endsWith('.') ? text : `${text}.`;
}
