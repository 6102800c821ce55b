import type { EventPayloads } from '../../../shared/contract/events.ts';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { AgentId, DeviceId } from '../../../shared/contract/identifiers.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { readAll, readOne } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { readProfile } from '../../store/profile-values.ts';
import { ReadMemory } from '../../store/read-memory.ts';
import { decisionOf, findApproval, findAttempt, findRun } from '../../store/rows.ts';
import { decideApproval } from '../../store/transactions/decide-approval.ts';
import type { PipelineState } from '../pipeline/pipeline.ts';
import { resolveRecovery } from '../recovery.ts';
import { sleep } from '../timers.ts';
import { SHARING_KEY } from './kept-sharing.ts';

type AnswerKind = 'approval.answered' | 'recovery.answered';

/** How long a person who answered on a device that does not act is kept waiting for the one that does, ms. */
const HANDED_OVER_WAIT_MS = 6_000;
const LOOK_MS = 100;

/**
 * Who else has the right to act for an agent now, as its register says: its id, or an empty one where the agent belongs to a
 * register that this device does not use. `null` if nobody has, or this device, or nobody knows.
 */
export async function otherHolder(state: PipelineState, agentId: AgentId): Promise<DeviceId | '' | null> {
  const { ports, leases } = state;
  if (leases.held(agentId) !== null) return null;
  if (leases.highWater.isElsewhere(agentId)) return '';
  const looked = await ports.coordinator.current(agentId);
  if (!looked.ok) return null;
  const { lease, remainingMs } = looked.value;
  return lease === null || remainingMs <= 0 || lease.holder === ports.device.deviceId ? null : lease.holder;
}

/**
 * Writes an answer down for the device that may act, which decides by it, and waits a little for what comes of it. `isOver`
 * answers what was decided, as soon as this device knows. Error `not-holder` where it is still on its way then.
 */
export async function handOver<Kind extends AnswerKind>(
  state: PipelineState,
  answer: { readonly kind: Kind; readonly payload: EventPayloads[Kind]; readonly holder: DeviceId | '' },
  isOver: (connection: Connection) => Result<null, Problem> | null,
): Promise<Result<null, Problem>> {
  const { store, timers } = state.ports;
  const written = await store.write((within) => {
    within.journal.append(answer.kind, answer.payload);
    return deviceNameIn(within, answer.holder);
  });
  if (!written.ok) return written;
  for (let waitedMs = 0; waitedMs < HANDED_OVER_WAIT_MS; waitedMs += LOOK_MS) {
    const connection = store.connection();
    const over = connection === null ? null : isOver(connection);
    if (over !== null) return over;
    await sleep(timers, LOOK_MS);
  }
  const message = `${written.value} has the right to act here. Your answer is on its way to it.`;
  return err(problem('not-holder', message, 'Nothing more is needed: it counts as soon as that device has it.'));
}

/** Whether this device exchanges journals, so that an answer can reach another one. */
export function isSharing({ db }: Connection): boolean {
  return readProfile(db, SHARING_KEY) !== null;
}

interface AnswerRow {
  readonly op_id: string;
  readonly kind: AnswerKind;
  readonly payload: string;
}

/**
 * Answers that other devices handed over, of questions and unclear steps that are still open. The first in the order of the
 * fold decides; whoever answered later is told what was decided.
 */
export class HandedOverAnswers {
  readonly #state: PipelineState;
  readonly #memory = new ReadMemory();
  readonly #tried = new Set<string>();
  readonly #busy = new Set<AgentId>();

  constructor(state: PipelineState) {
    this.#state = state;
  }

  /**
   * For an agent that this device may act for now. Nobody waits for it: the loop that renews the right to act must not stand
   * still while the register is asked. `decided` is called where anything was.
   */
  carryOut(agentId: AgentId, decided: () => void): void {
    if (this.#busy.has(agentId) || this.#state.leases.standing(agentId).kind !== 'live') return;
    this.#busy.add(agentId);
    void this.#carryOut(agentId)
      .then((hasDecided) => hasDecided && decided())
      .catch((cause: unknown) => this.#state.ports.log({ event: 'answers-failed', message: String(cause) }))
      .finally(() => this.#busy.delete(agentId));
  }

  async #carryOut(agentId: AgentId): Promise<boolean> {
    const connection = this.#state.ports.store.connection();
    if (connection === null) return false;
    const open = this.#memory.recall(connection, agentId, (db) => readAll<AnswerRow>(db, OPEN_ANSWERS, agentId));
    let hasDecided = false;
    for (const answer of open) {
      if (this.#tried.has(answer.op_id)) continue;
      const decided =
        answer.kind === 'approval.answered'
          ? await this.#answerQuestion(JSON.parse(answer.payload) as EventPayloads['approval.answered'])
          : await this.#resolve(JSON.parse(answer.payload) as EventPayloads['recovery.answered']);
      // What is not possible now, because the right to act or the register is not there, is tried again.
      if (decided.ok || !AGAIN.has(decided.error.code)) this.#tried.add(answer.op_id);
      hasDecided ||= decided.ok;
    }
    return hasDecided;
  }

  async #answerQuestion(answer: EventPayloads['approval.answered']): Promise<Result<null, Problem>> {
    const { ports, leases } = this.#state;
    const strategy = this.#strategyOf(answer.runId);
    if (strategy === null) return err(problem('not-found', 'There is no such question any more.'));
    const nowMs = ports.clock.read().wallMs;
    const epoch = leases.held(answer.agentId)?.epoch ?? null;
    const written = await ports.store.write((within) => decideApproval(within, { ...answer, strategy, nowMs, epoch }));
    return written.ok ? written.value : written;
  }

  async #resolve(answer: EventPayloads['recovery.answered']): Promise<Result<null, Problem>> {
    const { epoch, ...request } = answer;
    const connection = this.#state.ports.store.connection();
    const attempt = connection === null ? null : findAttempt(connection.db, answer.attemptToken);
    if (attempt === null || attempt.epoch !== epoch) return err(problem('changed', 'What is known has changed.'));
    return await resolveRecovery(this.#state, { ...request, epoch });
  }

  #strategyOf(runId: string) {
    const connection = this.#state.ports.store.connection();
    const run = connection === null ? null : findRun(connection.db, runId);
    return run === null ? null : this.#state.ports.strategyOf(run.revision_digest);
  }
}

const AGAIN: ReadonlySet<string> = new Set(['not-holder', 'register-unreachable', 'store-unsure', 'store-full']);

const OPEN_ANSWERS = `
SELECT op_id, kind, payload FROM answers WHERE agent_id = ? AND (
  EXISTS (SELECT 1 FROM approvals WHERE approval_id = answers.subject_id AND state = 'open') OR
  EXISTS (SELECT 1 FROM attempts WHERE attempt_token = answers.subject_id AND progress <> 'settled'
    AND in_doubt_at_ms IS NOT NULL AND decision IS NULL))
ORDER BY place`;

/** What became of a question, for somebody who answered it elsewhere; `null` while it is open. */
export function outcomeOfQuestion(
  { db }: Connection,
  answer: EventPayloads['approval.answered'],
): Result<null, Problem> | null {
  const approval = findApproval(db, answer.approvalId);
  if (approval === null || approval.state === 'open') return null;
  const isMine = approval.decided_by === answer.by && approval.state === (answer.isAllowed ? 'allowed' : 'not-allowed');
  return isMine ? ok(null) : err(alreadyDecided(approval.decided_by));
}

/** The same for an unclear step. */
export function outcomeOfStep(
  { db }: Connection,
  answer: EventPayloads['recovery.answered'],
): Result<null, Problem> | null {
  const attempt = findAttempt(db, answer.attemptToken);
  const decision = attempt === null ? null : decisionOf(attempt);
  if (attempt === null || (decision === null && attempt.progress !== 'settled')) return null;
  const isMine = decision !== null && decision.choice === answer.choice && decision.by === answer.by;
  return isMine ? ok(null) : err(alreadyDecided(decision?.by ?? null));
}

function alreadyDecided(by: string | null): Problem {
  const message = `Already decided${by === null ? '' : ` by ${by}`}, on the device that has the right to act.`;
  return problem('already-decided', message, 'Nothing more is needed.');
}

/** What a device is called, as it said itself. */
function deviceNameIn({ db }: Connection, deviceId: string): string {
  const sql = 'SELECT name FROM sync_devices WHERE device_id = ?';
  return readOne<{ name: string }>(db, sql, deviceId)?.name ?? 'Another device';
}
