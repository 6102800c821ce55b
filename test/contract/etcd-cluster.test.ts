import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EtcdCoordinator } from '../../src/main/coordinators/etcd/etcd-coordinator.ts';
import type { RegisterVerb } from '../../src/shared/core/lease/register.ts';
import { EtcdCluster, hasEtcd } from '../harness/etcd-server.ts';
import type { EtcdMember } from '../harness/etcd-server.ts';
import { AGENT, TTL_MS } from './coordinator-bench.ts';
import { base64, openRegister } from './etcd-bench.ts';
import { ANNAS, ANNOUNCE, BENS, RENEW, UNREACHABLE } from './etcd-fixture.ts';
import { EtcdProxy } from './etcd-proxy.ts';
import { must } from './sqlite-benches.ts';

/** How long a cluster may take to agree again, ms. */
const AGREE_LIMIT_MS = 20_000;

describe.skipIf(!hasEtcd)('the register in an etcd of three members', () => {
  let cluster: EtcdCluster;
  let register: EtcdCoordinator;
  let prefix = '';
  let prefixes = 0;

  beforeAll(async () => {
    cluster = await EtcdCluster.start({ members: 3 });
  });
  beforeEach(async () => {
    prefixes += 1;
    prefix = `cluster/${prefixes}/`;
    register = await openRegister({ endpoints: cluster.endpoints, prefix });
  });
  afterEach(async () => {
    await register.close();
    for (const member of cluster.members) {
      member.wake();
      member.start();
    }
    await cluster.ready();
  });
  afterAll(() => cluster?.end());

  const grant = async (): Promise<void> => {
    await answered(register, ANNAS);
    const { reply } = must(await register.ask(AGENT, ANNAS));
    expect(reply).toMatchObject({ kind: 'granted', epoch: 1 });
  };
  const others = (of: EtcdMember): EtcdMember[] => cluster.members.filter((member) => member !== of);

  it.each([0, 1, 2])('goes on, with everything in it, when member %i is killed', async (index) => {
    await grant();
    await cluster.member(index).kill();
    expect(await answered(register, ANNOUNCE)).toMatchObject({ kind: 'announced' });
    expect(await answered(register, RENEW)).toEqual({ kind: 'renewed', epoch: 1 });
    expect(await answered(register, BENS)).toMatchObject({ kind: 'held', epoch: 1 });
    cluster.member(index).start();
    await cluster.ready();
    const one = await openRegister({ endpoints: [cluster.member(index).url], prefix });
    expect(must(await one.current(AGENT)).tail, 'the one that was away knows it too').toHaveLength(1);
    await one.close();
  });

  it('goes on when the leader is cut off, and takes nothing from it when it is back', async () => {
    await grant();
    const leader = await cluster.leader();
    leader.stop();
    expect(await answered(register, ANNOUNCE)).toMatchObject({ kind: 'announced' });
    leader.wake();
    const back = await openRegister({ endpoints: [leader.url], prefix });
    const { tail, epoch } = must(await back.current(AGENT));
    expect({ entries: tail.length, epoch }).toEqual({ entries: 1, epoch: 1 });
    expect(must(await back.ask(AGENT, BENS)).reply).toMatchObject({ kind: 'held', epoch: 1 });
    await back.close();
  });

  it('grants and answers nothing while two of three are cut off, and goes on afterwards', async () => {
    await grant();
    const leader = await cluster.leader();
    const stopped = others(leader);
    for (const member of stopped) member.stop();
    const startMs = performance.now();
    const asked = [RENEW, ANNOUNCE, BENS].map((verb) => register.ask(AGENT, verb));
    for (const answer of await Promise.all([...asked, register.current(AGENT)])) {
      expect(answer).toMatchObject(UNREACHABLE);
    }
    expect(performance.now() - startMs, 'below the send window').toBeLessThan(2_900);
    for (const member of stopped) member.wake();
    // What was asked meanwhile may have been done: twice it has not.
    expect(await answered(register, ANNOUNCE)).toMatchObject({ kind: 'announced' });
    expect(must(await register.current(AGENT))).toMatchObject({ epoch: 1, lease: { holder: 'anna' } });
    expect(must(await register.current(AGENT)).tail).toHaveLength(1);
  });

  it('does not believe a cut-off member, which answers bare conditions and old reads as if nothing were wrong', async () => {
    await grant();
    const [cutOff, ...rest] = cluster.members;
    if (cutOff === undefined) throw new Error('There are no members.');
    const rec = base64(`${prefix}agent/${encodeURIComponent(AGENT)}/rec`);
    const before = await cutOff.post('/v3/kv/range', { key: rec, serializable: true });
    const revision = (before as { kvs: { mod_revision: string }[] }).kvs[0]?.mod_revision;
    expect(revision).toBeDefined();
    // A register whose reads were changed on the way into those that one member answers alone.
    const proxy = await EtcdProxy.start(cutOff);
    const spoiled = await openRegister({ endpoints: [proxy.url], prefix });
    const alone = '"request_range":{"serializable":true,';
    proxy.fate = ({ body }) => ({ kind: 'pass', body: body.replaceAll('"request_range":{', alone) });
    for (const member of rest) member.stop();
    const condition = { key: rec, target: 'MOD', result: 'EQUAL', mod_revision: revision };
    // The two traps, shown at etcd itself.
    const bare = await cutOff.post('/v3/kv/txn', { compare: [condition] }, 1_500);
    expect(bare).toMatchObject({ succeeded: true });
    const old = await cutOff.post('/v3/kv/range', { key: rec, serializable: true }, 1_500);
    expect(old).toMatchObject({ kvs: [{ mod_revision: revision }] });
    expect(await spoiled.current(AGENT), 'what it would be told').toMatchObject({ ok: true, value: { epoch: 1 } });
    await spoiled.close();
    await proxy.end();
    // What the register asks.
    const read = { compare: [condition], success: [{ request_range: { key: rec } }] };
    expect(await cutOff.post('/v3/kv/txn', read, 1_500)).toBeNull();
    const only = openRegister({ endpoints: [cutOff.url], prefix });
    await expect(only).rejects.toThrow('register-unreachable');
    expect(await register.ask(AGENT, RENEW)).toMatchObject(UNREACHABLE);
  });

  it('lets nobody renew through a leader that has lost the others, although it still keeps leases alive', async () => {
    await grant();
    const leader = await cluster.leader();
    const alone = await openRegister({ endpoints: [leader.url], prefix });
    for (const member of others(leader)) member.stop();
    const renewing = alone.ask(AGENT, RENEW);
    expect(await renewing).toMatchObject(UNREACHABLE);
    leader.stop();
    for (const member of others(leader)) member.wake();
    expect(await answered(register, RENEW), 'the others go on').toEqual({ kind: 'renewed', epoch: 1 });
    await alone.close();
  });

  it('gives a lease its whole time again under a new leader, and never grants it twice', async () => {
    await answered(register, { ...ANNAS, ttlMs: 2_000 });
    const startMs = performance.now();
    await (await cluster.leader()).kill();
    let reply = await answered(register, BENS);
    while (reply.kind === 'held') reply = await answered(register, BENS);
    expect(reply).toMatchObject({ kind: 'granted', epoch: 2, holdOff: true });
    expect(performance.now() - startMs).toBeGreaterThan(1_900);
    expect(await answered(register, RENEW)).toMatchObject({ kind: 'lost' });
    expect(TTL_MS).toBeGreaterThan(2_000);
  });
});

/** Asks until there is an answer, as a host does; each repetition is safe, by the nonce or the token in it. */
async function answered(register: EtcdCoordinator, verb: RegisterVerb): Promise<{ readonly kind: string }> {
  const until = performance.now() + AGREE_LIMIT_MS;
  for (;;) {
    const answer = await register.ask(AGENT, verb);
    if (answer.ok) return answer.value.reply;
    expect(answer).toMatchObject(UNREACHABLE);
    if (performance.now() > until) throw new Error(answer.error.message);
    await setTimeout(20);
  }
}
