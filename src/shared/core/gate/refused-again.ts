import type { DispatchDecision } from './evaluate-dispatch.ts';

/** What the newest attempt at an effect was refused for, as it was written down. */
export interface RecordedRefusal {
  readonly reason: string;
  /** The facts that the gate saw, in canonical JSON. */
  readonly factsText: string;
  readonly inputDigest: string;
}

/** What the gate would say to another attempt at the same effect at this moment. */
export interface GateLook {
  readonly decision: DispatchDecision;
  /** The facts that it would see, in canonical JSON. */
  readonly factsText: string;
  readonly inputDigest: string;
}

/**
 * Whether another attempt would only write the same no down again: the gate refuses at this moment too, for the same reason,
 * on the same facts, for the same input. It never lets anything through: where the gate would say yes, or no for something
 * else, the answer is `false` and the attempt goes its whole way.
 */
export function isSameRefusal(recorded: RecordedRefusal | null, look: GateLook): boolean {
  if (recorded === null || look.decision.kind !== 'refuse') return false;
  return (
    recorded.reason === look.decision.reason &&
    recorded.factsText === look.factsText &&
    recorded.inputDigest === look.inputDigest
  );
}
