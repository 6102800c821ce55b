import type { Database } from 'better-sqlite3';
import type { EventPayloads, RecordedEvent } from '../../../shared/contract/events.ts';
import { missedState } from '../../../shared/core/trigger/missed.ts';
import { occurrenceName } from '../../../shared/core/trigger/occurrence.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { change } from '../connection.ts';

/** The triggers that count, up to where each is settled, and what they missed. */
export function projectTrigger(db: Database, event: RecordedEvent): void {
  switch (event.kind) {
    case 'trigger.armed':
      projectArmed(db, event.payload, event.seq);
      return;
    case 'trigger.fired':
      projectFired(db, event.payload);
      return;
    case 'trigger.missed':
      projectMissed(db, event.payload, event.seq);
      return;
    case 'trigger.skipped': {
      const { agentId, kind, triggerId, slot } = event.payload;
      change(
        db,
        `UPDATE missed_slots SET state = 'skipped' WHERE agent_id = ? AND kind = ? AND trigger_id = ? AND slot = ?`,
        agentId,
        kind,
        triggerId,
        slot,
      );
      return;
    }
    default:
      return;
  }
}

/** Everything begins anew: schedules from that moment, ended runs from that entry. What waited is left to a person. */
function projectArmed(db: Database, armed: EventPayloads['trigger.armed'], seq: number): void {
  const { agentId, revisionDigest, grantDigest, fromMs } = armed;
  for (const { kind, triggerId } of armed.triggers) {
    change(
      db,
      `INSERT INTO triggers (agent_id, kind, trigger_id, revision_digest, grant_digest, settled_up_to) VALUES (?,?,?,?,?,?)
       ON CONFLICT (agent_id, kind, trigger_id) DO UPDATE SET revision_digest = excluded.revision_digest,
         grant_digest = excluded.grant_digest, settled_up_to = excluded.settled_up_to, missed_reason = NULL, missed_at_ms = NULL`,
      agentId,
      kind,
      triggerId,
      revisionDigest,
      grantDigest,
      kind === 'run' ? seq : fromMs,
    );
  }
  change(db, 'DELETE FROM triggers WHERE agent_id = ? AND grant_digest <> ?', agentId, grantDigest);
  change(db, `UPDATE missed_slots SET state = 'open' WHERE agent_id = ? AND state = 'waiting'`, agentId);
}

function projectFired(db: Database, fired: EventPayloads['trigger.fired']): void {
  const { agentId, runId, source, settledUpTo = null } = fired;
  if (source === undefined || source.by === 'person') return;
  const slot = occurrenceName(source);
  change(
    db,
    `UPDATE triggers SET last_run_id = ?, last_slot = ?, settled_up_to = max(settled_up_to, coalesce(?, settled_up_to))
     WHERE agent_id = ? AND kind = ? AND trigger_id = ?`,
    runId,
    slot,
    // The place of an ended run is one of another record where another device wrote this.
    source.by === 'run' ? null : settledUpTo,
    agentId,
    source.by,
    source.triggerId,
  );
  change(
    db,
    `UPDATE missed_slots SET is_caught_up = state = 'waiting', state = 'ran', run_id = ?
     WHERE agent_id = ? AND kind = ? AND trigger_id = ? AND slot = ?`,
    runId,
    agentId,
    source.by,
    source.triggerId,
    slot,
  );
}

function projectMissed(db: Database, missed: EventPayloads['trigger.missed'], seq: number): void {
  const { agentId, kind, triggerId, reason, settledUpTo } = missed;
  change(
    db,
    `INSERT INTO missed_slots (agent_id, kind, trigger_id, slot, seq, source, due_at_ms, first_due_at_ms, slot_count, is_more,
       reason, detail, state) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)
     ON CONFLICT (agent_id, kind, trigger_id, slot) DO UPDATE SET seq = excluded.seq, reason = excluded.reason,
       detail = excluded.detail, state = iif(state = 'ran', state, excluded.state)`,
    agentId,
    kind,
    triggerId,
    missed.slot,
    seq,
    missed.source === null ? null : canonicalJson({ ...missed.source }),
    missed.dueAtMs,
    missed.firstDueAtMs,
    missed.slotCount,
    missed.isMore ? 1 : 0,
    reason,
    missed.detail,
    missedState(reason, missed.isWaiting),
  );
  change(
    db,
    `UPDATE triggers SET settled_up_to = coalesce(?, settled_up_to), missed_reason = ?, missed_at_ms = ?
     WHERE agent_id = ? AND kind = ? AND trigger_id = ?`,
    kind === 'run' ? null : settledUpTo,
    reason,
    missed.noticedAtMs,
    agentId,
    kind,
    triggerId,
  );
}
