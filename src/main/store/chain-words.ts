import type { ChainProblem } from '../../shared/core/sync/operation.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';

/** What is wrong with a chain, for a person. */
export function chainSentence(found: ChainProblem): string {
  switch (found.kind) {
    case 'gap':
      return `Entry ${found.seq} should come here, and entry ${found.found} does.`;
    case 'broken-link':
      return `Entry ${found.seq} does not continue the entry before it.`;
    case 'wrong-hash':
      return `Entry ${found.seq} was changed: its id does not fit what it says.`;
    case 'foreign-device':
      return `Entry ${found.seq} is of another device.`;
    default:
      return assertNever(found);
  }
}
