import type { Database } from 'better-sqlite3';
import type { EventPayloads } from '../../shared/contract/events.ts';
import type {
  AgentId,
  AttemptToken,
  DeviceId,
  Digest,
  EffectKey,
  RunId,
  StateId,
} from '../../shared/contract/identifiers.ts';
import type { ClaimLease, ClaimOwner } from '../../shared/core/claim/claim-effect.ts';
import type { EffectOutcome, EffectProgress } from '../../shared/core/effect/effect-outcome.ts';
import type { StaleReason } from '../../shared/core/gate/approval.ts';
import type { RunEnding, RunPhase } from '../../shared/core/run/run-state.ts';
import { readOne } from './connection.ts';

/** A run as it is stored. */
export interface RunRecord {
  run_number: number;
  run_id: RunId;
  agent_id: AgentId;
  revision_digest: Digest;
  request_digest: Digest;
  title: string;
  started_by: string;
  input: string;
  phase: RunPhase;
  state_id: StateId;
  state_visit: number;
  wait_until_ms: number | null;
  stop_requested: number;
  barrier_active: number;
  has_sent: number;
  is_refused: number;
  steps_done: number;
  ending: RunEnding | null;
  started_at_ms: number;
  ended_at_ms: number | null;
  last_event: string;
  /** The run that this is a branch of, and where in it; all `null` for a run of its own. */
  parent_run_id: RunId | null;
  parent_state_id: StateId | null;
  parent_state_visit: number | null;
  branch: string | null;
  /** JSON; the item of a workset. */
  branch_item: string | null;
  /** The device that took it on last; empty where nobody can say any more. */
  device_id: DeviceId | '';
}

/** An attempt as it is stored. */
export interface AttemptRecord {
  attempt_token: AttemptToken;
  agent_id: AgentId;
  run_id: RunId;
  effect_key: EffectKey;
  attempt_number: number;
  state_id: StateId;
  state_visit: number;
  intent: string;
  input_digest: Digest;
  progress: EffectProgress;
  owner: string | null;
  epoch: number;
  until_boot_id: string | null;
  until_boot_ms: number | null;
  output_digest: string | null;
  outcome: string | null;
  settled_by: string | null;
  started_at_ms: number | null;
  in_doubt_at_ms: number | null;
  probe: string | null;
  probed_at_ms: number | null;
  evidence: string | null;
  is_reopened: number;
  decision: string | null;
  decided_at_ms: number | null;
}

/** An attempt that failed, and how. */
export interface FailedAttempt {
  readonly attempt: AttemptRecord;
  readonly outcome: Extract<EffectOutcome, { kind: 'failure' }>;
}

export interface ApprovalRecord {
  approval_id: string;
  agent_id: AgentId;
  run_id: RunId;
  state_id: StateId;
  state_visit: number;
  of_state_id: StateId;
  input_digest: Digest;
  request: string;
  asked_at_ms: number;
  /** Which question is the newest: by the journal, never by a clock. */
  asked_seq: number;
  expires_at_ms: number;
  state: 'open' | 'allowed' | 'not-allowed' | 'expired' | 'withdrawn' | 'stale';
  decided_by: string | null;
  decided_at_ms: number | null;
  reason: string | null;
  /** The device and the lease that the answer is bound to. */
  device_id: string | null;
  epoch: number | null;
  standing_id: string | null;
  stale_reason: StaleReason | null;
}

/** A yes for later questions that are like one that was shown. */
export interface StandingRecord {
  standing_id: string;
  approval_id: string;
  agent_id: AgentId;
  grant_digest: Digest;
  of_state_id: StateId;
  tool: string;
  target: string;
  input_digest: Digest | null;
  device_id: string;
  given_at_ms: number;
  given_by: string;
  expires_at_ms: number;
  revoked_at_ms: number | null;
}

export interface AgentRecord {
  agent_id: AgentId;
  name: string;
  description: string;
  revision_digest: Digest;
  saved_at_ms: number;
}

export interface GrantRecord {
  grant_digest: Digest;
  agent_id: AgentId;
  revision_digest: Digest;
  grant_number: number;
  given_at_ms: number;
  given_by: string;
  revoked_at_ms: number | null;
  /** `*` or a JSON list of device ids. */
  devices: string;
  expires_at_ms: number | null;
  /** When its end was noticed. */
  expired_at_ms: number | null;
}

export function findRun(db: Database, runId: string): RunRecord | null {
  return readOne<RunRecord>(db, 'SELECT * FROM runs WHERE run_id = ?', runId);
}

/** Whether a run is where it was, and has not ended. */
export function isStillAt({ db }: { readonly db: Database }, run: RunRecord): boolean {
  const now = findRun(db, run.run_id);
  return now?.ending === null && now.state_id === run.state_id && now.state_visit === run.state_visit;
}

export function findAttempt(db: Database, attemptToken: string): AttemptRecord | null {
  return readOne<AttemptRecord>(db, 'SELECT * FROM attempts WHERE attempt_token = ?', attemptToken);
}

/**
 * The newest attempt at an effect. `(SELECT ?)`, here and below: SQLite prepares a statement anew for every new value of a
 * plain parameter that ORDER BY or max() could make use of, which costs ten times what the look-up does.
 */
export function latestAttempt(db: Database, runId: string, effectKey: string): AttemptRecord | null {
  return readOne<AttemptRecord>(
    db,
    'SELECT * FROM attempts WHERE run_id = (SELECT ?) AND effect_key = (SELECT ?) ORDER BY attempt_number DESC LIMIT 1',
    runId,
    effectKey,
  );
}

/** The newest attempt at an effect that was decided about. */
export function decidedAttempt(db: Database, runId: string, effectKey: string): AttemptRecord | null {
  return readOne<AttemptRecord>(
    db,
    `SELECT * FROM attempts WHERE run_id = (SELECT ?) AND effect_key = (SELECT ?) AND decision IS NOT NULL
       ORDER BY attempt_number DESC LIMIT 1`,
    runId,
    effectKey,
  );
}

export function findApproval(db: Database, approvalId: string): ApprovalRecord | null {
  return readOne<ApprovalRecord>(db, 'SELECT * FROM approvals WHERE approval_id = ?', approvalId);
}

export function findAgent(db: Database, agentId: string): AgentRecord | null {
  return readOne<AgentRecord>(db, 'SELECT * FROM agents WHERE agent_id = ?', agentId);
}

/** The permission that nobody has taken back, if there is one; whether it is in force here and now says `grantNow`. */
export function activeGrant(db: Database, agentId: string): GrantRecord | null {
  return readOne<GrantRecord>(db, 'SELECT * FROM grants WHERE agent_id = ? AND revoked_at_ms IS NULL', agentId);
}

export function findSource(db: Database, revisionDigest: string): string | null {
  return (
    readOne<{ source: string }>(db, 'SELECT source FROM revisions WHERE revision_digest = ?', revisionDigest)?.source ??
    null
  );
}

/** The claim of an attempt; `null` if it never got one. */
export function claimOf(attempt: AttemptRecord): ClaimLease | null {
  if (attempt.owner === null) return null;
  return {
    effect: { agentId: attempt.agent_id, runId: attempt.run_id, effectKey: attempt.effect_key },
    attemptToken: attempt.attempt_token,
    owner: JSON.parse(attempt.owner) as ClaimOwner,
    leaseUntil: { bootId: attempt.until_boot_id ?? '', bootMs: attempt.until_boot_ms ?? 0 },
  };
}

export function intentOf(attempt: AttemptRecord): EventPayloads['intent.recorded'] {
  return JSON.parse(attempt.intent) as EventPayloads['intent.recorded'];
}

export function outcomeOf(attempt: AttemptRecord): EffectOutcome | null {
  return attempt.outcome === null ? null : (JSON.parse(attempt.outcome) as EffectOutcome);
}

/** What was decided about an attempt, by a person or by its kind. */
export interface StoredDecision {
  readonly choice: 'repeat' | 'it-happened' | 'send-again' | 'undo-then-send' | 'stop-here';
  readonly by: string;
  readonly reason: string;
}

export function decisionOf(attempt: AttemptRecord): StoredDecision | null {
  return attempt.decision === null ? null : (JSON.parse(attempt.decision) as StoredDecision);
}

/** The visit of a state that a run came to last, `null` for none; those off its way count for nothing. */
export function lastVisit(db: Database, runId: string, stateId: StateId): number | null {
  const row = readOne<{ visit: number | null }>(
    db,
    'SELECT max(visit) AS visit FROM visits WHERE run_id = (SELECT ?) AND state_id = (SELECT ?) AND is_aside = 0',
    runId,
    stateId,
  );
  return row?.visit ?? null;
}

/** The visit that a run's next entry of a state gets. */
export function nextVisit(db: Database, runId: string, stateId: StateId): number {
  return (lastVisit(db, runId, stateId) ?? 0) + 1;
}

/** This device. */
export interface DeviceRecord {
  readonly deviceId: DeviceId;
  readonly name: string;
}
