import { randomUUID } from 'node:crypto';
import { openEtcdCoordinator } from '../../src/main/coordinators/etcd/etcd-coordinator.ts';
import type { EtcdCoordinator, EtcdOptions } from '../../src/main/coordinators/etcd/etcd-coordinator.ts';
import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import type { RegisterVerb } from '../../src/shared/core/lease/register.ts';
import type { EtcdCluster, EtcdMember } from '../harness/etcd-server.ts';
import type { CoordinatorBench } from './coordinator-bench.ts';
import { must } from './sqlite-benches.ts';

/** A register of its own in a running etcd: all of its keys begin alike. */
export interface EtcdBench extends CoordinatorBench {
  readonly prefix: string;
}

/**
 * Lease time is the test's own: what has run out by its clock is revoked at etcd. Its real leases have to outlive a test, so
 * the cluster's election timeout is long (`CONFORMANCE_CLUSTER`), which makes for a long shortest lease.
 */
export async function makeEtcdBench(cluster: EtcdCluster): Promise<EtcdBench> {
  const prefix = `test/${randomUUID()}/`;
  const member = cluster.member(0);
  let nowMs = 0;
  const untilMs = new Map<AgentId, number>();
  const begin = async (): Promise<EtcdCoordinator> =>
    must(await openEtcdCoordinator({ endpoints: cluster.endpoints, prefix, now: () => nowMs }));
  let coordinator = await begin();
  const watched = (): EtcdCoordinator => ({
    ...coordinator,
    async ask(agentId: AgentId, verb: RegisterVerb) {
      const asked = await coordinator.ask(agentId, verb);
      if (asked.ok && startsTime(asked.value.reply)) {
        untilMs.set(agentId, nowMs + (asked.value.view.lease?.ttlMs ?? 0));
      }
      return asked;
    },
  });
  return {
    prefix,
    coordinator: watched,
    async pass(ms) {
      nowMs += ms;
      for (const [agentId, until] of untilMs) {
        if (until > nowMs) continue;
        untilMs.delete(agentId);
        await revokeLive(member, liveKey(prefix, agentId));
      }
    },
    async restart() {
      await coordinator.close();
      coordinator = await begin();
    },
    toleranceMs: 20,
    close: () => coordinator.close(),
  };
}

export const CONFORMANCE_CLUSTER = { heartbeatMs: 400, electionMs: 4_000 };

function startsTime(reply: { readonly kind: string; readonly isReplay?: boolean }): boolean {
  return reply.kind === 'renewed' || (reply.kind === 'granted' && reply.isReplay !== true);
}

export function liveKey(prefix: string, agentId: AgentId): string {
  return `${prefix}agent/${encodeURIComponent(agentId)}/live`;
}

/** As an operator can, or a defect of etcd: the lease ends, whoever believes in it. */
export async function revokeLive(member: EtcdMember, key: string): Promise<void> {
  const lease = (await readKey(member, key))?.lease;
  if (lease !== undefined) await member.post('/v3/lease/revoke', { ID: lease });
}

interface StoredKey {
  readonly value: string;
  readonly lease?: string;
}

/** A key as it stands, read by the test itself. */
export async function readKey(member: EtcdMember, key: string): Promise<StoredKey | null> {
  const answer = (await member.post('/v3/kv/range', { key: base64(key) })) as { kvs?: StoredKey[] } | null;
  const found = answer?.kvs?.[0];
  return found === undefined ? null : { ...found, value: Buffer.from(found.value, 'base64').toString('utf8') };
}

export async function writeKey(member: EtcdMember, key: string, value: string): Promise<void> {
  await member.post('/v3/kv/put', { key: base64(key), value: base64(value) });
}

export function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/** Opens a register and fails the test if that is not possible. */
export async function openRegister(options: EtcdOptions): Promise<EtcdCoordinator> {
  return must(await openEtcdCoordinator(options));
}
