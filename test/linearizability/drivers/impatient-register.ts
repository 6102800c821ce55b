import { setTimeout } from 'node:timers/promises';
import type { LeaseCoordinator } from '../../../src/main/coordinators/lease-coordinator.ts';
import type { RegisterView } from '../../../src/shared/core/lease/lease.ts';
import { unreachableProblem } from '../../../src/main/coordinators/register-problem.ts';
import { err, ok } from '../../../src/shared/lib/result.ts';
import type { OpenOptions } from '../register-client.ts';
import { openCoordinator as openHub } from './hub-register.ts';

/** How long it waits for an answer before it gives the last one again, ms. */
const PATIENCE_MS = 150;

/** Looks right on every network that works: where a look is not answered soon, it says what it was told before. */
export async function openCoordinator(options: OpenOptions): Promise<LeaseCoordinator> {
  const coordinator = await openHub(options);
  const known = new Map<string, RegisterView>();
  return {
    identity: coordinator.identity,
    name: coordinator.name,
    inside: null,
    async ask(agentId, verb) {
      const asked = coordinator.ask(agentId, verb);
      const answer = await Promise.race([asked, setTimeout(PATIENCE_MS, err(unreachableProblem('It took too long.')))]);
      if (answer.ok) known.set(agentId, answer.value.view);
      return answer;
    },
    async current(agentId) {
      const last = known.get(agentId);
      const looked = coordinator.current(agentId);
      if (last === undefined) return looked;
      return Promise.race([looked, setTimeout(PATIENCE_MS, ok(last))]);
    },
    close: () => coordinator.close(),
  };
}
