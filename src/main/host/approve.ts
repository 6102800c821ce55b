import { problem } from '../../shared/contract/errors.ts';
import type { EventPayloads } from '../../shared/contract/events.ts';
import type { EffectKey, StateId } from '../../shared/contract/identifiers.ts';
import { APPROVAL_TTL_MS } from '../../shared/contract/strategy.ts';
import type { Strategy, StrategyState } from '../../shared/contract/strategy.ts';
import { fillTemplate } from '../../shared/core/run/template.ts';
import { readOne, sha256 } from '../store/connection.ts';
import type { Connection } from '../store/connection.ts';
import { templateScope } from '../store/run-scope.ts';
import type { ApprovalRecord, RunRecord } from '../store/rows.ts';
import { answerWhereStanding } from '../store/transactions/standing.ts';
import type { PreparedCall } from '../tools/tool.ts';
import type { Act } from './act.ts';
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
  if (connection === null || (guarded?.type !== 'tool' && guarded?.type !== 'script')) return;
  const act = { call: guarded.call, effect: guarded.effect, args: {}, isFilledIn: false };
  const prepared = await prepareCall(ports, connection, { run, strategy, act });
  if (!prepared.ok) return releaseUnprepared(ports, { run, strategy, act: null }, prepared.error);
  const question = fillTemplate(approve.question, templateScope(connection.db, run));
  await writeQuestion(ports, connection, {
    run,
    strategy,
    prepared: prepared.value,
    ofStateId: approve.of,
    question: question.ok ? question.value : approve.question,
    title: guarded.title ?? null,
    ttlMs: approve.expiresAfterMs ?? APPROVAL_TTL_MS,
  });
}

/** What a person is asked about. */
interface Question {
  readonly run: RunRecord;
  readonly strategy: Strategy;
  readonly prepared: PreparedCall;
  readonly ofStateId: StateId;
  readonly effectKey?: EffectKey;
  readonly question: string;
  readonly title: string | null;
  readonly ttlMs: number;
}

async function writeQuestion(ports: HostPorts, connection: Connection, of: Question): Promise<void> {
  const { run, strategy, ofStateId, effectKey } = of;
  const { inputText, title, target, effectKind, tool } = of.prepared;
  const request: Omit<EventPayloads['approval.requested'], 'input'> = {
    agentId: run.agent_id,
    runId: run.run_id,
    approvalId: ports.newId(),
    stateId: run.state_id,
    stateVisit: run.state_visit,
    ofStateId,
    ...(effectKey === undefined ? {} : { effectKey }),
    inputDigest: sha256(inputText),
    question: of.question,
    title: (of.title ?? title).slice(0, 80),
    target,
    effectKind,
    tool,
    // From the newest time that the record knows: by that one it is judged.
    expiresAtMs: connection.journal.nowMs() + of.ttlMs,
  };
  const nowMs = ports.clock.read().wallMs;
  await ports.store.write((within) => {
    const { journal } = within;
    journal.append('approval.requested', { ...request, input: journal.keep(inputText) });
    answerWhereStanding(within, request, { revisionDigest: run.revision_digest, strategy, nowMs });
  });
  ports.passed('after-approval-request');
}

/** Where a call that a model asked for stands with the person who is asked about it. */
export type CallConsent = 'allowed' | 'asked' | 'refused' | 'waits';

/** Asks about a call that a model wants to make, or tells the model that a person said no. Only `allowed` lets it go on. */
export async function askAboutCall(
  ports: HostPorts,
  connection: Connection,
  of: { run: RunRecord; strategy: Strategy; act: Act },
): Promise<CallConsent> {
  const { run, strategy, act } = of;
  const { effectKey } = act;
  const newest = newestQuestion(connection.db, run.run_id, effectKey);
  if (newest?.state === 'allowed') return 'allowed';
  if (newest?.state === 'open') return 'waits';
  if (newest?.state === 'not-allowed' || newest?.state === 'expired') {
    const message =
      newest.state === 'expired'
        ? 'Nobody answered in time.'
        : `A person did not allow it. ${newest.reason ?? ''}`.trim();
    await releaseUnprepared(ports, of, problem('not-offered', message));
    return 'refused';
  }
  const prepared = await prepareCall(ports, connection, of);
  if (!prepared.ok) {
    await releaseUnprepared(ports, of, prepared.error);
    return 'refused';
  }
  const question = 'The model asks for this. May it be done?';
  const parts = { prepared: prepared.value, ofStateId: run.state_id, effectKey, question, title: null };
  await writeQuestion(ports, connection, { run, strategy, ...parts, ttlMs: APPROVAL_TTL_MS });
  return 'asked';
}

function newestQuestion(db: Connection['db'], runId: string, effectKey: EffectKey): ApprovalRecord | null {
  return readOne<ApprovalRecord>(
    db,
    `SELECT * FROM approvals WHERE run_id = ? AND json_extract(request, '$.effectKey') = ?
       ORDER BY asked_seq DESC LIMIT 1`,
    runId,
    effectKey,
  );
}
