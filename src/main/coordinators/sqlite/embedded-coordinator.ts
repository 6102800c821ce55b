import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { LeaseCoordinator } from '../lease-coordinator.ts';
import type { SqliteRegister } from './sqlite-register.ts';

/** What the embedded register needs of the store around it. */
export interface EmbeddedOptions {
  /** The register of the open connection; `null` while the store is being opened again. */
  register(): SqliteRegister | null;
  /** The store's group commit. */
  write<Value>(job: () => Value): Promise<Result<Value, Problem>>;
}

/** The register of a single device, in the store's own database, so that fence and claim share a transaction. */
export function createEmbeddedCoordinator(options: EmbeddedOptions): LeaseCoordinator {
  const open = (): SqliteRegister => {
    const register = options.register();
    if (register === null) throw new Error('The record is being opened again.');
    return register;
  };
  const { identity } = open();
  return {
    identity,
    name: 'This device',
    inside: { ask: (agentId, verb) => open().ask(agentId, verb), current: (agentId) => open().current(agentId) },
    ask: (agentId, verb) => options.write(() => open().ask(agentId, verb)),
    async current(agentId) {
      const register = options.register();
      if (register !== null) return { ok: true, value: register.current(agentId) };
      return { ok: false, error: problem('register-unreachable', 'The register is being opened again after a disk error.', 'Nothing is sent meanwhile.') };
    },
    close: async () => undefined,
  };
}
