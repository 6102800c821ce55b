import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { Strategy } from '../../shared/contract/strategy.ts';
import { err } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { Connection } from '../store/connection.ts';
import { findApproval, findAttempt, findRun } from '../store/rows.ts';
import { decideApproval, notHolder } from '../store/transactions/decide-approval.ts';
import { allowLikeThis, revokeStanding } from '../store/transactions/standing.ts';
import type { HostControl } from './control.ts';
import type { Host } from './host.ts';
import type { HostPorts } from './ports.ts';
import { probeAttempt, reopen, resolveRecovery } from './recovery.ts';
import { becomesHolder } from './right-to-act.ts';
import { handOver, isSharing, otherHolder, outcomeOfQuestion, outcomeOfStep } from './sync/answers.ts';

type People = Pick<
  HostControl,
  'checkRecovery' | 'resolveRecovery' | 'reopenRecovery' | 'decideApproval' | 'allowLikeThis' | 'revokeStanding'
>;

/** What a person answers: unclear effects, questions, and standing permissions made from them. */
export function people(ports: HostPorts, host: Host): People {
  return {
    async checkRecovery(attemptToken, by) {
      const connection = ports.store.connection();
      const attempt = connection === null ? null : findAttempt(connection.db, attemptToken);
      if (attempt === null) return err(problem('not-found', 'There is no such step any more.'));
      return probeAttempt(host.state, attempt, by);
    },
    async resolveRecovery(request) {
      const resolved = (await handOverStep(host, request)) ?? (await resolveRecovery(host.state, request));
      host.wake();
      return resolved;
    },
    async reopenRecovery(attemptToken, by) {
      const reopened = await reopen(host.state, attemptToken, by);
      host.wake();
      return reopened;
    },
    decideApproval: async (request) =>
      (await handOverQuestion(host, request)) ??
      answer(ports, host, {
        ...request,
        decide: (within, of) => decideApproval(within, { ...request, ...of }),
      }),
    allowLikeThis: (request) =>
      answer(ports, host, {
        ...request,
        isAllowed: true,
        decide: (within, of) => allowLikeThis(within, { ...request, ...of, standingId: ports.newId() }),
      }),
    async revokeStanding(standingId, by) {
      const written = await ports.store.write((within) => revokeStanding(within, standingId, by));
      host.wake();
      return written.ok ? written.value : written;
    },
  };
}

/** What came of an answer that another device has to carry out; `null` where this one may decide itself. */
async function handOverQuestion(
  host: Host,
  { approvalId, ...said }: Parameters<HostControl['decideApproval']>[0],
): Promise<Result<null, Problem> | null> {
  const connection = host.state.ports.store.connection();
  const approval = connection === null ? null : findApproval(connection.db, approvalId);
  if (connection === null || approval === null || approval.state !== 'open' || !isSharing(connection)) return null;
  const { agent_id: agentId, run_id: runId } = approval;
  const holder = await otherHolder(host.state, agentId);
  if (holder === null) return null;
  const payload = { ...said, agentId, runId, approvalId };
  return await handOver(host.state, { kind: 'approval.answered', payload, holder }, (within) =>
    outcomeOfQuestion(within, payload),
  );
}

async function handOverStep(
  host: Host,
  { attemptToken, ...said }: Parameters<HostControl['resolveRecovery']>[0],
): Promise<Result<null, Problem> | null> {
  const connection = host.state.ports.store.connection();
  const attempt = connection === null ? null : findAttempt(connection.db, attemptToken);
  if (connection === null || attempt === null || attempt.decision !== null || !isSharing(connection)) return null;
  const holder = await otherHolder(host.state, attempt.agent_id);
  if (holder === null) return null;
  const { agent_id: agentId, run_id: runId, effect_key: effectKey, attempt_token: token } = attempt;
  const payload = { ...said, effect: { agentId, runId, effectKey }, attemptToken: token };
  return await handOver(host.state, { kind: 'recovery.answered', payload, holder }, (within) =>
    outcomeOfStep(within, payload),
  );
}

interface Deciding {
  readonly strategy: Strategy;
  readonly nowMs: number;
  readonly epoch: number | null;
}

/** A yes waits for the right to act, which it is bound to; a no needs none where nobody else could answer. */
async function answer(
  ports: HostPorts,
  host: Host,
  request: {
    approvalId: string;
    isAllowed: boolean;
    decide: (within: Connection, of: Deciding) => Result<null, Problem>;
  },
): Promise<Result<null, Problem>> {
  const { leases } = host.state;
  const connection = ports.store.connection();
  const approval = connection === null ? null : findApproval(connection.db, request.approvalId);
  const run = approval === null || connection === null ? null : findRun(connection.db, approval.run_id);
  const strategy = run === null ? null : ports.strategyOf(run.revision_digest);
  if (approval === null || strategy === null) return err(problem('not-found', 'There is no such question any more.'));
  // Where others know the question too, a no as well is given by the device that may act: two could say otherwise at once.
  const isShared = connection !== null && isSharing(connection);
  if ((request.isAllowed || isShared) && approval.state === 'open') {
    host.wake();
    await becomesHolder(host.state, approval.agent_id, ({ kind }) => kind === 'live' || kind === 'hold-off');
  }
  const epochNow = (agentId: AgentId): number | null => leases.held(agentId)?.epoch ?? null;
  if (isShared && approval.state === 'open' && epochNow(approval.agent_id) === null) return err(notHolder());
  const written = await ports.store.write((within) =>
    request.decide(within, { strategy, nowMs: ports.clock.read().wallMs, epoch: epochNow(approval.agent_id) }),
  );
  host.wake();
  return written.ok ? written.value : written;
}
