import type { LeaseCoordinator } from '../../../src/main/coordinators/lease-coordinator.ts';
import { createEmbeddedCoordinator } from '../../../src/main/coordinators/sqlite/embedded-coordinator.ts';
import { openStore } from '../../../src/main/store/testing/store-bench.ts';
import type { AgentId, DeviceId } from '../../../src/shared/contract/identifiers.ts';
import type { OpenOptions } from '../register-client.ts';

/** Every so many verbs, one is taken back. */
const TAKEN_BACK_EVERY = 9;

/**
 * The register in a store of its own, for many callers of one process. Now and then a transaction that had already asked
 * the register is taken back by its caller, as a refused dispatch is: nobody may ever see what it had decided.
 */
export async function openCoordinator({ place, clock }: OpenOptions): Promise<LeaseCoordinator> {
  const store = openStore(place, clock);
  const coordinator = createEmbeddedCoordinator({
    register: () => store.connection()?.register ?? null,
    write: (job) => store.write(job),
  });
  let asked = 0;
  return {
    ...coordinator,
    ask(agentId, verb) {
      asked += 1;
      if (asked % TAKEN_BACK_EVERY === 0) {
        void store.write(() => {
          takeAnyway(coordinator, agentId, asked);
          throw new Error('The caller takes it back.');
        });
      }
      return coordinator.ask(agentId, verb);
    },
  };
}

function takeAnyway({ inside }: LeaseCoordinator, agentId: AgentId, number: number): void {
  const deviceId = 'device-taken-back' as DeviceId;
  const grant = inside?.ask(agentId, { verb: 'acquire', deviceId, nonce: `taken-back-${number}`, ttlMs: 60_000 });
  if (grant?.reply.kind !== 'granted') return;
  inside?.ask(agentId, { verb: 'prune-tail', deviceId, epoch: grant.reply.epoch, uptoSeq: 1_000_000 });
}
