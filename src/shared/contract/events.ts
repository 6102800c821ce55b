import type { StoredText } from './stored-text.ts';
import type { StaleReason } from '../core/gate/approval.ts';
import type { DispatchDecision, DispatchGate } from '../core/gate/evaluate-dispatch.ts';
import type { GrantDevices, GrantStanding } from '../core/gate/grant.ts';
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
import type { MissedReason } from '../core/trigger/missed.ts';
import type { AutomaticSource, TriggerKind, TriggerSource } from '../core/trigger/occurrence.ts';
import type { Json } from '../lib/canonical-json.ts';
import type {
  AgentId,
  AttemptIdentity,
  AttemptToken,
  Digest,
  EffectIdentity,
  EffectKey,
  RunId,
  StateId,
} from './identifiers.ts';
import type { LeaseEventPayloads } from './lease-events.ts';
import type { SyncEventPayloads } from './sync-events.ts';

interface RunRef {
  readonly agentId: AgentId;
  readonly runId: RunId;
}

/** Everything that can be written into a journal, by kind. The part before the dot is one of the project's words. */
export interface EventPayloads extends LeaseEventPayloads, SyncEventPayloads {
  'agent.saved': {
    agentId: AgentId;
    revisionDigest: Digest;
    name: string;
    description: string;
    source: string;
    /** The person who saved it; left out where the host did so by itself. Older entries do not say it. */
    by?: string;
  };
  /** Pressed for an agent: its open runs and its permission follow in the same transaction. Nothing takes it back. */
  'agent.stop-requested': { agentId: AgentId; by: string; runs: number };
  /** A hold of one agent, or of everything (`null`). */
  'agent.pause-requested': { agentId: AgentId | null; by: string };
  'agent.resumed': { agentId: AgentId | null; by: string };
  'grant.given': {
    agentId: AgentId;
    revisionDigest: Digest;
    grantDigest: Digest;
    grantNumber: number;
    by: string;
    /** Left out: any device of this person, without an end. */
    devices?: GrantDevices;
    expiresAtMs?: number | null;
  };
  'grant.revoked': { agentId: AgentId; grantDigest: Digest; by: string };
  /** Somebody looked at the clock and saw that it had run out. No clock revives it. */
  'grant.expired': { agentId: AgentId; grantDigest: Digest; expiresAtMs: number };

  'trigger.fired': RunRef & {
    revisionDigest: Digest;
    requestDigest: Digest;
    title: string;
    by: string;
    input: Readonly<Record<string, string>>;
    stateId: StateId;
    /** What the run's id was made from; older entries do not say it. */
    source?: TriggerSource;
    /** Up to where a schedule is settled with this one, wall ms. What follows the ends of runs is counted on each device. */
    settledUpTo?: number;
  };
  /** With a permission, the agent's triggers begin to count; the ones that are not named are gone. */
  'trigger.armed': {
    agentId: AgentId;
    revisionDigest: Digest;
    grantDigest: Digest;
    /** Wall ms of this device. Nothing before it is caught up with. */
    fromMs: number;
    triggers: readonly { readonly kind: TriggerKind; readonly triggerId: string }[];
  };
  /** Something was due and no run was started: one occurrence, or several of them in one entry. */
  'trigger.missed': {
    agentId: AgentId;
    kind: TriggerKind;
    triggerId: string;
    /** The occurrence, the newest if there are several; or what else went wrong, in a name of its own. */
    slot: string;
    /** What would start it later; `null` if there is nothing to start. */
    source: AutomaticSource | null;
    /** Wall ms: of that occurrence, of the oldest one, and when this was noticed. */
    dueAtMs: number;
    firstDueAtMs: number;
    noticedAtMs: number;
    slotCount: number;
    /** There were more than so many. */
    isMore: boolean;
    reason: MissedReason;
    /** It is caught up with when its turn comes. */
    isWaiting: boolean;
    /** As in `trigger.fired`; `null` leaves it where it was. */
    settledUpTo: number | null;
    /** More about the reason, in plain words; may be empty. */
    detail: string;
  };
  /** A person does not want a missed occurrence any more. */
  'trigger.skipped': { agentId: AgentId; kind: TriggerKind; triggerId: string; slot: string; by: string };

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
  /** A call that could not be made, or that no tool would take: nothing was sent. A model that asked for it is told. */
  'intent.refused': { effect: EffectIdentity; stateId: StateId; stateVisit: number; message: string };
  'gate.decided': AttemptIdentity & {
    decision: DispatchDecision;
    /** `permission`: what was the matter with it, where it did not cover the effect. */
    facts: DispatchGate & { readonly permission?: Exclude<GrantStanding, { kind: 'in-force' }> };
  };
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
    /** Set where one of several effects of a step is asked about: a call that a model asked for. */
    effectKey?: EffectKey;
    inputDigest: Digest;
    input: StoredText;
    question: string;
    title: string;
    target: string;
    effectKind: EffectKind;
    tool: string;
    expiresAtMs: number;
  };
  'approval.decided': RunRef & {
    approvalId: string;
    isAllowed: boolean;
    by: string;
    reason: string;
    /** The lease that the answer is bound to, of the device that wrote this down. */
    epoch?: number | null;
    /** The standing permission that answered, where no person was asked. */
    standingId?: string;
  };
  /** A yes that does not count any more: the person is asked again, and nothing was sent on it. */
  'approval.stale': RunRef & { approvalId: string; reason: StaleReason };
  /** *Allow like this*: later questions of this agent that are the same in all of this are answered with yes. */
  'approval.standing-given': {
    agentId: AgentId;
    standingId: string;
    /** The question that it was made from. */
    approvalId: string;
    grantDigest: Digest;
    ofStateId: StateId;
    tool: string;
    target: string;
    /** `null`: any input for the same target. */
    inputDigest: Digest | null;
    expiresAtMs: number;
    by: string;
  };
  'approval.standing-revoked': { agentId: AgentId; standingId: string; by: string };
  'approval.expired': RunRef & { approvalId: string };

  'run.entered': RunRef & { stateId: StateId; stateVisit: number };
  'run.waiting': RunRef & { stateId: StateId; stateVisit: number; untilMs: number };
  /** A failure that passes by itself: the same effect is tried again at that time. */
  'run.retrying': RunRef & {
    stateId: StateId;
    stateVisit: number;
    attemptNumber: number;
    delayMs: number;
    untilMs: number;
    code: string;
  };
  /** The run goes on in so many branches, each a run of its own, and waits for their ends. */
  'run.branching': RunRef & { stateId: StateId; stateVisit: number; count: number };
  /** A branch begins: an item of a workset, or one way of a fork. */
  'run.branched': RunRef & {
    parentRunId: RunId;
    parentStateId: StateId;
    parentStateVisit: number;
    /** The name of the way, or the id of the item. */
    branch: string;
    /** `null` for a way of a fork. */
    item: { readonly value: Json } | null;
    revisionDigest: Digest;
    requestDigest: Digest;
    title: string;
    by: string;
    input: Readonly<Record<string, string>>;
    stateId: StateId;
  };
  /** A step of several parts is over; this is what later steps see of it. */
  'run.concluded': RunRef & { stateId: StateId; stateVisit: number; output: StoredText; summary: string };
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
  /** Its place in the record of the device that shows it: the order in which entries came to be known there. */
  readonly seq: number;
  /** Its place in the journal of the device that wrote it. */
  readonly journalSeq: number;
  /** The newest grant of its agent that its author knew of; 0 for none. */
  readonly epoch: number;
  readonly opId: string;
  readonly deviceId: string;
  readonly atMs: number;
};

/** Which effect an event is about, if it is about one. */
export function effectOf(event: LedgerEvent): EffectIdentity | null {
  return 'effect' in event.payload ? event.payload.effect : null;
}
