import { describe, expect, it } from 'vitest';
import { DESKTOP, LAPTOP } from '../example-facts.ts';
import { holding } from './example-tail.ts';
import { applyVerb } from './register.ts';
import type { RegisterRecord, RegisterVerb } from './register.ts';

type TakeOver = Extract<RegisterVerb, { verb: 'take-over' }>;

const takeOver = (changes: Partial<TakeOver> = {}): TakeOver => ({
  verb: 'take-over',
  deviceId: DESKTOP,
  nonce: 'pressed',
  ttlMs: 9_000,
  seenEpoch: 2,
  ...changes,
});
const acquire = (deviceId = DESKTOP): RegisterVerb => ({ verb: 'acquire', deviceId, nonce: 'new', ttlMs: 9_000 });
const MOVED = { coordinatorId: 'work', incarnation: 'one', name: 'Work' };
const moved: RegisterRecord = { ...holding(), holder: null, nonce: null, movedTo: MOVED };
const set = (takeover: 'automatic' | 'by-person'): RegisterVerb => ({
  verb: 'set-takeover',
  deviceId: LAPTOP,
  takeover,
});

describe('a take-over by a person', () => {
  it('lets the new holder send beside the old one, because the hold-off is let off', () => {
    const step = applyVerb(holding(), takeOver(), true);
    expect(step.reply).toEqual({ kind: 'granted', epoch: 3, holdOff: true, isReplay: false });
    expect(step.record).toMatchObject({ epoch: 3, holder: DESKTOP, nonce: 'pressed', ttlMs: 9_000, isUnclean: true });
    expect(step.leaseClock).toBe('restart');
  });

  it('makes a free agent wait for nobody', () => {
    const free = holding([], { holder: null, nonce: null });
    expect(applyVerb(free, takeOver(), false).reply).toMatchObject({ kind: 'granted', epoch: 3, holdOff: false });
    expect(applyVerb(null, takeOver({ seenEpoch: 0 }), false).reply).toMatchObject({ kind: 'granted', epoch: 1 });
  });

  it.each([1, 3])('takes the agent from somebody whom the person never saw (epoch %i)', (seenEpoch) => {
    const step = applyVerb(holding(), takeOver({ seenEpoch }), true);
    expect(step).toEqual({
      record: holding(),
      reply: { kind: 'seen-otherwise', holder: LAPTOP, epoch: 2 },
      leaseClock: 'keep',
    });
  });

  it('a press whose answer got lost takes it over twice', () => {
    const { record } = applyVerb(holding(), takeOver(), true);
    expect(applyVerb(record, takeOver(), true)).toEqual({
      record,
      reply: { kind: 'granted', epoch: 3, holdOff: true, isReplay: true },
      leaseClock: 'keep',
    });
  });
});

describe('an agent that is never taken over automatically', () => {
  const waiting = holding([], { takeover: 'by-person' });

  it('is taken over at expiry all the same', () => {
    const reply = { kind: 'waits-for-person', holder: LAPTOP, epoch: 2 };
    expect(applyVerb(waiting, acquire(), false)).toEqual({ record: waiting, reply, leaseClock: 'keep' });
  });

  it('locks out the device itself, a holder that released, or the person', () => {
    expect(applyVerb(waiting, acquire(LAPTOP), false).reply).toMatchObject({ kind: 'granted', holdOff: true });
    const released = { ...waiting, holder: null, nonce: null };
    expect(applyVerb(released, acquire(), false).reply).toMatchObject({ kind: 'granted', holdOff: false });
    expect(applyVerb(waiting, takeOver(), false).reply).toMatchObject({ kind: 'granted', holdOff: true });
  });

  it('still has a holder while the lease is live', () => {
    expect(applyVerb(waiting, acquire(), true).reply).toEqual({ kind: 'held', holder: LAPTOP, epoch: 2 });
  });

  it('is forgotten over a take-over, or cannot be undone', () => {
    const taken = applyVerb(waiting, takeOver(), false).record;
    expect(taken.takeover).toBe('by-person');
    const undone = applyVerb(taken, set('automatic'), true);
    expect(undone.record).not.toHaveProperty('takeover');
    expect(undone).toMatchObject({ reply: { kind: 'takeover-set' }, leaseClock: 'keep' });
  });

  it('cannot be chosen before the first grant, or ends a lease by being chosen', () => {
    const first = applyVerb(null, set('by-person'), false);
    expect(first).toMatchObject({ record: { epoch: 0, takeover: 'by-person' }, leaseClock: 'end' });
    expect(applyVerb(holding(), set('by-person'), true)).toMatchObject({
      record: { holder: LAPTOP, takeover: 'by-person' },
      leaseClock: 'keep',
    });
  });
});

describe('an agent that was moved away', () => {
  it.each([
    acquire(),
    takeOver(),
    { verb: 'bump', deviceId: DESKTOP, seenEpoch: 2, aboveEpoch: 9 } satisfies RegisterVerb,
  ])('is granted by the register it left ($verb)', (verb) => {
    expect(applyVerb(moved, verb, false)).toEqual({
      record: moved,
      reply: { kind: 'moved', to: MOVED },
      leaseClock: 'keep',
    });
  });
});
