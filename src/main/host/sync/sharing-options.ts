import type { CoordinatorSecrets } from '../../../shared/contract/coordinator-requests.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { RelayChoice } from '../../../shared/contract/sync-requests.ts';
import type { CoordinatorIdentity } from '../../../shared/core/lease/lease.ts';
import type { Frontier } from '../../../shared/core/sync/sealed.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { RelayPlace } from '../../relays/open-relay.ts';
import type { Relay } from '../../relays/relay.ts';
import type { SecretStore } from '../../secrets/secret-store.ts';
import type { DeviceRecord } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { HostTimers } from '../timers.ts';
import type { CondensingOptions } from './condensing.ts';

/** What sharing journals is put together from. */
export interface JournalSharingOptions {
  readonly store: Store;
  readonly device: DeviceRecord;
  readonly version: string;
  readonly keys: SecretStore;
  readonly timers: HostTimers;
  readonly wallMs: () => number;
  /** The register that this device's agents belong to. */
  readonly identity: () => CoordinatorIdentity;
  /** Whether other devices can reach that register, or could reach the one before. */
  readonly isRegisterShared: () => boolean;
  readonly open: (place: RelayPlace) => Promise<Result<Relay, Problem>>;
  /** Keeps what came with a choice, such as a password. */
  readonly keepSecrets: (choice: RelayChoice, secrets: CoordinatorSecrets) => Promise<Result<null, Problem>>;
  readonly pushed: (seq: number, heads: Frontier) => Promise<void>;
  readonly condensing: Pick<CondensingOptions, 'terms' | 'awaited' | 'registerView'>;
  readonly log: (line: { event: string; code?: string; message?: string }) => void;
}
