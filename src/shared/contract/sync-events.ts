import type { RecoveryChoice } from '../core/recovery/recovery-options.ts';
import type { AgentId, AttemptIdentity, DeviceId, Digest, RunId } from './identifiers.ts';

/** What happens to the devices that share their journals. */
export interface SyncEventPayloads {
  /** A person answered on a device that may not act: the one that may decides by it. It decides nothing by itself. */
  'approval.answered': {
    agentId: AgentId;
    runId: RunId;
    approvalId: string;
    inputDigest: Digest;
    isAllowed: boolean;
    by: string;
    reason: string;
  };
  /** The same for an unclear step. */
  'recovery.answered': AttemptIdentity & {
    inputDigest: Digest;
    epoch: number;
    choice: RecoveryChoice;
    by: string;
    reason: string;
  };
  /** A device says who it is; again when it has another name, version or key for wrapping. Its signing key stays. */
  'sync.device-joined': {
    deviceId: DeviceId;
    /** What a person calls it. */
    name: string;
    version: string;
    /** Ed25519, raw, base64url: what its journal is signed with. */
    publicKey: string;
    /** X25519, raw, base64url: what new keys are wrapped for. */
    wrapPublicKey: string;
  };
  /** A person let a device go: it gets no new keys, and counts up to that entry of its journal, on every device alike. */
  'sync.device-let-go': { deviceId: DeviceId; by: string; upToSeq: number };
  /** The next key of the space, wrapped for each remaining device and for the recovery words. */
  'sync.keys-rotated': { rotation: readonly WrappedKeyPayload[] };
}

/** One wrapped key; `deviceId` is `null` for the recovery words. */
interface WrappedKeyPayload {
  readonly epoch: number;
  readonly deviceId: DeviceId | null;
  readonly ephemeral: string;
  readonly box: string;
}
