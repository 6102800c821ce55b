import type { AgentId, AttemptToken, DeviceId, EffectKey, RunId } from '../../src/shared/contract/identifiers.ts';
import type { RegisterView } from '../../src/shared/core/lease/lease.ts';
import { applyVerb } from '../../src/shared/core/lease/register.ts';
import type { RegisterRecord, RegisterVerb } from '../../src/shared/core/lease/register.ts';
import type { Call, Operation } from './history.ts';

const COORDINATOR = { coordinatorId: 'register', incarnation: 'first-life' };
const AGENT = 'agent-1' as AgentId;

/** When an operation was asked, took effect and was answered, ms. */
export interface Times {
  readonly invokeMs: number;
  readonly effectMs: number;
  readonly returnMs: number;
}

/**
 * Writes histories that a true register would have made: every operation takes effect at one moment between its question
 * and its answer. Tests bend them afterwards.
 */
export class HistoryBuilder {
  readonly operations: Operation[] = [];
  /** What the register held after each operation, in the order in which they took effect. */
  readonly views: RegisterView[] = [];
  #record: RegisterRecord | null = null;
  #expiresMs = Number.NEGATIVE_INFINITY;

  /** An operation that took effect at `effectMs`; the operations must come in that order. */
  add(client: string, call: Exclude<Call, { verb: 'reboot' }>, times: Times): Operation {
    const { effectMs, invokeMs, returnMs } = times;
    const isHeld = this.#record !== null && this.#record.holder !== null;
    const isLive = isHeld && effectMs < this.#expiresMs;
    const step =
      call.verb === 'current'
        ? { record: this.#record, reply: null, leaseClock: 'keep' as const }
        : applyVerb(this.#record, call, isLive);
    this.#record = step.record;
    if (step.leaseClock === 'restart') this.#expiresMs = effectMs + (step.record?.ttlMs ?? 0);
    if (step.leaseClock === 'end') this.#expiresMs = effectMs;
    const view = this.#view(effectMs);
    this.views.push(view);
    const answer = { reply: step.reply, view };
    return this.#push({ client, call, invokeMs, returnMs, answer });
  }

  /** The machine starts again: the lease is over, the record stays. */
  reboot(invokeMs: number, returnMs: number): Operation {
    this.#expiresMs = invokeMs;
    return this.#push({ client: 'machine', call: { verb: 'reboot' }, invokeMs, returnMs, answer: null });
  }

  /** Nobody had an answer to this one; what the register did with it is what `add` made of it. */
  forget(operation: Operation): void {
    this.replace(operation, { returnMs: Infinity, answer: null });
  }

  /** A question that never reached the register. */
  lost(client: string, call: RegisterVerb, invokeMs: number): Operation {
    return this.#push({ client, call, invokeMs, returnMs: Infinity, answer: null });
  }

  replace(operation: Operation, members: Partial<Operation>): void {
    const index = this.operations.findIndex((each) => each.id === operation.id);
    this.operations[index] = { ...operation, ...members };
  }

  #push(operation: Omit<Operation, 'id' | 'agentId'>): Operation {
    const whole = { ...operation, id: this.operations.length, agentId: AGENT };
    this.operations.push(whole);
    return whole;
  }

  #view(nowMs: number): RegisterView {
    const record = this.#record;
    if (record === null) {
      return { coordinator: COORDINATOR, lease: null, epoch: 0, remainingMs: 0, tail: [], frontier: {} };
    }
    const { epoch, holder, nonce, ttlMs, tail, frontier } = record;
    const lease = holder === null || nonce === null ? null : { agentId: AGENT, holder, epoch, nonce, ttlMs };
    const remainingMs = lease === null ? 0 : Math.max(0, this.#expiresMs - nowMs);
    return { coordinator: COORDINATOR, lease, epoch, remainingMs, tail, frontier };
  }
}

/** Takes effect in the middle of a millisecond of its own. */
export function at(ms: number): Times {
  return { invokeMs: ms, effectMs: ms + 0.5, returnMs: ms + 1 };
}

/** The verbs in short, for histories written by hand. */
export const acquire = (device: string, nonce: string, ttlMs = 100): RegisterVerb => ({
  verb: 'acquire',
  deviceId: device as DeviceId,
  nonce,
  ttlMs,
});
export const renew = (device: string, epoch: number, nonce: string): RegisterVerb => ({
  verb: 'renew',
  deviceId: device as DeviceId,
  epoch,
  nonce,
});
export const release = (device: string, epoch: number): RegisterVerb => ({
  verb: 'release',
  deviceId: device as DeviceId,
  epoch,
  pendingClaims: 0,
  isHoldOffOver: true,
});
export const announce = (device: string, epoch: number, key: string): RegisterVerb => ({
  verb: 'announce',
  deviceId: device as DeviceId,
  epoch,
  entry: { effect: effectOf(key), attemptToken: `${key}-1` as AttemptToken, digest: `digest-${key}` },
  permit: null,
});
export const settle = (device: string, epoch: number, key: string, seq: number): RegisterVerb => ({
  verb: 'settle-tail',
  deviceId: device as DeviceId,
  epoch,
  effect: effectOf(key),
  attemptToken: `${key}-1` as AttemptToken,
  status: 'committed',
  opId: `op-${seq}`,
  seq,
});
export const prune = (device: string, epoch: number, uptoSeq: number): RegisterVerb => ({
  verb: 'prune-tail',
  deviceId: device as DeviceId,
  epoch,
  uptoSeq,
});

function effectOf(key: string): { agentId: AgentId; runId: RunId; effectKey: EffectKey } {
  return { agentId: AGENT, runId: 'run-1' as RunId, effectKey: key as EffectKey };
}
