import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Json } from '../../../shared/lib/canonical-json.ts';
import { change } from '../connection.ts';

interface Refusal {
  readonly agentId: string;
  readonly runId: string | null;
  readonly effectKey: string | null;
  readonly word: string;
  readonly reason: string;
  readonly facts: unknown;
}

/** Every "no" with the facts it saw. A refusal is good news: nothing was sent. */
export function projectRefusal(db: Database, event: RecordedEvent, text: string): void {
  const refusal = refusalOf(event);
  if (refusal === null) return;
  change(
    db,
    `INSERT INTO refusals (seq, agent_id, run_id, effect_key, word, reason, facts, at_ms, device_id)
     VALUES (?,?,?,?,?,?,?,?,?)`,
    event.seq,
    refusal.agentId,
    refusal.runId,
    refusal.effectKey,
    refusal.word,
    refusal.reason,
    refusal.facts === event.payload ? text : canonicalJson(refusal.facts as Json),
    event.atMs,
    event.deviceId,
  );
  if (refusal.runId !== null) {
    change(
      db,
      `UPDATE runs SET is_refused = 1, last_event = 'Refused: nothing was sent' WHERE run_id = ? AND ending IS NULL`,
      refusal.runId,
    );
  }
}

function refusalOf(event: RecordedEvent): Refusal | null {
  switch (event.kind) {
    case 'gate.decided':
      if (event.payload.decision.kind === 'dispatch') return null;
      return {
        ...ofEffect(event.payload.effect),
        word: 'gate',
        reason: event.payload.decision.reason,
        facts: event.payload.facts,
      };
    case 'claim.decided':
      if (event.payload.verdict === 'granted') return null;
      return { ...ofEffect(event.payload.effect), word: 'claim', reason: event.payload.verdict, facts: event.payload };
    case 'fence.decided':
      if (event.payload.decision.kind === 'proceed') return null;
      return {
        ...ofEffect(event.payload.effect),
        word: 'fence',
        reason: event.payload.decision.kind,
        facts: { ...event.payload.facts, decision: event.payload.decision },
      };
    case 'effect.withheld':
      return { ...ofEffect(event.payload.effect), word: 'fence', reason: event.payload.reason, facts: event.payload };
    case 'successor.refused':
      return {
        agentId: event.payload.agentId,
        runId: event.payload.runId,
        effectKey: null,
        word: 'successor',
        reason: event.payload.reason,
        facts: event.payload,
      };
    case 'lease.lost':
      return {
        agentId: event.payload.agentId,
        runId: null,
        effectKey: null,
        word: 'lease',
        reason: 'lost',
        facts: event.payload,
      };
    case 'lease.moved-away':
      return {
        agentId: event.payload.agentId,
        runId: null,
        effectKey: null,
        word: 'lease',
        reason: 'moved-away',
        facts: event.payload,
      };
    case 'lease.went-back':
      return {
        agentId: event.payload.agentId,
        runId: null,
        effectKey: null,
        word: 'lease',
        reason: 'went-back',
        facts: event.payload,
      };
    default:
      return null;
  }
}

function ofEffect(effect: {
  agentId: string;
  runId: string;
  effectKey: string;
}): Pick<Refusal, 'agentId' | 'runId' | 'effectKey'> {
  return { agentId: effect.agentId, runId: effect.runId, effectKey: effect.effectKey };
}
