import type { DeviceId } from '../../contract/identifiers.ts';
import type { RegisterRecord, RegisterReply, RegisterStep } from './register.ts';

/** Who asks, and under which grant. */
export interface HolderClaim {
  readonly deviceId: DeviceId;
  readonly epoch: number;
}

/** The answer of a verb that changes nothing. */
export function refuse(record: RegisterRecord, reply: RegisterReply): RegisterStep {
  return { record, reply, leaseClock: 'keep' };
}

/** Whether the caller holds the agent at the epoch that it says. */
export function holds(record: RegisterRecord, claim: HolderClaim): boolean {
  return record.holder === claim.deviceId && record.epoch === claim.epoch;
}

/** The answer to somebody who does not. */
export function lost(record: RegisterRecord): RegisterReply {
  return { kind: 'lost', holder: record.holder, epoch: record.epoch };
}
