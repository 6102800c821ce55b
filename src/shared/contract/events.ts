import type { DispatchDecision, DispatchGate } from '../core/gate/evaluate-dispatch.ts';
import type { ClaimVerdict } from '../core/claim/claim-effect.ts';
import type { EffectKind } from '../core/effect/effect-kind.ts';
import type { EffectOutcome } from '../core/effect/effect-outcome.ts';
import type { FenceDecision } from '../core/fence/check-dispatch.ts';
import type { LastLook } from '../core/fence/last-look.ts';
import type { DispatchRecipient } from '../core/intent/dispatch-intent.ts';
import type { LeaseInstant } from '../core/lease/clock.ts';
import type { RecoveryChoice } from '../core/recovery/recovery-options.ts';
import type { ClaimOwner } from '../core/claim/claim-effect.ts';
import type { RunEnding } from '../core/run/run-state.ts';
import type { Json } from '../lib/canonical-json.ts';
import type { AgentId, AttemptIdentity, AttemptToken, Digest, EffectIdentity, RunId, StateId } from './identifiers.ts';

/** Bytes kept beside the journal by digest; `inline` only up to the inline limit. */
export interface StoredText {
  readonly digest: Digest;
  readonly bytes: number;
  /** The text itself, or `null` when it is kept in the blob table. */
  readonly inline: string | null;
}

/** Text longer than this (bytes) is kept by digest. */
export const INLINE_LIMIT_BYTES = 256 * 1024;

interface RunRef {
  readonly agentId: AgentId;
  readonly runId: RunId;
}

/** Everything that can be written into a journal, by kind. The part before the dot is one of the project's words. */
export interface EventPayloads {
  'agent.saved': { agentId: AgentId; revisionDigest: Digest; name: string; description: string; source: string };
  'grant.given': { agentId: AgentId; revisionDigest: Digest; grantDigest: Digest; grantNumber: number; by: string };
  'grant.revoked': { agentId: AgentId; grantDigest: Digest; by: string };

  'trigger.fired': RunRef & {
    revisionDigest: Digest;
    requestDigest: Digest;
    title: string;
    by: string;
    input: Readonly<Record<string, string>>;
    stateId: StateId;
  };

  'lease.acquired': {
    agentId: AgentId;
    epoch: number;
    coordinatorId: string;
    incarnation: string;
    holdOffMs: number;
    previousHolder: string | null;
  };
  'lease.released': { agentId: AgentId; epoch: number };
  'lease.lost': { agentId: AgentId; epoch: number; currentEpoch: number; holder: string | null };
  'lease.doubtful': { agentId: AgentId; epoch: number; reason: 'clocks-disagree' | 'suspended'; gapMs: number };
  'lease.went-back': { agentId: AgentId; expectedEpoch: number; answeredEpoch: number };

  'intent.recorded': AttemptIdentity & {
    attemptNumber: number;
    stateId: StateId;
    stateVisit: number;
    recipient: DispatchRecipient;
    effectKind: EffectKind;
    /** Plain words: what and to whom. */
    title: string;
    target: string;
    input: StoredText;
    inputDigest: Digest;
    grantDigest: string | null;
    dedupeUntilMs: number | null;
    isDestructive: boolean;
    hasUndo: boolean;
    tool: string;
    /** What the target was before, such as the digest of a file; `null` if nobody looked. */
    observedBefore: Json | null;
    /** The decision of a person that this attempt carries out, if any: the attempt it was about. */
    decidedAfter: AttemptToken | null;
  };
  'gate.decided': AttemptIdentity & { decision: DispatchDecision; facts: DispatchGate };
  'claim.decided': AttemptIdentity & { verdict: ClaimVerdict['kind']; owner: ClaimOwner; leaseUntil: LeaseInstant };
  'claim.extended': AttemptIdentity & { leaseUntil: LeaseInstant };
  'fence.decided': AttemptIdentity & {
    /** `tail-full` is the register's own refusal: too many effects that other devices may not know about yet. */
    decision: FenceDecision | { readonly kind: 'tail-full'; readonly open: number; readonly settled: number };
    facts: {
      epoch: number;
      registerEpoch: number;
      registerHolder: string | null;
      coordinatorId: string;
      standing: string;
    };
  };
  /** The in-flight marker: durable before anything leaves. */
  'effect.started': AttemptIdentity & { epoch: number; idempotencyKey: string };
  /** The last look said no: provably nothing left. */
  'effect.withheld': AttemptIdentity & { reason: Extract<LastLook, { kind: 'withhold' }>['reason'] };

  'settle.recorded': AttemptIdentity & {
    outcome: EffectOutcome;
    outputDigest: Digest;
    output: StoredText;
    summary: string;
    settledBy: 'executor' | 'probe' | 'person' | 'tail';
    tookMs: number | null;
  };
  'settle.late-evidence': AttemptIdentity & { outcome: EffectOutcome; output: StoredText; summary: string };

  'successor.released': RunRef & { fromStateId: StateId; fromStateVisit: number; toStateId: StateId };
  'successor.refused': RunRef & { fromStateId: StateId; fromStateVisit: number; reason: string };

  'recovery.reclaimed': AttemptIdentity & { previousOwner: ClaimOwner };
  'recovery.in-doubt': AttemptIdentity & {
    code: string;
    previousOwner: ClaimOwner | null;
    lostSince: LeaseInstant | null;
  };
  'recovery.probed': AttemptIdentity & {
    answer: 'happened' | 'did-not-happen' | 'silent';
    summary: string;
    by: string;
  };
  'recovery.repeated': AttemptIdentity & { reason: 'read-only' | 'idempotent-by-key' | 'did-not-happen' };
  'recovery.decided': AttemptIdentity & { choice: RecoveryChoice; by: string; reason: string; epoch: number };
  'recovery.reopened': AttemptIdentity & { by: string };

  'approval.requested': RunRef & {
    approvalId: string;
    stateId: StateId;
    stateVisit: number;
    ofStateId: StateId;
    inputDigest: Digest;
    input: StoredText;
    question: string;
    title: string;
    target: string;
    effectKind: EffectKind;
    tool: string;
    expiresAtMs: number;
  };
  'approval.decided': RunRef & { approvalId: string; isAllowed: boolean; by: string; reason: string };
  'approval.expired': RunRef & { approvalId: string };

  'run.entered': RunRef & { stateId: StateId; stateVisit: number };
  'run.waiting': RunRef & { stateId: StateId; stateVisit: number; untilMs: number };
  'run.stop-requested': RunRef & { by: string };
  'run.pause-requested': RunRef & { by: string };
  'run.resumed': RunRef & { by: string };
  'run.ended': RunRef & { ending: RunEnding; summary: string };
}

export type EventKind = keyof EventPayloads;

/** A journal entry, parsed. */
export type LedgerEvent = {
  [Kind in EventKind]: { readonly kind: Kind; readonly payload: Readonly<EventPayloads[Kind]> };
}[EventKind];

/** A journal entry with its place and time, as the window and the tests read it. */
export type RecordedEvent = LedgerEvent & {
  readonly seq: number;
  readonly opId: string;
  readonly deviceId: string;
  readonly atMs: number;
};

/** Which effect an event is about, if it is about one. */
export function effectOf(event: LedgerEvent): EffectIdentity | null {
  return 'effect' in event.payload ? event.payload.effect : null;
}
