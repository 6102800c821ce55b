import { describe, expect, it } from 'vitest';
import { DESKTOP, exampleEntry, LAPTOP } from '../example-facts.ts';
import { applyVerb } from './register.ts';
import type { RegisterRecord, RegisterVerb } from './register.ts';

/** The laptop holds the agent at epoch 4, cleanly. */
const HELD: RegisterRecord = {
  epoch: 4,
  holder: LAPTOP,
  nonce: 'n4',
  ttlMs: 15_000,
  isUnclean: false,
  tail: [exampleEntry({ epoch: 4 })],
  frontier: { desktop: 3 },
};
const RELEASED: RegisterRecord = { ...HELD, holder: null, nonce: null };

const acquire = (deviceId = DESKTOP, nonce = 'new'): RegisterVerb => ({
  verb: 'acquire',
  deviceId,
  nonce,
  ttlMs: 9_000,
});
const renew = (deviceId = LAPTOP, epoch = 4, nonce = 'n4'): RegisterVerb => ({ verb: 'renew', deviceId, epoch, nonce });
const release = (changes: Partial<Extract<RegisterVerb, { verb: 'release' }>> = {}): RegisterVerb => ({
  verb: 'release',
  deviceId: LAPTOP,
  epoch: 4,
  pendingClaims: 0,
  isHoldOffOver: true,
  ...changes,
});

describe('acquire', () => {
  it('the first grant of an agent has epoch 0 or waits for nobody', () => {
    const step = applyVerb(null, acquire(), false);
    expect(step.reply).toEqual({ kind: 'granted', epoch: 1, holdOff: false, isReplay: false });
    expect(step.leaseClock).toBe('restart');
    expect(step.record).toEqual({
      epoch: 1,
      holder: DESKTOP,
      nonce: 'new',
      ttlMs: 9_000,
      isUnclean: false,
      tail: [],
      frontier: { [DESKTOP]: 0 },
    });
  });

  it.each([
    { who: 'another device', deviceId: DESKTOP, nonce: 'new' },
    { who: 'another device that knows the nonce', deviceId: DESKTOP, nonce: 'n4' },
    { who: 'a restarted host of the same device', deviceId: LAPTOP, nonce: 'new' },
  ])('$who gets a live lease', ({ deviceId, nonce }) => {
    const step = applyVerb(HELD, acquire(deviceId, nonce), true);
    expect(step).toEqual({
      record: HELD,
      reply: { kind: 'held', holder: LAPTOP, epoch: 4 },
      leaseClock: 'keep',
    });
  });

  it.each([LAPTOP, DESKTOP])('a takeover after expiry by the %s reuses an epoch or skips the hold-off', (deviceId) => {
    const step = applyVerb(HELD, acquire(deviceId), false);
    expect(step.reply).toEqual({ kind: 'granted', epoch: 5, holdOff: true, isReplay: false });
    expect(step.leaseClock).toBe('restart');
    const frontier = { [deviceId]: 0, ...HELD.frontier };
    const granted = { epoch: 5, holder: deviceId, nonce: 'new', ttlMs: 9_000, isUnclean: true, frontier };
    expect(step.record).toEqual({ ...HELD, ...granted });
  });

  it('a released agent is granted under an old epoch, or its next holder waits for nothing', () => {
    const step = applyVerb(RELEASED, acquire(), false);
    expect(step.reply).toEqual({ kind: 'granted', epoch: 5, holdOff: false, isReplay: false });
  });

  it.each([true, false])('a repeated request is a second grant or extends the first, live %s', (isLive) => {
    expect(applyVerb(HELD, acquire(LAPTOP, 'n4'), isLive)).toEqual({
      record: HELD,
      reply: { kind: 'granted', epoch: 4, holdOff: false, isReplay: true },
      leaseClock: 'keep',
    });
  });

  it('a repeated request loses the hold-off that the first answer ordered', () => {
    const unclean = { ...HELD, isUnclean: true };
    expect(applyVerb(unclean, acquire(LAPTOP, 'n4'), true).reply).toMatchObject({ epoch: 4, holdOff: true });
  });

  it('the new holder does not see what the last one had begun', () => {
    expect(applyVerb(HELD, acquire(), false).record.tail).toBe(HELD.tail);
    expect(applyVerb(RELEASED, acquire(), false).record.frontier).toEqual(HELD.frontier);
  });

  it('a device that held it and was followed by another is forgotten', () => {
    const first = applyVerb(null, acquire(LAPTOP, 'first'), false).record;
    const second = applyVerb(first, acquire(DESKTOP, 'second'), false).record;
    const prune = { verb: 'prune-tail', deviceId: DESKTOP, epoch: 2, uptoSeq: 9 } as const;
    const pruned = applyVerb(second, prune, true).record;
    expect(applyVerb(pruned, acquire(DESKTOP, 'third'), false).record.frontier).toEqual({ [LAPTOP]: 0, [DESKTOP]: 9 });
  });
});

describe('renew', () => {
  it('a renewal changes the epoch', () => {
    expect(applyVerb(HELD, renew(), true)).toEqual({
      record: HELD,
      reply: { kind: 'renewed', epoch: 4 },
      leaseClock: 'restart',
    });
  });

  it.each([
    { name: 'another device', record: HELD, verb: renew(DESKTOP), isLive: true },
    { name: 'an earlier epoch', record: HELD, verb: renew(LAPTOP, 3), isLive: true },
    { name: 'a forged epoch', record: HELD, verb: renew(LAPTOP, 5), isLive: true },
    { name: 'a restarted host with a nonce of its own', record: HELD, verb: renew(LAPTOP, 4, 'new'), isLive: true },
    { name: 'a lease that has run out', record: HELD, verb: renew(), isLive: false },
    { name: 'a lease that was released', record: RELEASED, verb: renew(), isLive: true },
  ])('$name renews', ({ record, verb, isLive }) => {
    const step = applyVerb(record, verb, isLive);
    expect(step).toEqual({ record, reply: { kind: 'lost', holder: record.holder, epoch: 4 }, leaseClock: 'keep' });
  });

  it('an agent that nobody ever held is renewed', () => {
    expect(applyVerb(null, renew(), true).reply).toEqual({ kind: 'lost', holder: null, epoch: 0 });
  });
});

describe('release', () => {
  it('a release loses the epoch, the tail or the frontier', () => {
    expect(applyVerb(HELD, release(), true)).toEqual({
      record: RELEASED,
      reply: { kind: 'released', epoch: 4 },
      leaseClock: 'end',
    });
  });

  it('a holder that was late cannot hand over', () => {
    expect(applyVerb(HELD, release(), false).reply).toEqual({ kind: 'released', epoch: 4 });
  });

  it('a lease is given up while claims are pending', () => {
    expect(applyVerb(HELD, release({ pendingClaims: 2 }), true)).toEqual({
      record: HELD,
      reply: { kind: 'claims-pending', pendingClaims: 2 },
      leaseClock: 'keep',
    });
  });

  it.each([
    { who: 'another device', record: HELD, changes: { deviceId: DESKTOP } },
    { who: 'a zombie of an earlier epoch', record: HELD, changes: { epoch: 3 } },
    { who: 'somebody who released before', record: RELEASED, changes: {} },
    { who: 'a stranger with claims pending', record: HELD, changes: { deviceId: DESKTOP, pendingClaims: 1 } },
  ])('$who releases a lease that is not theirs', ({ record, changes }) => {
    const step = applyVerb(record, release(changes), true);
    expect(step).toEqual({ record, reply: { kind: 'lost', holder: record.holder, epoch: 4 }, leaseClock: 'keep' });
  });
});

describe('the hold-off after an unclean takeover', () => {
  const takenOver = applyVerb(HELD, acquire(), false).record;
  const give = (record: RegisterRecord, isHoldOffOver: boolean) =>
    applyVerb(record, release({ deviceId: DESKTOP, epoch: record.epoch, isHoldOffOver }), true).record;
  const take = (record: RegisterRecord) => applyVerb(record, acquire(DESKTOP, `n${record.epoch + 1}`), false);

  it('a release during the hold-off lets the next holder send beside the first one', () => {
    const next = take(give(takenOver, false));
    expect(next.reply).toMatchObject({ kind: 'granted', epoch: 6, holdOff: true });
    expect(take(give(next.record, false)).reply).toMatchObject({ epoch: 7, holdOff: true });
  });

  it('the mark stays for ever although the hold-off is over', () => {
    expect(take(give(takenOver, true)).reply).toMatchObject({ kind: 'granted', epoch: 6, holdOff: false });
    const waited = take(give(takenOver, false));
    expect(take(give(waited.record, true)).reply).toMatchObject({ epoch: 7, holdOff: false });
  });

  it('a renewal washes the mark away', () => {
    const renewed = applyVerb(takenOver, renew(DESKTOP, 5, 'new'), true).record;
    expect(take(give(renewed, false)).reply).toMatchObject({ holdOff: true });
  });

  it('a clean lease becomes unclean by a release that says its hold-off is not over', () => {
    expect(applyVerb(HELD, release({ isHoldOffOver: false }), true).record.isUnclean).toBe(false);
  });
});

it('a verb of a newer version is taken for one of ours', () => {
  const verb = { verb: 'split' } as unknown as RegisterVerb;
  expect(() => applyVerb(HELD, verb, true)).toThrow('Unhandled case');
});
