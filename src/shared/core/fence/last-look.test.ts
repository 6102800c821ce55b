import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant, reading } from '../example-facts.ts';
import { HOLD_OFF_MS, SEND_WINDOW_MS } from '../lease/lease.ts';
import { lastLook } from './last-look.ts';
import type { LastLookFacts } from './last-look.ts';

function look(changes: Partial<LastLookFacts>) {
  return lastLook({
    fenceAt: reading(0),
    now: reading(100),
    nowInstant: instant(100),
    claimUntil: instant(8_000),
    isSuspendSeen: false,
    isStopRequested: false,
    isPermitted: true,
    ...changes,
  });
}

const withheld = (reason: string) => ({ kind: 'withhold', reason });

describe('the last look before a send', () => {
  it('a send in time is withheld', () => {
    expect(look({})).toEqual({ kind: 'send' });
    expect(look({ now: reading(SEND_WINDOW_MS - 1) })).toEqual({ kind: 'send' });
  });

  it.each([
    { name: 'at X after the fence read', changes: { now: reading(SEND_WINDOW_MS) }, reason: 'send-window-over' },
    { name: 'long after the fence read', changes: { now: reading(90_000) }, reason: 'send-window-over' },
    { name: 'at its claim deadline', changes: { nowInstant: instant(8_000) }, reason: 'claim-deadline-over' },
    { name: 'after its claim deadline', changes: { nowInstant: instant(8_001) }, reason: 'claim-deadline-over' },
    { name: 'after a reboot', changes: { nowInstant: instant(1, 'boot-2') }, reason: 'claim-deadline-over' },
    { name: 'although somebody pressed stop', changes: { isStopRequested: true }, reason: 'stop-requested' },
    { name: 'although its permission was taken back', changes: { isPermitted: false }, reason: 'permission-ended' },
    { name: 'after a suspend', changes: { isSuspendSeen: true }, reason: 'suspended' },
    {
      name: 'after a sleep that the monotonic clock missed',
      changes: { now: reading(4_000, { monotonicMs: 100 }) },
      reason: 'clocks-disagree',
    },
    {
      name: 'while the wall clock was set back',
      changes: { now: reading(100, { wallMs: 1 }) },
      reason: 'clocks-disagree',
    },
    { name: 'with an unreadable clock', changes: { now: reading(Number.NaN) }, reason: 'clocks-disagree' },
  ])('a send starts $name', ({ changes, reason }) => {
    expect(look(changes)).toEqual(withheld(reason));
  });

  it('a suspend is explained away by another reason', () => {
    const everything = { now: reading(9_000, { wallMs: 1 }), nowInstant: instant(9_000) };
    expect(look({ ...everything, isSuspendSeen: true, isPermitted: false, isStopRequested: true })).toEqual(
      withheld('stop-requested'),
    );
    expect(look({ ...everything, isSuspendSeen: true, isPermitted: false })).toEqual(withheld('permission-ended'));
    expect(look({ ...everything, isSuspendSeen: true })).toEqual(withheld('suspended'));
    expect(look(everything)).toEqual(withheld('clocks-disagree'));
    expect(look({ ...everything, now: reading(9_000) })).toEqual(withheld('send-window-over'));
  });

  it('a send of an old holder starts after the hold-off of the new one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: 60_000 }), (passed, claimUntil) => {
        const verdict = look({ now: reading(passed), nowInstant: instant(passed), claimUntil: instant(claimUntil) });
        if (verdict.kind === 'send') {
          expect(passed).toBeLessThan(HOLD_OFF_MS);
          expect(passed).toBeLessThan(claimUntil);
        }
      }),
    );
  });
});
