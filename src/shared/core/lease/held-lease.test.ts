import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../contract/identifiers.ts';
import { reading } from '../example-facts.ts';
import {
  holdOffRemainingMs,
  isIdleLeaseOver,
  isRenewalDue,
  leaseStanding,
  localTermMs,
  renewHeldLease,
} from './held-lease.ts';
import type { HeldLease } from './held-lease.ts';
import { HOLD_OFF_MARGIN_MS, HOLD_OFF_MS, LEASE_TTL_MS, SEND_WINDOW_MS } from './lease.ts';

/** Sent at 0, T = 15 s, so the device's own deadline is at 10 s and a renewal is due at 5 s. */
const HELD: HeldLease = {
  agentId: 'agent' as AgentId,
  epoch: 4,
  nonce: 'n',
  ttlMs: 15_000,
  sentAt: reading(0),
  holdOffFrom: null,
  isDoubtful: false,
};
const EXPIRED = { kind: 'expired' };

describe('the local deadline', () => {
  it('a fast register clock outruns the device, or a fraction of a millisecond is gained', () => {
    expect(localTermMs(15_000)).toBe(10_000);
    expect(localTermMs(10_000)).toBe(6_666);
  });

  it.each([
    { hazard: 'a fresh lease is not used', at: 0, standing: { kind: 'live', remainingMs: 10_000 } },
    { hazard: 'the last millisecond is lost', at: 9_999, standing: { kind: 'live', remainingMs: 1 } },
    { hazard: 'the deadline itself still counts', at: 10_000, standing: EXPIRED },
    { hazard: 'the lease lasts as long as the register says', at: 14_999, standing: EXPIRED },
  ])('$hazard', ({ at, standing }) => {
    expect(leaseStanding(HELD, reading(at))).toEqual(standing);
  });

  it('the deadline counts from the answer instead of the send', () => {
    const renewed = renewHeldLease(HELD, reading(4_000));
    expect(leaseStanding(renewed, reading(13_999))).toEqual({ kind: 'live', remainingMs: 1 });
    expect(leaseStanding(renewed, reading(14_000))).toEqual(EXPIRED);
  });

  it('a device believes itself live after the register may have given the lease away', () => {
    const facts = fc.record({ ttlMs: fc.integer({ min: 3_000, max: 600_000 }), delayMs: fc.nat(10_000) });
    // The register grants `delayMs` after the send and its clock may run up to 1.5 times as fast as the device's.
    fc.assert(
      fc.property(
        facts,
        fc.double({ min: 1, max: 1.5, noNaN: true }),
        fc.nat(900_000),
        ({ ttlMs, delayMs }, rate, at) => {
          const isStealable = (at - delayMs) * rate >= ttlMs;
          if (leaseStanding({ ...HELD, ttlMs }, reading(at)).kind === 'live') expect(isStealable).toBe(false);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('doubt', () => {
  it.each([
    {
      hazard: 'a lease survives a suspend that was announced',
      held: { ...HELD, isDoubtful: true },
      now: reading(1),
      reason: 'suspended',
    },
    {
      hazard: 'a lease survives a sleep that only two clocks saw',
      held: HELD,
      now: reading(3_000, { monotonicMs: 1 }),
      reason: 'clocks-disagree',
    },
    {
      hazard: 'a lease survives a clock that cannot be read',
      held: HELD,
      now: reading(Number.NaN),
      reason: 'clocks-disagree',
    },
  ])('$hazard', ({ held, now, reason }) => {
    expect(leaseStanding(held, now)).toEqual({ kind: 'doubtful', reason });
  });

  it('a doubt lasts although the register has confirmed the lease since', () => {
    const renewed = renewHeldLease({ ...HELD, isDoubtful: true }, reading(60_000));
    expect(leaseStanding(renewed, reading(60_001))).toEqual({ kind: 'live', remainingMs: 9_999 });
  });

  it('a reply that was sent before the sleep makes the lease live again after it', () => {
    const renewed = renewHeldLease({ ...HELD, isDoubtful: true }, reading(5_000));
    expect(leaseStanding(renewed, reading(90_000)).kind).toBe('expired');
    expect(leaseStanding(renewed, reading(90_000, { monotonicMs: 5_001 })).kind).toBe('doubtful');
  });

  it('a renewal changes the epoch or ends the hold-off', () => {
    const held = { ...HELD, holdOffFrom: reading(1_000) };
    expect(renewHeldLease(held, reading(2_000))).toEqual({ ...held, sentAt: reading(2_000) });
  });
});

describe('the hold-off', () => {
  it('a new holder waits no longer than the last send of the old one may take', () => {
    expect(HOLD_OFF_MS).toBe(SEND_WINDOW_MS + HOLD_OFF_MARGIN_MS);
    expect(HOLD_OFF_MARGIN_MS).toBeGreaterThan(0);
    expect(localTermMs(LEASE_TTL_MS)).toBeGreaterThan(HOLD_OFF_MS);
  });

  const held = { ...HELD, holdOffFrom: reading(1_000) };

  it.each([
    { hazard: 'a new holder sends at once', at: 1_000, standing: { kind: 'hold-off', remainingMs: HOLD_OFF_MS } },
    { hazard: 'the hold-off ends early', at: 4_499, standing: { kind: 'hold-off', remainingMs: 1 } },
    { hazard: 'the hold-off never ends', at: 4_500, standing: { kind: 'live', remainingMs: 5_500 } },
    { hazard: 'a lease outlives its deadline because it waited', at: 10_000, standing: EXPIRED },
  ])('$hazard', ({ at, standing }) => {
    expect(leaseStanding(held, reading(at))).toEqual(standing);
  });

  it.each([
    { clock: 'boot', now: reading(1_900, { bootMs: 99_000 }) },
    { clock: 'monotonic', now: reading(1_900, { monotonicMs: 99_000 }) },
  ])('a jump of the $clock clock ends the hold-off early', ({ now }) => {
    expect(holdOffRemainingMs(held, now)).toBe(HOLD_OFF_MS - 900);
  });

  it('a jump of the wall clock moves the hold-off', () => {
    expect(holdOffRemainingMs(held, reading(1_900, { wallMs: 0 }))).toBe(HOLD_OFF_MS - 900);
  });

  it('a clean takeover waits, or a wait becomes negative', () => {
    expect(holdOffRemainingMs(HELD, reading(0))).toBe(0);
    expect(holdOffRemainingMs(held, reading(90_000))).toBe(0);
  });
});

describe('when to renew', () => {
  it.each([
    { hazard: 'a device renews all the time', held: HELD, now: reading(4_999), isDue: false },
    { hazard: 'a device renews too late', held: HELD, now: reading(5_000), isDue: true },
    { hazard: 'a doubt is not cleared up', held: { ...HELD, isDoubtful: true }, now: reading(1), isDue: true },
    { hazard: 'a sleep is not noticed', held: HELD, now: reading(2_000, { monotonicMs: 1 }), isDue: true },
  ])('$hazard', ({ held, now, isDue }) => {
    expect(isRenewalDue(held, now)).toBe(isDue);
  });
});

describe('a right to act that nobody needs', () => {
  const isOver = (idleMs: number, at: number, ttlMs = HELD.ttlMs): boolean =>
    isIdleLeaseOver({ ...HELD, ttlMs }, { idleMs, mostMs: 10_000, spareMs: 1_000, now: reading(at) });

  it.each([
    { hazard: 'is given back between two steps', idleMs: 4_999, at: 4_999, over: false },
    { hazard: 'is kept from the others', idleMs: 5_000, at: 5_000, over: true },
    { hazard: 'runs out instead, when the last need came late in its term', idleMs: 3_500, at: 9_000, over: true },
    { hazard: 'of a long term is kept for a third of it', idleMs: 10_000, at: 10_000, ttlMs: 600_000, over: true },
  ])('$hazard', ({ idleMs, at, over, ttlMs }) => {
    expect(isOver(idleMs, at, ttlMs)).toBe(over);
  });

  it('of the shortest term runs out between two looks', () => {
    // Looked at every half second: acquired at 0, needed until 500 ms, its own deadline at 2 s.
    const looks = [500, 1_000, 1_500, 2_000].filter((at) => isOver(at - 500, at, 3_000));
    expect(looks[0]).toBe(1_000);
  });
});
