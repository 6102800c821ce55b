import { isBefore, safeElapsed } from '../lease/clock.ts';
import type { ClockReading, LeaseInstant } from '../lease/clock.ts';
import { SEND_WINDOW_MS } from '../lease/lease.ts';

/** The last look between the durable in-flight marker and the send. Nothing has left yet whatever it says. */
export type LastLook =
  | { readonly kind: 'send' }
  | {
      readonly kind: 'withhold';
      readonly reason:
        | 'stop-requested'
        | 'permission-ended'
        | 'send-window-over'
        | 'claim-deadline-over'
        | 'clocks-disagree'
        | 'suspended';
    };

/** The facts of the last look. */
export interface LastLookFacts {
  /** When the fence's read of the register began. */
  readonly fenceAt: ClockReading;
  readonly now: ClockReading;
  readonly nowInstant: LeaseInstant;
  /** The claim's own deadline, not the device's (protocol section 5, rule 6). */
  readonly claimUntil: LeaseInstant;
  /** A suspend or resume event since the fence. */
  readonly isSuspendSeen: boolean;
  /** Somebody pressed stop, whether or not that is written down yet. */
  readonly isStopRequested: boolean;
  /** The permission that the gate saw has not been taken back or run out since. */
  readonly isPermitted: boolean;
}

/** A send starts at most X after its fence read began, so a later epoch's hold-off outlasts it (rule 5). */
export function lastLook(facts: LastLookFacts): LastLook {
  if (facts.isStopRequested) return { kind: 'withhold', reason: 'stop-requested' };
  if (!facts.isPermitted) return { kind: 'withhold', reason: 'permission-ended' };
  if (facts.isSuspendSeen) return { kind: 'withhold', reason: 'suspended' };
  const { elapsedMs, isDoubtful } = safeElapsed(facts.fenceAt, facts.now);
  if (isDoubtful) return { kind: 'withhold', reason: 'clocks-disagree' };
  if (elapsedMs >= SEND_WINDOW_MS) return { kind: 'withhold', reason: 'send-window-over' };
  if (!isBefore(facts.nowInstant, facts.claimUntil)) return { kind: 'withhold', reason: 'claim-deadline-over' };
  return { kind: 'send' };
}
