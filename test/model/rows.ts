import type { ClaimLease } from '../../src/shared/core/claim/claim-effect.ts';
import { attemptOf, deviceId } from './names.ts';
import type { Attempt, Device } from './state.ts';
import { instantIn } from './time.ts';
import type { Setting } from './time.ts';

/** The claim that a row stands for; `null` if the row names no owner. */
export function claimOf(setting: Setting, attempt: Attempt): ClaimLease | null {
  const { owner } = attempt;
  if (owner === null) return null;
  return {
    ...attemptOf(attempt.effect, attempt.token),
    owner: { deviceId: deviceId(owner.device), hostId: `${owner.device}.${owner.host}`, epoch: owner.epoch },
    leaseUntil: instantIn(setting, attempt.left),
  };
}

export function replaceAttempt(device: Device, token: string, changes: Partial<Attempt>): Device {
  const attempts = device.attempts.map((each) => (each.token === token ? { ...each, ...changes } : each));
  return { ...device, attempts };
}

/** What `recovery.in-doubt` does to a row and to its run. */
export function markInDoubt(device: Device, token: string): Device {
  const marked = replaceAttempt(device, token, { progress: 'in-flight', isInDoubt: true, decision: 'none' });
  return { ...marked, phase: device.phase === 'ended' ? 'ended' : 'needs-recovery' };
}
