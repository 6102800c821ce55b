import type { Database } from 'better-sqlite3';
import type { AgentId, Digest, RunId } from '../../shared/contract/identifiers.ts';
import type { MissedReason, MissedState } from '../../shared/core/trigger/missed.ts';
import type { AutomaticSource, TriggerKind } from '../../shared/core/trigger/occurrence.ts';
import { change, readAll, readOne } from './connection.ts';

/** A trigger that counts. */
export interface TriggerRecord {
  agent_id: AgentId;
  kind: TriggerKind;
  trigger_id: string;
  /** The revision that was permitted, and the permission. */
  revision_digest: Digest;
  grant_digest: Digest;
  /** Wall ms of a schedule; for ends of runs, the place in this record from which they count. */
  settled_up_to: number;
  last_slot: string | null;
  last_run_id: RunId | null;
  missed_reason: MissedReason | null;
  missed_at_ms: number | null;
}

/** Something that was due and started no run then. */
export interface MissedRecord {
  agent_id: AgentId;
  kind: TriggerKind;
  trigger_id: string;
  slot: string;
  seq: number;
  /** JSON of an `AutomaticSource`. */
  source: string | null;
  due_at_ms: number;
  first_due_at_ms: number;
  slot_count: number;
  is_more: number;
  reason: MissedReason;
  detail: string;
  state: MissedState;
  run_id: RunId | null;
  is_caught_up: number;
}

/** Names one missed occurrence. */
export interface MissedRef {
  readonly agentId: string;
  readonly kind: TriggerKind;
  readonly triggerId: string;
  readonly slot: string;
}

/** Every trigger that counts, or those of one agent. */
export function readTriggers(db: Database, agentId: string | null = null): TriggerRecord[] {
  return readAll<TriggerRecord>(
    db,
    'SELECT * FROM triggers WHERE agent_id = coalesce(?, agent_id) ORDER BY agent_id, kind, trigger_id',
    agentId,
  );
}

/** How far the ends of runs were followed for a trigger on this device: a place in its own record, which no other one shares. */
export function readTriggerCursor(db: Database, of: { agentId: string; triggerId: string }): number {
  const sql = 'SELECT seq FROM trigger_cursors WHERE agent_id = ? AND trigger_id = ?';
  return readOne<{ seq: number }>(db, sql, of.agentId, of.triggerId)?.seq ?? 0;
}

/** Moves it on, in the transaction that settles what lies before it. */
export function writeTriggerCursor(db: Database, to: { agentId: string; triggerId: string; seq: number }): void {
  change(
    db,
    `INSERT INTO trigger_cursors (agent_id, trigger_id, seq) VALUES (?,?,?)
     ON CONFLICT (agent_id, trigger_id) DO UPDATE SET seq = max(seq, excluded.seq)`,
    to.agentId,
    to.triggerId,
    to.seq,
  );
}

/** The slots of one trigger that wait to be caught up with, oldest first. */
export function waitingSlots(db: Database, trigger: TriggerRecord): MissedRecord[] {
  return readAll<MissedRecord>(
    db,
    `SELECT * FROM missed_slots WHERE agent_id = ? AND kind = ? AND trigger_id = ? AND state = 'waiting' ORDER BY due_at_ms`,
    trigger.agent_id,
    trigger.kind,
    trigger.trigger_id,
  );
}

export function findMissed(db: Database, { agentId, kind, triggerId, slot }: MissedRef): MissedRecord | null {
  return readOne<MissedRecord>(
    db,
    'SELECT * FROM missed_slots WHERE agent_id = ? AND kind = ? AND trigger_id = ? AND slot = ?',
    agentId,
    kind,
    triggerId,
    slot,
  );
}

export function sourceOf(missed: MissedRecord): AutomaticSource | null {
  return missed.source === null ? null : (JSON.parse(missed.source) as AutomaticSource);
}

/** The runs that catch up with something and have not ended. One that waits for a person or a time is not at work. */
export function openCatchUps(
  db: Database,
): { readonly agent_id: string; readonly trigger_id: string; readonly isAtWork: boolean }[] {
  return readAll<{ agent_id: string; trigger_id: string; phase: string; is_refused: number }>(
    db,
    `SELECT missed_slots.agent_id, trigger_id, phase, is_refused FROM missed_slots JOIN runs USING (run_id)
     WHERE is_caught_up = 1 AND ending IS NULL`,
  ).map(({ agent_id, trigger_id, phase, is_refused }) => {
    return { agent_id, trigger_id, isAtWork: is_refused === 0 && (phase === 'ready' || phase === 'acting') };
  });
}
