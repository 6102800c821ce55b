import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import type { CoordinatorSecrets } from '../../../shared/contract/coordinator-requests.ts';
import type { RelayChoice } from '../../../shared/contract/sync-requests.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { PumpStatus } from './journal-pump.ts';

/** What a person chose, and how the exchange stands. */
export interface SyncStatus extends PumpStatus {
  readonly choice: RelayChoice;
  readonly relayName: string;
  readonly spaceId: string;
  readonly hasWords: boolean;
  /** Entries wait to be projected: nothing acts meanwhile. */
  readonly isCatchingUp: boolean;
}

/** Sharing the journals, for the doors of a host. */
export interface SyncControl {
  /** `null` while nothing is shared. */
  status(): SyncStatus | null;
  /** Answers the recovery words. */
  create(relay: RelayChoice, secrets: CoordinatorSecrets): Promise<Result<readonly string[], Problem>>;
  join(
    relay: RelayChoice,
    of: { readonly words: string; readonly secrets: CoordinatorSecrets },
  ): Promise<Result<null, Problem>>;
  /** Error `not-found` where they were forgotten. */
  words(): Result<{ readonly words: readonly string[]; readonly spaceId: string }, Problem>;
  forgetWords(): Promise<Result<null, Problem>>;
  leave(): Promise<Result<null, Problem>>;
  now(): Promise<Result<null, Problem>>;
  letGo(deviceId: DeviceId, by: string): Promise<Result<null, Problem>>;
  tryAgain(deviceId: DeviceId): Promise<Result<null, Problem>>;
  /** From its next start on this profile is another device; what it wrote so far stays, as that of the device it was. */
  newIdentity(by: string): Promise<Result<null, Problem>>;
}
