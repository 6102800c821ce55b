import type { EventPayloads } from '../../../shared/contract/events.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { MissedReason } from '../../../shared/core/trigger/missed.ts';
import { occurrenceName } from '../../../shared/core/trigger/occurrence.ts';
import type { AutomaticSource } from '../../../shared/core/trigger/occurrence.ts';
import type { Connection } from '../../store/connection.ts';
import { findMissed, writeTriggerCursor } from '../../store/trigger-rows.ts';
import type { TriggerRecord } from '../../store/trigger-rows.ts';
import type { HostPorts } from '../ports.ts';

type Missed = EventPayloads['trigger.missed'];

/** What a refused start means for the occurrence; `null`: nothing is known, and it is tried again. */
export function missedReasonOf(found: Problem): MissedReason | null {
  switch (found.code) {
    case 'grant-missing':
    case 'grant-stale':
      return 'no-permission';
    case 'idempotency-conflict':
      return 'already-ran';
    case 'store-unsure':
    case 'store-full':
    case 'store-read-only':
    case 'store-busy':
    case 'internal':
      return null;
    default:
      return 'refused';
  }
}

/** Writes one missed occurrence down. Returns whether it is durable; if not, it is noticed again. */
export async function recordMissedOccurrence(
  ports: HostPorts,
  of: {
    readonly trigger: Pick<TriggerRecord, 'agent_id' | 'trigger_id'>;
    readonly source: AutomaticSource;
    readonly reason: MissedReason;
    readonly settledUpTo?: number;
    readonly detail?: string;
  },
): Promise<boolean> {
  const { trigger, source, reason, settledUpTo = null, detail = '' } = of;
  const nowMs = ports.clock.read().wallMs;
  const { agent_id: agentId, trigger_id: triggerId } = trigger;
  const written = await ports.store.write(({ db, journal }) => {
    if (source.by === 'run' && settledUpTo !== null) writeTriggerCursor(db, { agentId, triggerId, seq: settledUpTo });
    return journal.append('trigger.missed', {
      agentId,
      kind: source.by,
      triggerId,
      slot: occurrenceName(source),
      source,
      dueAtMs: nowMs,
      firstDueAtMs: nowMs,
      noticedAtMs: nowMs,
      slotCount: 1,
      isMore: false,
      reason,
      isWaiting: false,
      settledUpTo: source.by === 'run' ? null : settledUpTo,
      detail,
    });
  });
  return written.ok;
}

/** Writes down that a trigger cannot work at all, once until a person has seen it. */
export async function recordTrouble(
  ports: HostPorts,
  trigger: TriggerRecord,
  of: { readonly slot: string; readonly reason: MissedReason; readonly detail: string },
): Promise<void> {
  const { agent_id: agentId, kind, trigger_id: triggerId } = trigger;
  const nowMs = ports.clock.read().wallMs;
  const isTold = (connection: Connection | null): boolean =>
    connection !== null && findMissed(connection.db, { agentId, kind, triggerId, slot: of.slot })?.state === 'open';
  if (isTold(ports.store.connection())) return;
  const missed: Missed = {
    agentId,
    kind,
    triggerId,
    ...of,
    source: null,
    dueAtMs: nowMs,
    firstDueAtMs: nowMs,
    noticedAtMs: nowMs,
    slotCount: 1,
    isMore: false,
    isWaiting: false,
    settledUpTo: null,
  };
  await ports.store.write((connection) => {
    if (!isTold(connection)) connection.journal.append('trigger.missed', missed);
  });
}
