import { isSameAttempt } from '../../contract/identifiers.ts';
import type { AttemptIdentity, StateId } from '../../contract/identifiers.ts';
import { isSuperseded } from '../gate/evaluate-dispatch.ts';

/** A step that may follow another. */
export interface SuccessorEdge {
  readonly fromStateId: StateId;
  readonly fromStateVisit: number;
  readonly toStateId: StateId;
}

/** Why nothing follows; in the order of the checks. */
export type SuccessorRefusal = 'already-released' | 'not-admitted' | 'stop-requested' | 'barrier-active' | 'superseded';

/** What is released. A terminal step is admitted with no successors. */
export type SuccessorAdmission =
  | { readonly kind: 'admitted'; readonly successors: readonly SuccessorEdge[] }
  | { readonly kind: 'refused'; readonly reason: SuccessorRefusal };

/** The persisted facts a release is decided on. */
export interface SuccessorGate {
  readonly barrierActive: boolean;
  readonly stopRequested: boolean;
  readonly stateHasVisits: boolean;
  readonly currentStateVisit: number | null;
  /** Attempts whose settlement was accepted. */
  readonly admittedAttempts: readonly AttemptIdentity[];
  /** Whether this step's edges have gone out before. */
  readonly isReleased: boolean;
}

/** What asks for its successors. */
export interface SuccessorRequest {
  readonly attempt: AttemptIdentity;
  readonly edges: readonly SuccessorEdge[];
  readonly fromStateId: StateId;
  readonly fromStateVisit: number;
}

/** Releases each edge once, for the settled and admitted attempt only (protocol section 3; reference 1.7). */
export function releaseSuccessors(gate: SuccessorGate, request: SuccessorRequest): SuccessorAdmission {
  if (gate.isReleased) return refuse('already-released');
  if (!gate.admittedAttempts.some((admitted) => isSameAttempt(admitted, request.attempt)))
    return refuse('not-admitted');
  if (gate.stopRequested) return refuse('stop-requested');
  if (gate.barrierActive) return refuse('barrier-active');
  if (isSuperseded(gate, request.fromStateVisit)) return refuse('superseded');
  const successors = request.edges.filter(
    (edge) => edge.fromStateId === request.fromStateId && edge.fromStateVisit === request.fromStateVisit,
  );
  return { kind: 'admitted', successors };
}

function refuse(reason: SuccessorRefusal): SuccessorAdmission {
  return { kind: 'refused', reason };
}
