import { describe, expect, it } from 'vitest';
import { TAIL_OPEN_LIMIT, TAIL_SETTLED_LIMIT } from '../../src/shared/core/lease/tail.ts';
import {
  ANNA,
  announce,
  ask,
  attemptToken,
  BEN,
  deviceId,
  look,
  release,
  settle,
  tailOf,
  take,
  TTL_MS,
} from './coordinator-bench.ts';
import type { Bench } from './coordinator-conformance.ts';

/** The travelling tail (protocol section 4). */
export function describeTail(bench: Bench): void {
  describe('tail', () => {
    describeAnnouncing(bench);
    describeLimits(bench);
    describePermits(bench);
    describeTravelling(bench);
  });
}

function describeAnnouncing(bench: Bench): void {
  it('refuses to announce under a lease that was stolen, and takes nothing in', async () => {
    const old = await take(bench(), ANNA);
    await bench().pass(TTL_MS);
    await take(bench(), BEN);
    expect(await announce(bench(), old, { key: 'mail' })).toEqual({ kind: 'lost', holder: BEN, epoch: 2 });
    expect((await look(bench())).tail).toEqual([]);
  });

  it('refuses to announce under an earlier epoch of the same device', async () => {
    const old = await take(bench(), ANNA);
    await release(bench(), old);
    expect(await announce(bench(), old, { key: 'mail' })).toEqual({ kind: 'lost', holder: null, epoch: 1 });
    await take(bench(), ANNA);
    expect(await announce(bench(), old, { key: 'mail' })).toEqual({ kind: 'lost', holder: ANNA, epoch: 2 });
  });

  it('answers a repeated announcement as such, and keeps one entry', async () => {
    const grant = await take(bench(), ANNA);
    expect(await announce(bench(), grant, { key: 'mail' })).toEqual({ kind: 'announced', isReplay: false });
    expect(await announce(bench(), grant, { key: 'mail' })).toEqual({ kind: 'announced', isReplay: true });
    expect(tailOf(await look(bench()))).toEqual(['mail open']);
  });
}

function describeLimits(bench: Bench): void {
  it('refuses the 65th open entry and drops none', async () => {
    const grant = await take(bench(), ANNA);
    for (let index = 0; index < TAIL_OPEN_LIMIT; index++) {
      expect(await announce(bench(), grant, { key: `open-${index}` })).toMatchObject({ kind: 'announced' });
    }
    const full = { kind: 'tail-full', open: TAIL_OPEN_LIMIT, settled: 0 };
    expect(await announce(bench(), grant, { key: 'one-more' })).toEqual(full);
    expect((await look(bench())).tail).toHaveLength(TAIL_OPEN_LIMIT);
    await settle(bench(), grant, { key: 'open-0', seq: 1 });
    expect(await announce(bench(), grant, { key: 'one-more' })).toMatchObject({ kind: 'announced' });
  });

  it('refuses new entries behind 256 settled ones until some are pruned', async () => {
    const grant = await take(bench(), ANNA);
    for (let index = 0; index < TAIL_SETTLED_LIMIT; index++) {
      await announce(bench(), grant, { key: `done-${index}` });
      await settle(bench(), grant, { key: `done-${index}`, seq: index + 1 });
    }
    const full = { kind: 'tail-full', open: 0, settled: TAIL_SETTLED_LIMIT };
    expect(await announce(bench(), grant, { key: 'one-more' })).toEqual(full);
    await bench().restart();
    expect(await announce(bench(), grant, { key: 'one-more' }), 'also after a restart').toEqual(full);
    expect(await ask(bench(), { ...grant, verb: 'prune-tail', uptoSeq: 10 })).toEqual({ kind: 'pruned', dropped: 10 });
    expect(await announce(bench(), grant, { key: 'one-more' })).toMatchObject({ kind: 'announced' });
  });
}

function describePermits(bench: Bench): void {
  it('lets nobody over an open entry without a permit that names it', async () => {
    const grant = await take(bench(), ANNA);
    await announce(bench(), grant, { key: 'mail', token: 'first' });
    const second = { key: 'mail', token: 'second' };
    expect(await announce(bench(), grant, second)).toMatchObject({ kind: 'still-open' });
    const wrong = { reason: 'decision', attemptToken: attemptToken('zeroth'), status: 'open' } as const;
    expect(await announce(bench(), grant, { ...second, permit: wrong })).toMatchObject({ kind: 'still-open' });
    const right = { reason: 'automatic-repeat', attemptToken: attemptToken('first'), status: 'open' } as const;
    expect(await announce(bench(), grant, { ...second, permit: right })).toMatchObject({ kind: 'announced' });
    expect(
      (await look(bench())).tail.map((entry) => entry.attemptToken),
      'the first may have happened',
    ).toEqual(['first', 'second']);
  });

  it('lets only a decision over a committed entry, and only while it is as the decision saw it', async () => {
    const grant = await take(bench(), ANNA);
    await announce(bench(), grant, { key: 'mail', token: 'first' });
    const sawOpen = { reason: 'decision', attemptToken: attemptToken('first'), status: 'open' } as const;
    await settle(bench(), grant, { key: 'mail', token: 'first', seq: 1 });
    const second = { key: 'mail', token: 'second' };
    const repeat = { ...sawOpen, reason: 'automatic-repeat', status: 'committed' } as const;
    for (const permit of [null, sawOpen, repeat]) {
      expect(await announce(bench(), grant, { ...second, permit })).toMatchObject({ kind: 'already-committed' });
    }
    const permit = { ...sawOpen, status: 'committed' } as const;
    expect(await announce(bench(), grant, { ...second, permit })).toMatchObject({ kind: 'announced' });
  });
}

function describeTravelling(bench: Bench): void {
  it('travels with the lease over release, restart and takeover', async () => {
    const first = await take(bench(), ANNA);
    await announce(bench(), first, { key: 'mail' });
    await announce(bench(), first, { key: 'file' });
    await settle(bench(), first, { key: 'file', seq: 7 });
    await release(bench(), first);
    await bench().restart();
    const second = await take(bench(), BEN);
    expect(tailOf(await look(bench()))).toEqual(['mail open', 'file committed']);
    expect(await announce(bench(), second, { key: 'mail' }), 'the same token, another holder').toMatchObject({
      kind: 'still-open',
    });
  });

  it('lets a device that lost the lease say how its own attempt ended, and nobody else', async () => {
    const old = await take(bench(), ANNA);
    await announce(bench(), old, { key: 'mail' });
    await bench().pass(TTL_MS);
    await take(bench(), BEN);
    const stranger = { deviceId: deviceId('cleo'), epoch: 1 };
    expect(await settle(bench(), stranger, { key: 'mail', seq: 1 })).toMatchObject({ kind: 'lost' });
    expect(await settle(bench(), old, { key: 'mail', seq: 4 })).toEqual({ kind: 'tail-settled' });
    expect(await settle(bench(), old, { key: 'mail', seq: 4, status: 'failed' })).toMatchObject({
      kind: 'settled-otherwise',
    });
  });

  it('prunes what the caller settled, never what is open, and keeps the frontier for whoever comes next', async () => {
    const odd = deviceId('__proto__');
    const grant = await take(bench(), odd);
    for (const [index, key] of ['a', 'b', 'c'].entries()) {
      await announce(bench(), grant, { key });
      if (key !== 'b') await settle(bench(), grant, { key, seq: index + 1 });
    }
    expect(await ask(bench(), { ...grant, verb: 'prune-tail', uptoSeq: 2 })).toEqual({ kind: 'pruned', dropped: 1 });
    await release(bench(), grant);
    await bench().restart();
    await take(bench(), BEN);
    const view = await look(bench());
    expect(tailOf(view)).toEqual(['b open', 'c committed']);
    // Whoever ever held it stays named, also one of whom nothing has to be known.
    expect(new Map(Object.entries(view.frontier))).toEqual(
      new Map([
        ['__proto__', 2],
        ['ben', 0],
      ]),
    );
  });
}
