import type { Problem } from '../../../shared/contract/errors.ts';
import type { AttemptToken } from '../../../shared/contract/identifiers.ts';
import { effectKeyOf, partOfKey } from '../../../shared/core/run/effect-key.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import type { RunRecord } from '../../store/rows.ts';
import { releaseStep } from '../../store/transactions/release-step.ts';
import type { Act } from '../act.ts';
import type { HostPorts } from '../ports.ts';

/**
 * Successors are released inside the settlement's own transaction. Only a step that never became an attempt (its input
 * could not be made) is released from here, along its failure edge: nothing was written down as sent, nothing was sent.
 */
export async function releaseUnprepared(
  ports: HostPorts,
  of: { run: RunRecord; strategy: Strategy; act: Act | null },
  cause: Problem,
): Promise<void> {
  const { run, strategy, act } = of;
  const part = act === null ? null : partOfKey(act.effectKey);
  if (act !== null && part !== null && part.callId !== null) return refuseCall(ports, { run, act }, cause);
  const effect = { agentId: run.agent_id, runId: run.run_id, effectKey: effectKeyOf(run.state_id, run.state_visit) };
  const from = { stateId: run.state_id, stateVisit: run.state_visit };
  await ports.store.write((connection) => {
    // Where the run goes on along a failure edge, nothing else would say why.
    connection.journal.append('intent.refused', { effect, ...from, message: cause.message.slice(0, 400) });
    releaseStep(connection, {
      attempt: { effect, attemptToken: 'never-made' as AttemptToken },
      from,
      result: { kind: 'failure', class: 'permanent' },
      strategy,
      nowMs: ports.clock.read().wallMs,
      failText: `Nothing was sent: ${cause.message}`.slice(0, 400),
    });
  });
}

/** A call that a model asked for and no tool takes: the model is told, and its step goes on. */
async function refuseCall(ports: HostPorts, of: { run: RunRecord; act: Act }, cause: Problem): Promise<void> {
  const { agent_id: agentId, run_id: runId, state_id: stateId, state_visit: stateVisit } = of.run;
  const effect = { agentId, runId, effectKey: of.act.effectKey };
  const message = cause.message.slice(0, 400);
  await ports.store.write(({ journal }) => journal.append('intent.refused', { effect, stateId, stateVisit, message }));
}
