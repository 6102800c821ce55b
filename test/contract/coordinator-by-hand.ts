import { describe, expect, it } from 'vitest';
import { announce, ANNA, answer, ask, BEN, look, release, settle, tailOf, take, TTL_MS } from './coordinator-bench.ts';
import type { Bench } from './coordinator-conformance.ts';

const WORK = { coordinatorId: 'work', incarnation: 'one', name: 'Work' };

/** What a person asks of a register: the same everywhere, and durable. */
export function describeByHand(bench: Bench): void {
  describe('by hand', () => {
    it('takes a live lease over from what was seen, and what the old holder announces then is refused', async () => {
      const old = await take(bench(), ANNA);
      const verb = { verb: 'take-over', deviceId: BEN, nonce: 'pressed', ttlMs: TTL_MS } as const;
      const stale = { kind: 'seen-otherwise', holder: ANNA, epoch: 1 };
      expect(await ask(bench(), { ...verb, seenEpoch: 0 })).toEqual(stale);
      const taken = await answer(bench(), { ...verb, seenEpoch: 1 });
      expect(taken.reply).toEqual({ kind: 'granted', epoch: 2, holdOff: true, isReplay: false });
      expect(taken.view.lease).toMatchObject({ holder: BEN, epoch: 2 });
      expect(taken.view.remainingMs).toBeGreaterThan(0);
      expect(await announce(bench(), old, { key: 'a' })).toEqual({ kind: 'lost', holder: BEN, epoch: 2 });
      expect(await ask(bench(), { ...old, verb: 'renew' })).toMatchObject({ kind: 'lost' });
      await bench().restart();
      expect((await look(bench())).lease).toMatchObject({ holder: BEN, epoch: 2 });
    });

    it('lets an expired lease wait for a person, also after a restart, and no longer than that is wanted', async () => {
      await take(bench(), ANNA);
      const by = { verb: 'set-takeover', deviceId: ANNA } as const;
      expect(await ask(bench(), { ...by, takeover: 'by-person' })).toEqual({ kind: 'takeover-set' });
      await bench().restart();
      await bench().pass(2 * TTL_MS);
      const acquire = { verb: 'acquire', deviceId: BEN, nonce: 'n', ttlMs: TTL_MS } as const;
      expect(await ask(bench(), acquire)).toEqual({ kind: 'waits-for-person', holder: ANNA, epoch: 1 });
      expect((await look(bench())).takeover).toBe('by-person');
      expect(await ask(bench(), { ...by, takeover: 'automatic' })).toEqual({ kind: 'takeover-set' });
      expect(await ask(bench(), acquire)).toMatchObject({ kind: 'granted', epoch: 2, holdOff: true });
    });

    it('keeps what is said about an agent that was never held', async () => {
      const verb = { verb: 'set-takeover', deviceId: ANNA, takeover: 'by-person' } as const;
      expect(await ask(bench(), verb)).toEqual({ kind: 'takeover-set' });
      await bench().restart();
      expect(await look(bench())).toMatchObject({ epoch: 0, takeover: 'by-person', lease: null });
      expect((await take(bench(), BEN)).epoch).toBe(1);
    });

    it('raises the epoch above all that was seen, once, and nobody holds it then', async () => {
      const grant = await take(bench(), ANNA);
      const bump = { verb: 'bump', deviceId: BEN, seenEpoch: 1, aboveEpoch: 500 } as const;
      const { reply, view } = await answer(bench(), bump);
      expect(reply).toEqual({ kind: 'bumped', epoch: 500 + 2 ** 20 });
      expect(view.lease).toBeNull();
      expect(await ask(bench(), bump)).toMatchObject({ kind: 'seen-otherwise' });
      expect(await announce(bench(), grant, { key: 'a' })).toMatchObject({ kind: 'lost' });
      await bench().restart();
      expect(await take(bench(), BEN)).toMatchObject({ epoch: 501 + 2 ** 20, holdOff: true });
    });

    givesAnAgentAwayOnce(bench);
  });
}

function givesAnAgentAwayOnce(bench: Bench): void {
  it('gives an agent away for good, and takes one in with its past, once', async () => {
    const grant = await take(bench(), ANNA);
    await announce(bench(), grant, { key: 'a' });
    await settle(bench(), grant, { key: 'a', seq: 1 });
    await announce(bench(), grant, { key: 'b' });
    const { deviceId, epoch } = grant;
    const of = { deviceId, epoch, isHoldOffOver: true, to: WORK };
    const pending = await ask(bench(), { verb: 'retire', ...of, pendingClaims: 1 });
    expect(pending).toEqual({ kind: 'claims-pending', pendingClaims: 1 });
    const left = await answer(bench(), { verb: 'retire', ...of, pendingClaims: 0 });
    expect(left.reply).toEqual({ kind: 'retired', epoch: 1, isUnclean: false });
    await bench().restart();
    const acquire = { verb: 'acquire', deviceId: BEN, nonce: 'n', ttlMs: TTL_MS } as const;
    expect(await ask(bench(), acquire)).toEqual({ kind: 'moved', to: WORK });
    const { tail, frontier } = left.view;
    const from = { epoch: 70, isUnclean: true, tail, frontier };
    const source = { coordinatorId: 'home', incarnation: 'one' };
    const adopt = { verb: 'adopt', deviceId: BEN, source, from } as const;
    expect(await ask(bench(), adopt)).toEqual({ kind: 'adopted', epoch: 71, isReplay: false });
    expect(await ask(bench(), adopt)).toEqual({ kind: 'adopted', epoch: 71, isReplay: true });
    const back = await take(bench(), BEN);
    expect(back).toMatchObject({ epoch: 72, holdOff: true });
    expect(tailOf(await look(bench()))).toEqual(['a committed', 'b open']);
    await release(bench(), back);
  });
}
