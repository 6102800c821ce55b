import type { Relay } from '../../src/main/relays/relay.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import type { Result } from '../../src/shared/lib/result.ts';

/** A machine that keeps the journals: it stops, starts again, and its disk may fill up. The way to it is no part of it. */
export interface KeptJournals {
  isUp: boolean;
  isFull: boolean;
  /** For a device, before its first question. */
  open(deviceId: DeviceId, spaceId: string): Promise<Result<null, Problem>>;
  relayOf(deviceId: DeviceId): Relay;
  /** Carries a question out, whatever it takes. */
  carry<Value>(act: () => Promise<Value>): Promise<Value>;
  /** Tells a device that another one pushed. Not every place does. */
  onChange(deviceId: DeviceId, listener: () => void): () => void;
  /** What survives is what it had answered for. */
  restart(): Promise<void>;
  close(): Promise<void>;
}
