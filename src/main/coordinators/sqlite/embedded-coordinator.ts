import type { Problem } from '../../../shared/contract/errors.ts';
import type { CoordinatorIdentity } from '../../../shared/core/lease/lease.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { LeaseCoordinator } from '../lease-coordinator.ts';
import { sentenceOf, unreachableProblem, wentBackProblem } from '../register-problem.ts';
import type { SqliteRegister } from './sqlite-register.ts';

/** What the embedded register needs of the store around it. */
export interface EmbeddedOptions {
  /** The register of the open connection; `null` while the store is being opened again. */
  register(): SqliteRegister | null;
  /** The store's group commit: answered after the commit, and an error means an unknown outcome. */
  write<Value>(job: () => Value): Promise<Result<Value, Problem>>;
}

/**
 * The register of a single device, in the store's own database, so that fence and claim share a transaction.
 * @throws Error when the store is not open; it has to be opened first.
 */
export function createEmbeddedCoordinator(options: EmbeddedOptions): LeaseCoordinator {
  const first = options.register();
  if (first === null) throw new Error('The embedded register needs an open store.');
  const { identity } = first;
  let isClosed = false;

  const find = (): Result<SqliteRegister, Problem> => {
    const register = isClosed ? null : options.register();
    if (register === null) return err(unreachableProblem('The record it is kept in is not open.'));
    return isSame(register.identity, identity) ? ok(register) : err(wentBackProblem());
  };
  const need = (): SqliteRegister => {
    const found = find();
    if (!found.ok) throw new Error(found.error.message);
    return found.value;
  };

  return {
    identity,
    name: 'This device',
    inside: { ask: (agentId, verb) => need().ask(agentId, verb), current: (agentId) => need().current(agentId) },
    async ask(agentId, verb) {
      const found = find();
      if (!found.ok) return found;
      const written = await options.write(() => need().ask(agentId, verb));
      // A bug or an unreadable row, taken back by the queue. Either way the register gave no answer.
      if (!written.ok && written.error.code === 'internal') return err(unreachableProblem(written.error.message));
      return written;
    },
    /** Outside a transaction, where nothing but committed rows can be seen: the one connection commits within one turn. */
    async current(agentId) {
      const found = find();
      if (!found.ok) return found;
      try {
        return ok(found.value.current(agentId));
      } catch (cause) {
        return err(unreachableProblem(sentenceOf(cause)));
      }
    },
    async close() {
      isClosed = true;
    },
  };
}

function isSame(one: CoordinatorIdentity, other: CoordinatorIdentity): boolean {
  return one.coordinatorId === other.coordinatorId && one.incarnation === other.incarnation;
}
