import type { EventPayloads } from '../../shared/contract/events.ts';
import { APPROVAL_TTL_MS } from '../../shared/contract/strategy.ts';
import type { Strategy, StrategyState } from '../../shared/contract/strategy.ts';
import { fillTemplate } from '../../shared/core/run/template.ts';
import { sha256 } from '../store/connection.ts';
import { templateScope } from '../store/rows.ts';
import type { RunRecord } from '../store/rows.ts';
import { prepareCall } from './pipeline/intent.ts';
import { releaseUnprepared } from './pipeline/successor.ts';
import type { HostPorts } from './ports.ts';

/** Asks a person: durable before anybody is told, bound to exactly the input that is shown (ux section 3). */
export async function requestApproval(
  ports: HostPorts,
  of: { run: RunRecord; strategy: Strategy; approve: Extract<StrategyState, { type: 'approve' }> },
): Promise<void> {
  const { run, strategy, approve } = of;
  const connection = ports.store.connection();
  const guarded = strategy.states[approve.of];
  if (connection === null || guarded?.type !== 'tool') return;
  const prepared = await prepareCall(ports, connection, { run, strategy, call: guarded.call, effect: guarded.effect });
  if (!prepared.ok) return releaseUnprepared(ports, of, prepared.error);
  const question = fillTemplate(approve.question, templateScope(connection.db, run));
  const { inputText, title, target, effectKind, tool } = prepared.value;
  const request: Omit<EventPayloads['approval.requested'], 'input'> = {
    agentId: run.agent_id,
    runId: run.run_id,
    approvalId: ports.newId(),
    stateId: run.state_id,
    stateVisit: run.state_visit,
    ofStateId: approve.of,
    inputDigest: sha256(inputText),
    question: question.ok ? question.value : approve.question,
    title: (guarded.title ?? title).slice(0, 80),
    target,
    effectKind,
    tool,
    expiresAtMs: ports.clock.read().wallMs + (approve.expiresAfterMs ?? APPROVAL_TTL_MS),
  };
  await ports.store.write(({ journal }) =>
    journal.append('approval.requested', { ...request, input: journal.keep(inputText) }),
  );
  ports.passed('after-approval-request');
}
