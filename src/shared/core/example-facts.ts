import type {
  AgentId,
  AttemptIdentity,
  AttemptToken,
  DeviceId,
  Digest,
  EffectIdentity,
  EffectKey,
  RunId,
  StateId,
} from '../contract/identifiers.ts';
import type { ClaimLease, ClaimOwner } from './claim/claim-effect.ts';
import type { DispatchIntent } from './intent/dispatch-intent.ts';
import type { ClockReading, LeaseInstant } from './lease/clock.ts';
import type { TailEntry } from './lease/register.ts';

// Facts for tests of decisions. Every builder gives the plainest case; a test names only what it is about.

export const LAPTOP = 'laptop' as DeviceId;
export const DESKTOP = 'desktop' as DeviceId;
export const POST = 'post' as StateId;
export const NOTIFY = 'notify' as StateId;
export const DIGEST = 'a'.repeat(64) as Digest;
export const OTHER_DIGEST = 'b'.repeat(64) as Digest;

export function exampleEffect(changes: Partial<Record<keyof EffectIdentity, string>> = {}): EffectIdentity {
  const names = { agentId: 'agent', runId: 'run', effectKey: 'post#1', ...changes };
  return {
    agentId: names.agentId as AgentId,
    runId: names.runId as RunId,
    effectKey: names.effectKey as EffectKey,
  };
}

export function token(name: string): AttemptToken {
  return name as AttemptToken;
}

export function exampleAttempt(name = 'first', effect = exampleEffect()): AttemptIdentity {
  return { effect, attemptToken: token(name) };
}

/** Attempts that differ from `exampleAttempt()` in one field each: none of them is that attempt. */
export const FOREIGN_ATTEMPTS: readonly { readonly field: string; readonly attempt: AttemptIdentity }[] = [
  { field: 'agent', attempt: exampleAttempt('first', exampleEffect({ agentId: 'other' })) },
  { field: 'run', attempt: exampleAttempt('first', exampleEffect({ runId: 'other' })) },
  { field: 'effect key', attempt: exampleAttempt('first', exampleEffect({ effectKey: 'other' })) },
  { field: 'attempt token', attempt: exampleAttempt('other') },
];

export const OWNER: ClaimOwner = { deviceId: LAPTOP, hostId: 'host-1', epoch: 4 };

/** Owners that differ from `OWNER` in one field each. */
export const FOREIGN_OWNERS: readonly { readonly who: string; readonly owner: ClaimOwner }[] = [
  { who: 'another device', owner: { ...OWNER, deviceId: DESKTOP } },
  { who: 'a restarted host', owner: { ...OWNER, hostId: 'host-2' } },
  { who: 'a later epoch', owner: { ...OWNER, epoch: OWNER.epoch + 1 } },
];

export function instant(bootMs: number, bootId = 'boot-1'): LeaseInstant {
  return { bootId, bootMs };
}

/** A claim of `OWNER` that lasts until 1000 ms of the first boot. */
export function exampleClaim(changes: Partial<ClaimLease> = {}): ClaimLease {
  return { ...exampleAttempt(), owner: OWNER, leaseUntil: instant(1_000), ...changes };
}

export function exampleIntent(changes: Partial<DispatchIntent> = {}): DispatchIntent {
  return {
    ...exampleAttempt(),
    kind: 'script',
    recipient: { recipient: 'script', runtimeId: 'shell', entry: 'post' },
    stateId: POST,
    stateVisit: 2,
    inputDigest: DIGEST,
    grantDigest: 'grant',
    ...changes,
  };
}

export function exampleEntry(changes: Partial<TailEntry> = {}): TailEntry {
  return {
    ...exampleAttempt(),
    deviceId: LAPTOP,
    epoch: 1,
    status: 'open',
    opId: null,
    seq: null,
    digest: DIGEST,
    ...changes,
  };
}

/** Three clocks that agree. */
export function reading(atMs: number, changes: Partial<ClockReading> = {}): ClockReading {
  return { wallMs: 1_700_000_000_000 + atMs, monotonicMs: atMs, bootMs: 50_000 + atMs, ...changes };
}
