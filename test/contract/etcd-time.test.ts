import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { hasEtcd } from '../harness/etcd-server.ts';
import type { EtcdMember } from '../harness/etcd-server.ts';
import { AGENT, ANNA, BEN, TTL_MS } from './coordinator-bench.ts';
import { readKey, revokeLive } from './etcd-bench.ts';
import { ANNAS, ANNOUNCE, BEN_TAKES_OVER, BENS, EtcdFixture, RENEW, UNREACHABLE } from './etcd-fixture.ts';
import { PASS } from './etcd-proxy.ts';
import type { Fate, Passing } from './etcd-proxy.ts';
import { must } from './sqlite-benches.ts';

describe.skipIf(!hasEtcd)('the register in etcd, over the end of a lease', () => {
  const etcd = new EtcdFixture();

  describe('a renewal', () => {
    const isKeepAlive = ({ path }: Passing): boolean => path === '/v3/lease/keepalive';
    const keptAlive = async (of: { readonly term?: string } = {}): Promise<Fate> => {
      const status = (await etcd.member.post('/v3/maintenance/status', {})) as { header: Record<string, string> };
      const header = { ...status.header, ...(of.term !== undefined && { raft_term: of.term }) };
      return { kind: 'answer', body: { result: { header, TTL: '15' } } };
    };

    it('keeps a lease for longer than its time', async () => {
      const [register, other] = [await etcd.open(), await etcd.open()];
      await register.ask(AGENT, { ...ANNAS, ttlMs: 2_000 });
      const until = performance.now() + 4_500;
      while (performance.now() < until) {
        expect(must(await register.ask(AGENT, RENEW)).reply).toEqual({ kind: 'renewed', epoch: 1 });
        expect(must(await other.ask(AGENT, BENS)).reply).toEqual({ kind: 'held', holder: ANNA, epoch: 1 });
        await setTimeout(50);
      }
    });

    // etcd-io/etcd#15247, etcd-io/etcd#12528
    it('is not believed when a leader that was deposed answered it', async () => {
      const register = await etcd.open({ endpoints: [etcd.proxy.url] });
      await register.ask(AGENT, ANNAS);
      const deposed = await keptAlive({ term: '1' });
      etcd.proxy.fate = (request) => (isKeepAlive(request) ? deposed : PASS);
      expect(await register.ask(AGENT, RENEW)).toMatchObject(UNREACHABLE);
    });

    it('is not believed when the lease ended all the same', async () => {
      const register = await etcd.open({ endpoints: [etcd.proxy.url] });
      await register.ask(AGENT, ANNAS);
      const answered = await keptAlive();
      etcd.proxy.fate = async (request) => {
        if (!isKeepAlive(request)) return PASS;
        await revokeLive(etcd.member, etcd.live);
        return answered;
      };
      expect(must(await register.ask(AGENT, RENEW)).reply).toEqual({ kind: 'lost', holder: ANNA, epoch: 1 });
    });

    it('is not believed when it reached another grant', async () => {
      const register = await etcd.open({ endpoints: [etcd.proxy.url] });
      await register.ask(AGENT, ANNAS);
      const other = await etcd.open();
      const answered = await keptAlive();
      etcd.proxy.fate = async (request) => {
        if (!isKeepAlive(request)) return PASS;
        expect(must(await other.ask(AGENT, BEN_TAKES_OVER)).reply).toMatchObject({ kind: 'granted', epoch: 2 });
        return answered;
      };
      expect(must(await register.ask(AGENT, RENEW)).reply).toEqual({ kind: 'lost', holder: BEN, epoch: 2 });
    });
  });

  describe('time', () => {
    it('that ends early costs the next holder a hold-off, and the old one its right', async () => {
      const register = await etcd.open();
      await register.ask(AGENT, ANNAS);
      await revokeLive(etcd.member, etcd.live);
      expect(must(await register.ask(AGENT, RENEW)).reply).toMatchObject({ kind: 'lost' });
      expect(must(await (await etcd.open()).ask(AGENT, BENS)).reply).toMatchObject({ epoch: 2, holdOff: true });
      expect(must(await register.ask(AGENT, ANNOUNCE)).reply).toEqual({ kind: 'lost', holder: BEN, epoch: 2 });
    });

    // etcd-io/etcd#9395, etcd-io/etcd#2660
    it('that ends late, since etcd was killed and begins it anew, grants nothing twice', async () => {
      const register = await etcd.open();
      await register.ask(AGENT, { ...ANNAS, ttlMs: 1_000 });
      const grantedMs = performance.now();
      await etcd.member.kill();
      etcd.member.start();
      await etcd.member.ready();
      const other = await etcd.open();
      let reply = must(await other.ask(AGENT, BENS)).reply;
      while (reply.kind === 'held') ({ reply } = must(await other.ask(AGENT, BENS)));
      expect(reply).toMatchObject({ kind: 'granted', epoch: 2, holdOff: true });
      expect(performance.now() - grantedMs, 'never before the time is over').toBeGreaterThan(1_000);
      expect(must(await register.ask(AGENT, { ...RENEW, nonce: 'anna-1' })).reply).toMatchObject({ kind: 'lost' });
    });

    it('of a lease that a person took over is not cut short when the old one is given back', async () => {
      const register = await etcd.open();
      await register.ask(AGENT, ANNAS);
      const first = (await readKey(etcd.member, etcd.live))?.lease;
      await register.ask(AGENT, BEN_TAKES_OVER);
      await etcd.member.post('/v3/lease/revoke', { ID: first });
      const left = await etcd.member.post('/v3/lease/timetolive', { ID: first });
      expect(left).toMatchObject({ TTL: '-1' });
      expect(must(await register.current(AGENT))).toMatchObject({ lease: { holder: BEN } });
      expect(must(await register.current(AGENT)).remainingMs).toBeGreaterThan(0);
    });

    it('is shown to a device that did not grant it, in whole seconds', async () => {
      await (await etcd.open()).ask(AGENT, ANNAS);
      const { remainingMs } = must(await (await etcd.open()).current(AGENT));
      expect(remainingMs).toBeGreaterThan(10_000);
      expect(remainingMs).toBeLessThanOrEqual(TTL_MS);
    });

    it('leaves no lease behind that nobody uses', async () => {
      const contenders = await Promise.all(Array.from({ length: 4 }, () => etcd.open()));
      await Promise.all(
        contenders.map((register, index) => register.ask(AGENT, { ...ANNAS, nonce: `n-${index}`, ttlMs: 77_000 })),
      );
      await expect.poll(() => leasesOf(etcd.member, '77')).toBe(1);
    });
  });
});

async function leasesOf(member: EtcdMember, seconds: string): Promise<number> {
  const { leases = [] } = (await member.post('/v3/lease/leases', {})) as { leases?: { ID: string }[] };
  const each = await Promise.all(leases.map(({ ID }) => member.post('/v3/lease/timetolive', { ID })));
  return each.filter((lease) => (lease as { grantedTTL?: string }).grantedTTL === seconds).length;
}
