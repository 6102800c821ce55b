import type { Problem } from '../../shared/contract/errors.ts';
import type { AgentId, Digest, RunId } from '../../shared/contract/identifiers.ts';
import type { Strategy, StrategyProblem } from '../../shared/contract/strategy.ts';
import type { RecoveryChoice } from '../../shared/core/recovery/recovery-options.ts';
import type { LeaseStanding } from '../../shared/core/lease/held-lease.ts';
import type { RegisterView } from '../../shared/core/lease/lease.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { Connection } from '../store/connection.ts';
import type { DeviceRecord } from '../store/rows.ts';

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
  readonly state: 'ready' | 'unreachable' | 'went-back';
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
  };
  leaseStatus(agentId: AgentId): LeaseStatus;
  strategyOf(revisionDigest: Digest): Strategy | null;
  nowMs(): number;
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

  saveAgent(
    fileName: string,
    source: string,
  ): Promise<Result<{ agentId: AgentId } | { problems: readonly StrategyProblem[] }, Problem>>;
  /** The digest of the permission that would be given now. */
  previewGrant(agentId: AgentId): Result<{ previewDigest: Digest }, Problem>;
  authorise(agentId: AgentId, previewDigest: Digest, by: string): Promise<Result<{ grantDigest: Digest }, Problem>>;
  revoke(agentId: AgentId, by: string): Promise<Result<null, Problem>>;
}
