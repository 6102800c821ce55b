import type { Problem } from '../../shared/contract/errors.ts';
import type { AgentId, Digest, RunId } from '../../shared/contract/identifiers.ts';
import type { LiveView } from '../../shared/contract/run-views.ts';
import type { Strategy, StrategyProblem } from '../../shared/contract/strategy.ts';
import type { RecoveryChoice } from '../../shared/core/recovery/recovery-options.ts';
import type { StandingScope } from '../../shared/core/gate/standing.ts';
import type { LeaseStanding } from '../../shared/core/lease/held-lease.ts';
import type { CoordinatorIdentity, RegisterView } from '../../shared/core/lease/lease.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { Sharing } from '../coordinators/choice/sharing.ts';
import type { NamedSecrets } from '../secrets/create-secrets.ts';
import type { Connection } from '../store/connection.ts';
import type { DeviceRecord } from '../store/rows.ts';
import type { SignIns } from '../tools/mcp/sign-in/sign-ins.ts';
import type { Sleeps } from './sleeps.ts';
import type { AwaitedControl } from './sync/awaited-answers.ts';
import type { SyncControl } from './sync/sync-control.ts';
import type { MissedRef } from '../store/trigger-rows.ts';
import type { GrantTerms } from '../store/transactions/give-grant.ts';

/** What this host remembers about one agent's right to act. */
export interface LeaseStatus {
  readonly agentId: AgentId;
  /** Set while this host holds the lease. */
  readonly held: {
    readonly epoch: number;
    readonly ttlMs: number;
    readonly standing: LeaseStanding;
    readonly remainingMs: number;
    readonly renewedAtMs: number;
  } | null;
  /** The register's last answer; `null` if it was never asked. */
  readonly view: RegisterView | null;
  /** `elsewhere`: the agent belongs to another register than the one in use. */
  readonly state: 'ready' | 'unreachable' | 'went-back' | 'elsewhere';
}

/** What the doors to the host (window, browser, later command line) can ask of it. Answers are values. */
export interface HostControl {
  readonly device: DeviceRecord;
  readonly hostId: string;
  /** The open record, or `null` while it is being opened again. For reading only. */
  connection(): Connection | null;
  storeState(): { readonly state: 'ready' | 'unsure' | 'full' | 'read-only'; readonly message: string };
  coordinatorState(): {
    readonly name: string;
    readonly state: 'ready' | 'unreachable' | 'went-back';
    readonly answeredMs: number | null;
    readonly identity: CoordinatorIdentity;
  };
  /** What another device is called; `null` if nobody said. */
  peerName(deviceId: string): string | null;
  /** Sharing the right to act with other devices; `null` on a host that is put together without it. */
  readonly sharing: Sharing | null;
  /** Sharing the journals with other devices; `null` on a host that is put together without it. */
  readonly sync: SyncControl | null;
  /** When this device was asleep, for telling a person. */
  readonly sleeps: Sleeps;
  /** Waiting for the answers of other devices; `null` on a host that is put together without it. */
  readonly awaited: AwaitedControl | null;
  leaseStatus(agentId: AgentId): LeaseStatus;
  strategyOf(revisionDigest: Digest): Strategy | null;
  nowMs(): number;
  /** What calls of a run told that are on their way at this moment: redacted, untrusted, recorded nowhere. */
  liveOf(runId: RunId): readonly LiveView[];
  /** Secrets by name. No door has any use for a value, so there is no way to read one here. */
  readonly secrets: NamedSecrets;
  /** Signing in at tool servers; `null` on a host that is put together without it. */
  readonly signIns: SignIns | null;
  setDeviceName(name: string): Promise<Result<null, Problem>>;
  /** Small settings of this profile: theme, onboarded. */
  readSetting(key: string): string | null;
  writeSetting(key: string, value: string): Promise<Result<null, Problem>>;

  startRun(request: {
    agentId: AgentId;
    requestId: string;
    input: Readonly<Record<string, string>>;
    by: string;
  }): Promise<Result<{ runId: RunId }, Problem>>;
  /** Starts what was missed, as the same occurrence. */
  runMissed(missed: MissedRef, by: string): Promise<Result<{ runId: string }, Problem>>;
  /** A missed occurrence that nobody wants any more. */
  skipMissed(missed: MissedRef, by: string): Promise<Result<null, Problem>>;
  /** Where webhooks are called, and why they cannot be although they may. */
  webhookDoor(): { readonly origin: string | null; readonly trouble: string };
  stopRun(runId: RunId, by: string): Promise<Result<{ wasInFlight: boolean }, Problem>>;
  pauseRun(runId: RunId, by: string): Promise<Result<{ wasInFlight: boolean }, Problem>>;
  resumeRun(runId: RunId, by: string): Promise<Result<null, Problem>>;

  /** The read-only check of an unclear effect. */
  checkRecovery(
    attemptToken: string,
    by: string,
  ): Promise<Result<{ answer: 'happened' | 'did-not-happen' | 'silent'; summary: string }, Problem>>;
  resolveRecovery(request: {
    attemptToken: string;
    inputDigest: Digest;
    epoch: number;
    choice: RecoveryChoice;
    by: string;
    reason: string;
  }): Promise<Result<null, Problem>>;
  reopenRecovery(attemptToken: string, by: string): Promise<Result<null, Problem>>;
  decideApproval(request: {
    approvalId: string;
    inputDigest: Digest;
    isAllowed: boolean;
    by: string;
    reason: string;
  }): Promise<Result<null, Problem>>;
  /** A yes to this question and to later ones that are the same, until then. */
  allowLikeThis(request: {
    approvalId: string;
    inputDigest: Digest;
    scope: StandingScope;
    /** Wall ms. */
    expiresAtMs: number;
    by: string;
    reason: string;
  }): Promise<Result<null, Problem>>;
  revokeStanding(standingId: string, by: string): Promise<Result<null, Problem>>;

  /** `by` is the person who saved it; left out where the host does so by itself. */
  saveAgent(
    fileName: string,
    source: string,
    by?: string,
  ): Promise<Result<{ agentId: AgentId } | { problems: readonly StrategyProblem[] }, Problem>>;
  /** The permission that would be given now; without terms for any device and without an end. */
  previewGrant(agentId: AgentId, terms?: GrantTerms): Result<{ previewDigest: Digest }, Problem>;
  authorise(
    agentId: AgentId,
    previewDigest: Digest,
    by: string,
    terms?: GrantTerms,
  ): Promise<Result<{ grantDigest: Digest }, Problem>>;
  revoke(agentId: AgentId, by: string): Promise<Result<null, Problem>>;

  /** Stops one agent, or everything (`null`), for good, and takes the permission back. At once, also while the store is busy. */
  stopAgents(
    agentId: AgentId | null,
    by: string,
  ): Promise<Result<{ inFlight: number; runIds: readonly RunId[] }, Problem>>;
  /** Holds one agent, or everything (`null`), back: nothing is lost, and runs that start meanwhile wait as well. */
  pauseAgents(agentId: AgentId | null, by: string): Promise<Result<{ inFlight: number }, Problem>>;
  resumeAgents(agentId: AgentId | null, by: string): Promise<Result<null, Problem>>;

  /** A person takes an agent over from what they were shown. Answers how long this device waits before it acts, ms. */
  takeOver(request: {
    agentId: AgentId;
    seenEpoch: number;
    /** `undefined`: the default term. */
    ttlMs: number | undefined;
    by: string;
  }): Promise<Result<{ waitsMs: number }, Problem>>;
  /** Whether another device may take the agent over by itself once its lease has run out. */
  setTakeover(request: {
    agentId: AgentId;
    takeover: 'automatic' | 'by-person';
    by: string;
  }): Promise<Result<null, Problem>>;
  /** Raises a register that went back above everything that this device ever saw of the agent. */
  bump(agentId: AgentId, by: string): Promise<Result<null, Problem>>;
}
