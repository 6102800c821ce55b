import type { LogLine } from '../bridge/event-log.ts';
import type { Digest } from '../../shared/contract/identifiers.ts';
import type { Strategy } from '../../shared/contract/strategy.ts';
import type { LeaseCoordinator } from '../coordinators/lease-coordinator.ts';
import type { Store } from '../store/store.ts';
import type { DeviceRecord } from '../store/rows.ts';
import type { Tools } from '../tools/tool.ts';
import type { HostClock } from './clock.ts';
import type { CrashPointListener } from './crash-points.ts';
import type { HostTimers } from './timers.ts';

/** Everything the host does not do itself. */
export interface HostPorts {
  readonly store: Store;
  readonly coordinator: LeaseCoordinator;
  readonly tools: Tools;
  readonly clock: HostClock;
  readonly timers: HostTimers;
  readonly device: DeviceRecord;
  /** Unique to this start of this host. */
  readonly hostId: string;
  /** A new unique id, time-ordered. */
  readonly newId: () => string;
  /** Parses a stored revision; `null` if it is not known. */
  readonly strategyOf: (revisionDigest: Digest) => Strategy | null;
  readonly passed: CrashPointListener;
  /** Names and codes only; never a payload. */
  log(line: LogLine): void;
}
