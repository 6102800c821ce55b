import { describe, expect, it } from 'vitest';
import { hasEtcd } from '../harness/etcd-server.ts';
import { AGENT, agentId, attemptToken, deviceId, effect } from './coordinator-bench.ts';
import { base64, writeKey } from './etcd-bench.ts';
import { ANNAS, ANNOUNCE, BENS, EtcdFixture, RENEW, UNREACHABLE, writes } from './etcd-fixture.ts';
import { PASS } from './etcd-proxy.ts';
import { must } from './sqlite-benches.ts';

describe.skipIf(!hasEtcd)('the register in etcd, in trouble', () => {
  const etcd = new EtcdFixture();

  describe('contenders with connections of their own', () => {
    it('has one winner among 12 in each of 20 races, although all of them saw the agent free', async () => {
      const contenders = await Promise.all(Array.from({ length: 12 }, () => etcd.open()));
      for (let race = 1; race <= 20; race += 1) {
        const answers = await Promise.all(
          contenders.map((register, index) =>
            register.ask(AGENT, { ...ANNAS, deviceId: deviceId(`device-${index}`), nonce: `${race}-${index}` }),
          ),
        );
        const replies = answers.map((answer) => must(answer).reply);
        const winner = replies.findIndex((reply) => reply.kind === 'granted');
        expect(replies[winner]).toEqual({ kind: 'granted', epoch: race, holdOff: false, isReplay: false });
        const held = { kind: 'held', holder: `device-${winner}`, epoch: race };
        expect(replies.filter((_, index) => index !== winner)).toEqual(Array.from({ length: 11 }, () => held));
        const release = { verb: 'release', epoch: race, pendingClaims: 0, isHoldOffOver: true } as const;
        await contenders[winner]?.ask(AGENT, { ...release, deviceId: deviceId(`device-${winner}`) });
      }
    });

    it('would have several winners if the conditions of a write were lost, so the race above is one', async () => {
      etcd.proxy.fate = (request) => {
        if (!writes(request) || request.body.includes(meta)) return PASS;
        return { kind: 'pass', body: JSON.stringify({ ...(JSON.parse(request.body) as object), compare: [] }) };
      };
      const meta = `"key":"${base64(`${etcd.prefix}meta`)}","value"`;
      const contenders = await Promise.all(
        Array.from({ length: 12 }, () => etcd.open({ endpoints: [etcd.proxy.url] })),
      );
      const answers = await Promise.all(
        contenders.map((register, index) => register.ask(AGENT, { ...ANNAS, deviceId: deviceId(`device-${index}`) })),
      );
      const winners = answers.filter((answer) => answer.ok && answer.value.reply.kind === 'granted');
      expect(winners.length).toBeGreaterThan(1);
    });

    it('loses no announcement of 40 at once over two connections, and takes none in twice', async () => {
      const [one, other] = [await etcd.open(), await etcd.open()];
      await one.ask(AGENT, ANNAS);
      const entries = Array.from({ length: 40 }, (_, index) => ({
        effect: effect(`mail-${index}`),
        attemptToken: attemptToken(`try-${index}`),
        digest: 'digest',
      }));
      const answers = await Promise.all(
        entries.map((entry, index) => (index % 2 === 0 ? one : other).ask(AGENT, { ...ANNOUNCE, entry })),
      );
      for (const answer of answers) {
        expect(answer).toMatchObject({ ok: true, value: { reply: { kind: 'announced', isReplay: false } } });
      }
      const { tail } = must(await (await etcd.open()).current(AGENT));
      expect(new Set(tail.map((entry) => entry.attemptToken)).size).toBe(40);
      expect(tail).toHaveLength(40);
    });
  });

  describe('an outcome that nobody knows', () => {
    it('is no grant and no refusal, and the grant is adopted by its nonce', async () => {
      const register = await etcd.open({ endpoints: [etcd.proxy.url] });
      etcd.once(writes, { kind: 'drop-answer' });
      expect(await register.ask(AGENT, ANNAS)).toMatchObject(UNREACHABLE);
      expect(must(await register.current(AGENT)).lease).toMatchObject({ nonce: 'anna-1', epoch: 1 });
      const again = { kind: 'granted', epoch: 1, holdOff: false, isReplay: true };
      expect(must(await register.ask(AGENT, ANNAS)).reply).toEqual(again);
    });

    it('is not tried again by itself, on another address neither, although it never reached etcd', async () => {
      const register = await etcd.open({ endpoints: [etcd.proxy.url, etcd.member.url] });
      etcd.once(writes, { kind: 'drop-request' });
      expect(await register.ask(AGENT, ANNAS)).toMatchObject(UNREACHABLE);
      expect(must(await register.current(AGENT)).lease).toBeNull();
      expect(etcd.proxy.seen.filter(writes)).toHaveLength(2); // The name of the register, and the one that was lost.
    });

    it('of an announcement leaves one entry at most', async () => {
      const register = await etcd.open({ endpoints: [etcd.proxy.url] });
      await register.ask(AGENT, ANNAS);
      etcd.once(writes, { kind: 'drop-answer' });
      expect(await register.ask(AGENT, ANNOUNCE)).toMatchObject(UNREACHABLE);
      expect(must(await register.ask(AGENT, ANNOUNCE)).reply).toEqual({ kind: 'announced', isReplay: true });
    });

    it('goes to another address when nothing can have left', async () => {
      const register = await etcd.open({ endpoints: ['http://127.0.0.1:1', etcd.member.url] });
      expect(must(await register.ask(AGENT, ANNAS)).reply).toMatchObject({ kind: 'granted' });
    });

    it('comes within 2.5 s when etcd hangs, for each of many questions', async () => {
      const register = await etcd.open();
      await register.ask(AGENT, ANNAS);
      etcd.member.stop();
      const startMs = performance.now();
      const answers = await Promise.all(Array.from({ length: 70 }, () => register.ask(AGENT, ANNOUNCE)));
      const tookMs = performance.now() - startMs;
      etcd.member.wake();
      for (const answer of answers) expect(answer).toMatchObject(UNREACHABLE);
      expect(tookMs).toBeLessThan(2_900);
      expect(must(await register.ask(AGENT, ANNOUNCE)).reply).toMatchObject({ kind: 'announced' });
    });

    it('comes of every question after it was closed', async () => {
      const register = await etcd.open();
      await register.close();
      expect(await register.ask(AGENT, ANNAS)).toMatchObject(UNREACHABLE);
      expect(await register.current(AGENT)).toMatchObject(UNREACHABLE);
    });

    it('comes of a record that would not read back, which is not kept', async () => {
      const register = await etcd.open();
      expect(await register.ask(AGENT, { ...ANNAS, ttlMs: Number.POSITIVE_INFINITY })).toMatchObject(UNREACHABLE);
      expect(must(await register.current(AGENT)).epoch).toBe(0);
    });
  });

  describe('keys that the register did not write', () => {
    it.each([
      ['is not readable', 'nonsense'],
      ['lacks a member', '{"record":"{}"}'],
      ['names no record', '{"record":"{}","leaseId":null}'],
    ])('get no answer when a record %s, and draw in no other agent', async (_what, text) => {
      const register = await etcd.open();
      await register.ask(AGENT, ANNAS);
      await writeKey(etcd.member, etcd.rec, text);
      for (const verb of [BENS, RENEW, ANNOUNCE]) {
        expect(await register.ask(AGENT, verb)).toMatchObject(UNREACHABLE);
      }
      expect(await register.current(AGENT)).toMatchObject(UNREACHABLE);
      expect(must(await register.ask(agentId('other'), BENS)).reply).toMatchObject({ kind: 'granted' });
    });

    it('get no answer when a lease never ends, or is not the one of the record', async () => {
      const register = await etcd.open();
      await register.ask(AGENT, ANNAS);
      await writeKey(etcd.member, etcd.live, 'anna-1');
      expect(await register.ask(AGENT, BENS)).toMatchObject(UNREACHABLE);
      expect(await register.ask(AGENT, RENEW)).toMatchObject(UNREACHABLE);
    });
  });

  it('never asks for a read that one member may answer alone, nor for a transaction without an operation', async () => {
    const register = await etcd.open({ endpoints: [etcd.proxy.url] });
    for (const verb of [ANNAS, RENEW, ANNOUNCE, BENS]) await register.ask(AGENT, verb);
    await register.current(AGENT);
    const transactions = etcd.proxy.seen.filter(({ path }) => path === '/v3/kv/txn');
    expect(transactions.length).toBeGreaterThan(6);
    for (const { body } of transactions) {
      const { compare, success, failure } = JSON.parse(body) as Record<'compare' | 'success' | 'failure', unknown[]>;
      expect(body).not.toContain('serializable');
      expect(success.length).toBeGreaterThan(0);
      if (compare.length > 0) expect(failure.length).toBeGreaterThan(0);
    }
  });
});
