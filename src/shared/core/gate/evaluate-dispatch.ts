import { isSameAttempt } from '../../contract/identifiers.ts';
import type { AttemptIdentity } from '../../contract/identifiers.ts';
import { routingMatchesKind } from '../intent/dispatch-intent.ts';
import type { DispatchIntent } from '../intent/dispatch-intent.ts';

/** Why the gate said no; in the order in which it looks. */
export type DispatchRefusal =
  | 'misrouted'
  | 'already-settled'
  | 'authority-missing'
  | 'stop-requested'
  | 'barrier-active'
  | 'superseded';

/** The persisted facts that the gate looks at. */
export interface DispatchGate {
  /** The authority in force; `null` or empty is none. */
  readonly committedGrantDigest: string | null;
  /** A stop of the run, the agent or everything. Monotonic. */
  readonly stopRequested: boolean;
  /** The run is held on purpose; nothing is lost. */
  readonly barrierActive: boolean;
  /** Whether visits are counted for the intent's state. */
  readonly stateHasVisits: boolean;
  /** The visit that is current for the intent's state; `null` when nobody knows. */
  readonly currentStateVisit: number | null;
  readonly settledAttempts: readonly AttemptIdentity[];
}

/** Only `dispatch` lets the effect go on. */
export type DispatchDecision =
  | { readonly kind: 'dispatch' }
  | { readonly kind: 'refuse'; readonly reason: DispatchRefusal };

/** A gate with no facts: it refuses every well-routed intent. */
export const CLOSED_GATE: DispatchGate = {
  committedGrantDigest: null,
  stopRequested: false,
  barrierActive: false,
  stateHasVisits: false,
  currentStateVisit: null,
  settledAttempts: [],
};

/** The gate. Fixed order, first match wins (protocol section 3; reference: durable dispatch decisions, 1.3). */
export function evaluateDispatch(gate: DispatchGate, intent: DispatchIntent): DispatchDecision {
  if (!routingMatchesKind(intent)) return refuse('misrouted');
  if (gate.settledAttempts.some((settled) => isSameAttempt(settled, intent))) return refuse('already-settled');
  if (!hasAuthority(gate.committedGrantDigest, intent.grantDigest)) return refuse('authority-missing');
  if (gate.stopRequested) return refuse('stop-requested');
  if (gate.barrierActive) return refuse('barrier-active');
  if (isSuperseded(gate, intent.stateVisit)) return refuse('superseded');
  return { kind: 'dispatch' };
}

function refuse(reason: DispatchRefusal): DispatchDecision {
  return { kind: 'refuse', reason };
}

/** Both present, neither empty, and equal. */
function hasAuthority(committed: string | null, relied: string | null): boolean {
  return committed !== null && committed !== '' && committed === relied;
}

/** Older or newer visits are superseded; so is an unknown one where visits are counted, to fail closed. */
export function isSuperseded(
  facts: Pick<DispatchGate, 'stateHasVisits' | 'currentStateVisit'>,
  visit: number,
): boolean {
  if (facts.currentStateVisit === null) return facts.stateHasVisits;
  return facts.currentStateVisit !== visit;
}
