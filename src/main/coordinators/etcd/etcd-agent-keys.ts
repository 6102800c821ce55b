import { z } from 'zod';
import type { AgentId } from '../../../shared/contract/identifiers.ts';
import type { CoordinatorIdentity } from '../../../shared/core/lease/lease.ts';
import type { RegisterRecord } from '../../../shared/core/lease/register.ts';
import { CorruptRegisterError, decodeRecord, encodeRecord } from '../register-record.ts';
import { pairAt, range } from './etcd-wire.ts';
import type { Operation, Pair, TxnAnswer } from './etcd-wire.ts';

/** The keys of one agent. `rec` is on no lease and never deleted; `live` exists for as long as the etcd lease does. */
export interface AgentKeys {
  readonly rec: string;
  readonly live: string;
}

/** Agents may be called anything, a slash and a line break included. */
export function agentKeys(prefix: string, agentId: AgentId): AgentKeys {
  const name = `${agentsPrefix(prefix)}${encodeURIComponent(agentId)}`;
  return { rec: `${name}/rec`, live: `${name}/live` };
}

export function agentsPrefix(prefix: string): string {
  return `${prefix}agent/`;
}

export function metaKey(prefix: string): string {
  return `${prefix}meta`;
}

/** Names the register, and the etcd that it was made or last confirmed in. Written once. */
export interface Meta extends CoordinatorIdentity {
  readonly clusterId: string;
}

const metaSchema = z.strictObject({
  coordinatorId: z.string().min(1),
  incarnation: z.string().min(1),
  clusterId: z.string().min(1),
});
const envelopeSchema = z.strictObject({ record: z.string(), leaseId: z.string().min(1).nullable() });

export function encodeMeta({ coordinatorId, incarnation, clusterId }: Meta): string {
  return JSON.stringify({ coordinatorId, incarnation, clusterId });
}

/** @throws CorruptRegisterError */
export function decodeMeta(text: string): Meta {
  return parse(text, metaSchema);
}

/** @throws TypeError for a record that would not read back. */
export function encodeEnvelope(record: RegisterRecord, leaseId: string | null): string {
  return JSON.stringify({ record: encodeRecord(record), leaseId });
}

/** Everything that a decision about an agent rests on, from one snapshot of etcd. */
export interface AgentState {
  readonly record: RegisterRecord | null;
  /** The etcd lease of the grant in force, gone or not; `null` after a release. */
  readonly leaseId: string | null;
  /** `0`: there is no record. */
  readonly recRevision: string;
  /** `0`: the time of the lease is over. */
  readonly liveRevision: string;
  readonly isLive: boolean;
  readonly meta: Pair | null;
  readonly answer: TxnAnswer;
}

/** What `decodeState` reads, in its order. */
export function stateRanges({ rec, live }: AgentKeys, meta: string): Operation[] {
  return [range(rec), range(live), range(meta)];
}

/** @throws CorruptRegisterError when the keys are not what this register writes; nothing may be decided on them. */
export function decodeState(answer: TxnAnswer): AgentState {
  const rec = pairAt(answer, 0);
  const live = pairAt(answer, 1);
  const envelope = rec === null ? null : parse(rec.value, envelopeSchema);
  const record = envelope === null ? null : decodeRecord(envelope.record);
  const leaseId = envelope?.leaseId ?? null;
  if (rec !== null && rec.lease !== '0') throw new CorruptRegisterError('A record of the register could run out.');
  if (live !== null && live.lease !== leaseId) {
    throw new CorruptRegisterError('A lease of the register is not the one that its record names.');
  }
  return {
    record,
    leaseId,
    recRevision: rec?.modRevision ?? '0',
    liveRevision: live?.createRevision ?? '0',
    isLive: live !== null,
    meta: pairAt(answer, 2),
    answer,
  };
}

function parse<Schema extends z.ZodType>(text: string, schema: Schema): z.infer<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CorruptRegisterError('A key of the register is not readable.');
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new CorruptRegisterError('A key of the register does not read back as it was written.');
  return parsed.data;
}
