import type {
  AgentId,
  AttemptToken,
  DeviceId,
  Digest,
  EffectKey,
  RunId,
  StateId,
} from '../../../shared/contract/identifiers.ts';
import type { EventPayloads } from '../../../shared/contract/events.ts';
import type { Connection } from '../connection.ts';

/** A run, told entry by entry, for tests of what the record makes of it. */
export const agentId = 'agent' as AgentId;
export const runId = 'run' as RunId;
export const first = 'first' as StateId;
export const second = 'second' as StateId;
export const effect = { agentId, runId, effectKey: 'first#1' as EffectKey };
export const digest = 'digest' as Digest;
export const output = { digest, bytes: 2, inline: '{}' };
export const pastInstant = { bootId: 'a boot that is over', bootMs: 0 };
/** What a holder writes from the start of a run to its first claim. */
export function begin({ journal }: Connection, attemptToken: AttemptToken, epoch: number): void {
  const owner = { deviceId: journal.deviceId as DeviceId, hostId: 'host', epoch };
  const identity = { coordinatorId: 'register', incarnation: 'first' };
  const run = { revisionDigest: digest, requestDigest: digest, title: 'Run', by: 'Test', input: {}, stateId: first };
  const step = { stateId: first, stateVisit: 1 };
  journal.append('lease.observed', { agentId, epoch, ...identity });
  journal.append('trigger.fired', { agentId, runId, ...run });
  journal.append('run.entered', { agentId, runId, ...step });
  const intent = { effect, attemptToken, attemptNumber: 1, ...step, inputDigest: digest };
  journal.append('intent.recorded', intent as EventPayloads['intent.recorded']);
  journal.append('claim.decided', { effect, attemptToken, verdict: 'granted', owner, leaseUntil: pastInstant });
}
