import type { AttemptToken, EffectKey, RunId } from '../../shared/contract/identifiers.ts';
import type { HeldLease } from '../../shared/core/lease/held-lease.ts';
import type { LeaseInstant } from '../../shared/core/lease/clock.ts';
import { readAll } from '../store/connection.ts';
import type { HostPorts } from './ports.ts';

/**
 * While an effect runs, confirmed renewals move its claim's deadline (protocol section 5, clarifications). A claim that
 * nobody carries out, such as one whose commit reported an error, has to run out: the sweep judges it only then.
 */
export async function extendClaims(
  { store }: HostPorts,
  held: HeldLease,
  of: { readonly leaseUntil: LeaseInstant; readonly isInFlight: (attemptToken: AttemptToken) => boolean },
): Promise<void> {
  const { leaseUntil } = of;
  const db = store.connection()?.db;
  if (db === undefined) return;
  const open = readAll<{ attempt_token: AttemptToken; run_id: RunId; effect_key: EffectKey }>(
    db,
    `SELECT attempt_token, run_id, effect_key FROM attempts WHERE agent_id = ? AND progress <> 'settled' AND in_doubt_at_ms IS NULL AND epoch = ?`,
    held.agentId,
    held.epoch,
  ).filter((claim) => of.isInFlight(claim.attempt_token));
  if (open.length === 0) return;
  await store.write((connection) => {
    for (const claim of open) {
      const effect = { agentId: held.agentId, runId: claim.run_id, effectKey: claim.effect_key };
      connection.journal.append('claim.extended', { effect, attemptToken: claim.attempt_token, leaseUntil });
    }
  });
}
