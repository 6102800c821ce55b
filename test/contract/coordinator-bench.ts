import { expect } from 'vitest';
import type { LeaseCoordinator, RegisterAnswer } from '../../src/main/coordinators/lease-coordinator.ts';
import type {
  AgentId,
  AttemptToken,
  DeviceId,
  EffectIdentity,
  EffectKey,
  RunId,
} from '../../src/shared/contract/identifiers.ts';
import type { RegisterView } from '../../src/shared/core/lease/lease.ts';
import type { RegisterReply, RegisterVerb, TailEntry } from '../../src/shared/core/lease/register.ts';

/** One register under test, with its own storage and its own time. */
export interface CoordinatorBench {
  /** The connection in use. */
  coordinator(): LeaseCoordinator;
  /** Lets the register's time go on, ms. */
  pass(ms: number): Promise<void>;
  /** The host ends and begins again on the same register. */
  restart(): Promise<void>;
  /** By how much the remaining time that is shown may be off, ms; nothing where it is missing. Whether any is left is exact. */
  readonly toleranceMs?: number;
  /** Where a restart begins every held lease again, unless somebody was told that it has run out. */
  readonly beginsLeasesAgain?: boolean;
  close(): Promise<void>;
}

export const TTL_MS = 15_000;
export const AGENT = 'agent-1' as AgentId;
export const ANNA = 'anna' as DeviceId;
export const BEN = 'ben' as DeviceId;

/** A value of the tests, branded. */
export const agentId = (name: string): AgentId => name as AgentId;
export const deviceId = (name: string): DeviceId => name as DeviceId;
export const attemptToken = (name: string): AttemptToken => name as AttemptToken;

export function effect(key: string, agent: AgentId = AGENT): EffectIdentity {
  return { agentId: agent, runId: 'run-1' as RunId, effectKey: key as EffectKey };
}

/** Asks, and fails the test if the register gives no answer. */
export async function ask(bench: CoordinatorBench, verb: RegisterVerb, agent: AgentId = AGENT): Promise<RegisterReply> {
  return (await answer(bench, verb, agent)).reply;
}

export async function answer(
  bench: CoordinatorBench,
  verb: RegisterVerb,
  agent: AgentId = AGENT,
): Promise<RegisterAnswer> {
  const asked = await bench.coordinator().ask(agent, verb);
  if (!asked.ok) throw new Error(`${verb.verb}: ${asked.error.code}: ${asked.error.message}`);
  return asked.value;
}

export async function look(bench: CoordinatorBench, agent: AgentId = AGENT): Promise<RegisterView> {
  const asked = await bench.coordinator().current(agent);
  if (!asked.ok) throw new Error(`current: ${asked.error.code}: ${asked.error.message}`);
  return asked.value;
}

let nonces = 0;

/** Acquires with a fresh nonce and expects a grant; answers the grant's own facts. */
export async function take(
  bench: CoordinatorBench,
  device: DeviceId,
  of: { readonly agent?: AgentId; readonly ttlMs?: number } = {},
): Promise<{ readonly deviceId: DeviceId; readonly epoch: number; readonly nonce: string; readonly holdOff: boolean }> {
  nonces += 1;
  const nonce = `nonce-${nonces}`;
  const verb = { verb: 'acquire', deviceId: device, nonce, ttlMs: of.ttlMs ?? TTL_MS } as const;
  const reply = await ask(bench, verb, of.agent);
  expect(reply).toMatchObject({ kind: 'granted', isReplay: false });
  if (reply.kind !== 'granted') throw new Error('not granted');
  return { deviceId: device, epoch: reply.epoch, nonce, holdOff: reply.holdOff };
}

export interface Grant {
  readonly deviceId: DeviceId;
  readonly epoch: number;
}

export function release(
  bench: CoordinatorBench,
  { deviceId: device, epoch }: Grant,
  of: { readonly isHoldOffOver?: boolean; readonly pendingClaims?: number } = {},
): Promise<RegisterReply> {
  const { isHoldOffOver = true, pendingClaims = 0 } = of;
  return ask(bench, { verb: 'release', deviceId: device, epoch, isHoldOffOver, pendingClaims });
}

export function announce(
  bench: CoordinatorBench,
  { deviceId: device, epoch }: Grant,
  of: {
    readonly key: string;
    readonly token?: string;
    readonly permit?: Extract<RegisterVerb, { verb: 'announce' }>['permit'];
  },
): Promise<RegisterReply> {
  const { key, token = `${key}-try-1`, permit = null } = of;
  const entry = { effect: effect(key), attemptToken: attemptToken(token), digest: `digest-${key}` };
  return ask(bench, { verb: 'announce', deviceId: device, epoch, entry, permit });
}

export function settle(
  bench: CoordinatorBench,
  { deviceId: device, epoch }: Grant,
  of: { readonly key: string; readonly token?: string; readonly seq: number; readonly status?: 'committed' | 'failed' },
): Promise<RegisterReply> {
  const { key, token = `${key}-try-1`, seq, status = 'committed' } = of;
  return ask(bench, {
    verb: 'settle-tail',
    deviceId: device,
    epoch,
    effect: effect(key),
    attemptToken: attemptToken(token),
    status,
    opId: `op-${seq}`,
    seq,
  });
}

/** Key and status of each entry, for short expectations. */
export function tailOf(view: { readonly tail: readonly TailEntry[] }): string[] {
  return view.tail.map((entry) => `${entry.effect.effectKey} ${entry.status}`);
}
