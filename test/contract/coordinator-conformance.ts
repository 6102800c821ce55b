import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOLD_OFF_MS } from '../../src/shared/core/lease/lease.ts';
import { ANNA, ask, BEN, AGENT, agentId, answer, deviceId, look, release, take, TTL_MS } from './coordinator-bench.ts';
import type { CoordinatorBench } from './coordinator-bench.ts';
import { describeByHand } from './coordinator-by-hand.ts';
import { describeAgainstTheModel } from './coordinator-model.ts';
import { describeTail } from './coordinator-tail.ts';

/** What `describeCoordinator` runs on: a fresh register for each test. */
export type MakeBench = () => Promise<CoordinatorBench>;

/** The tests' one bench at a time. */
export type Bench = () => CoordinatorBench;

/**
 * What every coordinator has to do alike, whatever keeps its record (protocol section 5). Time is the bench's own: a fake
 * clock where the register lives on this machine, so that no test waits.
 */
export function describeCoordinator(name: string, make: MakeBench): void {
  describe(name, () => {
    let current: CoordinatorBench | null = null;
    const bench: Bench = () => {
      if (current === null) throw new Error('There is no bench.');
      return current;
    };
    beforeEach(async () => {
      current = await make();
    });
    afterEach(async () => {
      await current?.close();
      current = null;
    });
    describeGrants(bench);
    describeExpiry(bench);
    describeHoldOff(bench);
    describeTail(bench);
    describeByHand(bench);
    describeAgainstTheModel(bench);
  });
}

function describeGrants(bench: Bench): void {
  describe('grants', () => {
    it('has one winner among 12 contenders in each of 200 races, and an epoch for each', async () => {
      for (let race = 1; race <= 200; race++) {
        const replies = await Promise.all(
          Array.from({ length: 12 }, (_, index) => {
            const contender = deviceId(`device-${index}`);
            return ask(bench(), { verb: 'acquire', deviceId: contender, nonce: `${race}-${index}`, ttlMs: TTL_MS });
          }),
        );
        const granted = replies.filter((reply) => reply.kind === 'granted');
        expect(granted).toEqual([{ kind: 'granted', epoch: race, holdOff: false, isReplay: false }]);
        const winner = deviceId(`device-${replies.findIndex((reply) => reply.kind === 'granted')}`);
        const losers = replies.filter((reply) => reply.kind !== 'granted');
        expect(new Set(losers.map((reply) => JSON.stringify(reply)))).toEqual(
          new Set([JSON.stringify({ kind: 'held', holder: winner, epoch: race })]),
        );
        expect(await release(bench(), { deviceId: winner, epoch: race })).toEqual({ kind: 'released', epoch: race });
      }
    });

    it('raises the epoch over release, expiry and restart, also for the same device, and never on renewal', async () => {
      const first = await take(bench(), ANNA);
      expect(first.epoch).toBe(1);
      expect(await ask(bench(), { ...first, verb: 'renew' })).toEqual({ kind: 'renewed', epoch: 1 });
      await release(bench(), first);
      expect((await look(bench())).epoch, 'a release keeps the epoch').toBe(1);
      expect((await take(bench(), ANNA)).epoch).toBe(2);
      await bench().pass(TTL_MS);
      expect((await take(bench(), BEN)).epoch).toBe(3);
      await bench().restart();
      expect((await look(bench())).epoch).toBe(3);
      await bench().pass(TTL_MS);
      expect((await take(bench(), BEN)).epoch).toBe(4);
    });

    it('answers a repeated acquire with the grant it already gave, without giving more time', async () => {
      const grant = await take(bench(), ANNA);
      await bench().pass(5_000);
      const again = { verb: 'acquire', deviceId: ANNA, nonce: grant.nonce, ttlMs: TTL_MS } as const;
      const { reply, view } = await answer(bench(), again);
      expect(reply).toEqual({ kind: 'granted', epoch: 1, holdOff: false, isReplay: true });
      expect(view.remainingMs).toBe(TTL_MS - 5_000);
    });

    it('does not take another device for the holder because it says the same nonce', async () => {
      const grant = await take(bench(), ANNA);
      const stranger = { verb: 'acquire', deviceId: BEN, nonce: grant.nonce, ttlMs: TTL_MS } as const;
      expect(await ask(bench(), stranger)).toEqual({ kind: 'held', holder: ANNA, epoch: 1 });
    });

    it('keeps its name over a restart and puts it on every answer', async () => {
      const { identity } = bench().coordinator();
      expect(identity.coordinatorId).not.toBe(identity.incarnation);
      await bench().restart();
      expect(bench().coordinator().identity).toEqual(identity);
      expect((await look(bench())).coordinator).toEqual(identity);
      const acquire = { verb: 'acquire', deviceId: ANNA, nonce: 'n', ttlMs: TTL_MS } as const;
      expect((await answer(bench(), acquire)).view.coordinator).toEqual(identity);
    });

    it('keeps agents apart, whatever they are called', async () => {
      for (const name of ['__proto__', 'constructor', 'a b', 'a', `'; DROP TABLE register; --`, 'ä'.repeat(80)]) {
        expect((await take(bench(), ANNA, { agent: agentId(name) })).epoch).toBe(1);
        expect((await look(bench(), agentId(name))).lease).toMatchObject({ agentId: name, holder: ANNA, epoch: 1 });
      }
      expect((await look(bench())).lease).toBeNull();
    });
  });
}

function describeExpiry(bench: Bench): void {
  describe('time', () => {
    it('refuses a renewal from the moment of expiry on, even if nobody has taken over', async () => {
      const grant = await take(bench(), ANNA);
      await bench().pass(TTL_MS - 1);
      expect(await ask(bench(), { ...grant, verb: 'renew' })).toEqual({ kind: 'renewed', epoch: 1 });
      await bench().pass(TTL_MS);
      expect(await ask(bench(), { ...grant, verb: 'renew' })).toEqual({ kind: 'lost', holder: ANNA, epoch: 1 });
    });

    it('refuses a renewal under another nonce or an old epoch', async () => {
      const old = await take(bench(), ANNA);
      await release(bench(), old);
      const grant = await take(bench(), ANNA);
      const lost = { kind: 'lost', holder: ANNA, epoch: 2 };
      expect(await ask(bench(), { ...grant, verb: 'renew', nonce: old.nonce })).toEqual(lost);
      expect(await ask(bench(), { ...old, verb: 'renew' })).toEqual(lost);
    });

    it('lets each agent have its own time to live', async () => {
      await take(bench(), ANNA, { agent: agentId('short'), ttlMs: 1_000 });
      await take(bench(), ANNA, { agent: agentId('long'), ttlMs: 60_000 });
      await bench().pass(1_000);
      expect((await take(bench(), BEN, { agent: agentId('short'), ttlMs: 30_000 })).epoch).toBe(2);
      await bench().pass(29_999);
      const acquire = { verb: 'acquire', deviceId: BEN, nonce: 'other', ttlMs: 1 } as const;
      expect(await ask(bench(), acquire, agentId('long'))).toMatchObject({ kind: 'held', holder: ANNA });
      expect(await ask(bench(), acquire, agentId('short'))).toMatchObject({ kind: 'held', holder: BEN });
      expect((await look(bench(), agentId('long'))).remainingMs).toBe(60_000 - 30_999);
      expect((await look(bench(), agentId('short'))).lease?.ttlMs, 'the TTL of the grant in force').toBe(30_000);
    });

    it('keeps a lease over a restart of the host, and lets it run out there', async () => {
      await take(bench(), ANNA);
      await bench().restart();
      const acquire = { verb: 'acquire', deviceId: BEN, nonce: 'after-restart', ttlMs: TTL_MS } as const;
      expect(await ask(bench(), acquire)).toMatchObject({ kind: 'held', holder: ANNA });
      await bench().pass(TTL_MS);
      expect(await ask(bench(), acquire)).toMatchObject({ kind: 'granted', holdOff: true });
    });
  });
}

function describeHoldOff(bench: Bench): void {
  describe('hold-off', () => {
    it('is asked for after an unclean takeover only', async () => {
      const first = await take(bench(), ANNA);
      expect(first.holdOff).toBe(false);
      await release(bench(), first);
      const second = await take(bench(), BEN);
      expect(second.holdOff, 'the predecessor had released').toBe(false);
      await bench().pass(TTL_MS);
      expect((await take(bench(), ANNA)).holdOff, 'the predecessor had not').toBe(true);
    });

    it('is handed on by a holder that releases before it is over', async () => {
      await take(bench(), ANNA);
      await bench().pass(TTL_MS);
      const hasty = await take(bench(), BEN);
      expect(await release(bench(), hasty, { isHoldOffOver: false })).toMatchObject({ kind: 'released' });
      await bench().restart();
      const next = await take(bench(), ANNA);
      expect(next.holdOff).toBe(true);
      await bench().pass(HOLD_OFF_MS);
      await release(bench(), next, { isHoldOffOver: true });
      expect((await take(bench(), BEN)).holdOff).toBe(false);
    });

    it('is still asked for when the grant is repeated', async () => {
      await take(bench(), ANNA);
      await bench().pass(TTL_MS);
      const { nonce } = await take(bench(), BEN);
      const again = { verb: 'acquire', deviceId: BEN, nonce, ttlMs: TTL_MS } as const;
      expect(await ask(bench(), again)).toMatchObject({ kind: 'granted', holdOff: true, isReplay: true });
    });

    it('cannot be avoided by a release with claims pending, which changes nothing', async () => {
      const grant = await take(bench(), ANNA);
      expect(await release(bench(), grant, { pendingClaims: 2 })).toEqual({ kind: 'claims-pending', pendingClaims: 2 });
      expect((await look(bench())).lease).toMatchObject({ agentId: AGENT, holder: ANNA, epoch: 1 });
    });

    it('is not ended by a release of somebody who lost the lease', async () => {
      const old = await take(bench(), ANNA);
      await bench().pass(TTL_MS);
      await take(bench(), BEN);
      expect(await release(bench(), old)).toEqual({ kind: 'lost', holder: BEN, epoch: 2 });
      expect((await look(bench())).lease?.holder).toBe(BEN);
    });
  });
}

/** Only for a register on the machine that starts again: one elsewhere is not told, and its leases run out by themselves. */
export function describeReboot(
  name: string,
  make: () => Promise<CoordinatorBench & { reboot(): Promise<void> }>,
): void {
  it(`${name} lets an agent be taken over at once after a reboot, uncleanly`, async () => {
    const bench = await make();
    try {
      const grant = await take(bench, ANNA);
      await bench.reboot();
      expect((await look(bench)).remainingMs).toBe(0);
      expect(await ask(bench, { ...grant, verb: 'renew' })).toMatchObject({ kind: 'lost' });
      expect(await take(bench, BEN)).toMatchObject({ epoch: 2, holdOff: true });
    } finally {
      await bench.close();
    }
  });
}
