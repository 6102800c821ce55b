/** What may be done when nobody knows whether an effect happened (protocol section 6). */
export type EffectKind = 'read-only' | 'idempotent-by-key' | 'verifiable' | 'compensable' | 'blind';

/** From the loosest to the strictest. */
const STRICTNESS: Readonly<Record<EffectKind, number>> = {
  'read-only': 0,
  'idempotent-by-key': 1,
  verifiable: 2,
  compensable: 3,
  blind: 4,
};

/** A tool's own hints may only tighten what a person set, never relax it. */
export function tightenEffectKind(set: EffectKind, hinted: EffectKind): EffectKind {
  return STRICTNESS[hinted] > STRICTNESS[set] ? hinted : set;
}

/** Read-only calls pass gate and deadline and are recorded, but need no announce and no in-flight marker. */
export function leavesATrace(kind: EffectKind): boolean {
  return kind !== 'read-only';
}
