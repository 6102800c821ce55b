import type { Problem } from '../../../shared/contract/errors.ts';
import type { AttemptToken } from '../../../shared/contract/identifiers.ts';
import { effectKeyOf } from '../../../shared/core/run/effect-key.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import type { RunRecord } from '../../store/rows.ts';
import { releaseStep } from '../../store/transactions/release-step.ts';
import type { HostPorts } from '../ports.ts';

/**
 * Successors are released inside the settlement's own transaction. Only a step that never became an attempt (its input
 * could not be made) is released from here, along its failure edge: nothing was written down as sent, nothing was sent.
 */
export async function releaseUnprepared(
  ports: HostPorts,
  of: { run: RunRecord; strategy: Strategy },
  cause: Problem,
): Promise<void> {
  const { run, strategy } = of;
  const effect = { agentId: run.agent_id, runId: run.run_id, effectKey: effectKeyOf(run.state_id, run.state_visit) };
  await ports.store.write((connection) =>
    releaseStep(connection, {
      attempt: { effect, attemptToken: 'never-made' as AttemptToken },
      from: { stateId: run.state_id, stateVisit: run.state_visit },
      result: 'failure',
      strategy,
      nowMs: ports.clock.read().wallMs,
      failText: `Nothing was sent: ${cause.message}`.slice(0, 400),
    }),
  );
}
