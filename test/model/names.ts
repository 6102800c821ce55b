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
} from '../../src/shared/contract/identifiers.ts';
import type { DispatchIntent } from '../../src/shared/core/intent/dispatch-intent.ts';
import type { SuccessorEdge } from '../../src/shared/core/successor/release-successors.ts';

export const AGENT = 'agent' as AgentId;
const RUN = 'run' as RunId;
export const DIGEST = 'd'.repeat(64) as Digest;
const GRANT = 'grant';
const STEPS: readonly StateId[] = ['first' as StateId, 'second' as StateId, 'end' as StateId];

/** Short in every text; said in full in a counterexample. */
const DEVICE_IDS: readonly DeviceId[] = ['A' as DeviceId, 'B' as DeviceId, 'C' as DeviceId];
export const DEVICE_NAMES = ['laptop', 'desktop', 'tablet'] as const;

const EFFECTS: readonly EffectIdentity[] = [0, 1].map((index) => ({
  agentId: AGENT,
  runId: RUN,
  effectKey: `e${index}` as EffectKey,
}));

export function effectOf(index: number): EffectIdentity {
  return EFFECTS[index] ?? missing();
}

export function deviceId(index: number): DeviceId {
  return DEVICE_IDS[index] ?? missing();
}

export function deviceIndex(id: DeviceId): number {
  return DEVICE_IDS.indexOf(id);
}

export function attemptOf(effect: number, token: string): AttemptIdentity {
  return { effect: effectOf(effect), attemptToken: token as AttemptToken };
}

export function intentOf(effect: number, token: string): DispatchIntent {
  return {
    ...attemptOf(effect, token),
    kind: 'script',
    recipient: { recipient: 'script', runtimeId: 'shell', entry: 'post' },
    stateId: STEPS[effect] ?? missing(),
    stateVisit: 1,
    inputDigest: DIGEST,
    grantDigest: GRANT,
  };
}

/** The strategy is a row of steps: each leads to the next. */
export function edgeFrom(effect: number): SuccessorEdge {
  const fromStateId = STEPS[effect] ?? missing();
  return { fromStateId, fromStateVisit: 1, toStateId: STEPS[effect + 1] ?? missing() };
}

export const COMMITTED_GRANT = GRANT;

function missing(): never {
  throw new Error('The scenario has more of these than the model has names for.');
}
