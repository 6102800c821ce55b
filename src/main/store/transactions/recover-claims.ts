import type { EventPayloads } from '../../../shared/contract/events.ts';
import type { AgentId, AttemptIdentity, AttemptToken } from '../../../shared/contract/identifiers.ts';
import type { LeaseInstant } from '../../../shared/core/lease/clock.ts';
import type { TailEntry } from '../../../shared/core/lease/register.ts';
import { recoverClaim } from '../../../shared/core/recovery/recover-claim.ts';
import type { ClaimLease, ClaimOwner } from '../../../shared/core/claim/claim-effect.ts';
import { readAll } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { claimOf, findAttempt } from '../rows.ts';
import type { AttemptRecord } from '../rows.ts';
import { settleEmbeddedTail } from './settle-effect.ts';

/** What a sweep found. */
export interface SweepResult {
  readonly held: number;
  readonly inDoubt: readonly AttemptIdentity[];
  /** Attempts that provably never started; a tail elsewhere is told so. */
  readonly reclaimed: readonly AttemptIdentity[];
}

/** Attempts that are open and not in doubt yet: where there are none, a sweep has nothing to judge. */
export function unjudgedAttempts(db: Connection['db'], agentId: AgentId): readonly AttemptRecord[] {
  return readAll<AttemptRecord>(
    db,
    `SELECT * FROM attempts WHERE agent_id = ? AND progress <> 'settled' AND in_doubt_at_ms IS NULL AND decision IS NULL`,
    agentId,
  );
}

/** Judges every open claim of an agent that `mine` does not hold in this very process (protocol section 6). */
export function sweepClaims(
  connection: Connection,
  sweep: {
    readonly agentId: AgentId;
    readonly now: LeaseInstant;
    readonly isMine: (claim: ClaimLease) => boolean;
    /** The grant under which the sweep is made; `null` where this device holds none. */
    readonly epoch: number | null;
    readonly isEmbedded: boolean;
    /** Whether the register knows an attempt as announced and not ended. */
    readonly isAnnounced: (attemptToken: AttemptToken) => boolean;
  },
): SweepResult {
  const { db, journal } = connection;
  const open = unjudgedAttempts(db, sweep.agentId);
  const inDoubt: AttemptIdentity[] = [];
  const reclaimed: AttemptIdentity[] = [];
  let held = 0;
  for (const attempt of open) {
    const lease = claimOf(attempt);
    if (lease === null || sweep.isMine(lease)) continue;
    const identity = { effect: lease.effect, attemptToken: lease.attemptToken };
    // A later holder's claim, learned from its journal: it is this device that is out of date.
    if (lease.owner.deviceId !== journal.deviceId && lease.owner.epoch >= (sweep.epoch ?? 0)) {
      held += 1;
      continue;
    }
    // A part of another device's journal may end before it tells that the attempt left; what was announced may have.
    const mayHaveLeft = lease.owner.deviceId !== journal.deviceId && sweep.isAnnounced(lease.attemptToken);
    const verdict = recoverClaim(lease, mayHaveLeft ? 'in-flight' : attempt.progress, sweep.now);
    if (verdict.kind === 'held') held += 1;
    if (verdict.kind === 'reclaimable') {
      const event = journal.append('recovery.reclaimed', { ...identity, previousOwner: verdict.previousOwner });
      if (sweep.isEmbedded)
        settleEmbeddedTail(connection.register, connection, attempt, {
          status: 'withdrawn',
          opId: event.opId,
          seq: event.journalSeq,
        });
      reclaimed.push(identity);
    }
    if (verdict.kind === 'in-doubt') {
      const { code, previousOwner } = verdict;
      journal.append('recovery.in-doubt', { ...identity, code, previousOwner, lostSince: lease.leaseUntil });
      inDoubt.push(identity);
    }
  }
  return { held, inDoubt, reclaimed };
}

/**
 * An open entry in the tail that this device has no attempt for: an earlier holder announced it and nobody knows more.
 * It is written down here as that holder's attempt, in doubt, with this device's own view of the same input.
 */
export function adoptTailEntry(
  connection: Connection,
  entry: TailEntry,
  intent: EventPayloads['intent.recorded'],
): void {
  const { db, journal } = connection;
  const identity = { effect: entry.effect, attemptToken: entry.attemptToken };
  const previousOwner: ClaimOwner = { deviceId: entry.deviceId, hostId: '', epoch: entry.epoch };
  if (findAttempt(db, entry.attemptToken) === null) {
    // When it was announced, and so until when its key is remembered, is not known here.
    journal.append('intent.recorded', { ...intent, ...identity, dedupeUntilMs: null });
  }
  journal.append('recovery.in-doubt', {
    ...identity,
    code: 'announced-by-last-holder',
    previousOwner,
    lostSince: null,
  });
}

/** A proof that an attempt in flight never left: the last look said no, in the process that was to send it. */
export function withholdEffect(
  connection: Connection,
  attempt: AttemptIdentity,
  withheld: { readonly reason: EventPayloads['effect.withheld']['reason']; readonly isEmbedded: boolean },
): { opId: string; seq: number } {
  const { db, journal, register } = connection;
  const event = journal.append('effect.withheld', { ...attempt, reason: withheld.reason });
  const stored = findAttempt(db, attempt.attemptToken);
  if (withheld.isEmbedded && stored !== null) {
    settleEmbeddedTail(register, connection, stored, { status: 'withdrawn', opId: event.opId, seq: event.journalSeq });
  }
  return { opId: event.opId, seq: event.journalSeq };
}
