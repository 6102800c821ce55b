import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DESKTOP, exampleEntry, exampleEffect, LAPTOP, token } from '../example-facts.ts';
import { announce, holding } from './example-tail.ts';
import { registerView } from './register-view.ts';
import { applyVerb } from './register.ts';
import type { AdoptedRecord, RegisterRecord, RegisterVerb } from './register.ts';
import { standingEntry, TAIL_LENGTH_LIMIT } from './tail.ts';

type Retire = Extract<RegisterVerb, { verb: 'retire' }>;

const WORK = { coordinatorId: 'work', incarnation: 'one', name: 'Work' };
const retire = (changes: Partial<Retire> = {}): Retire => ({
  verb: 'retire',
  deviceId: LAPTOP,
  epoch: 2,
  pendingClaims: 0,
  isHoldOffOver: true,
  to: WORK,
  ...changes,
});
const HOME = { coordinatorId: 'home', incarnation: 'one' };
const adopt = (changes: Partial<AdoptedRecord> = {}, source = HOME): RegisterVerb => ({
  verb: 'adopt',
  deviceId: LAPTOP,
  source,
  from: { epoch: 9, isUnclean: false, tail: [], frontier: {}, ...changes },
});
const open = exampleEntry({ epoch: 2 });
const committed = exampleEntry({ epoch: 2, status: 'committed', opId: 'op', seq: 3 });

describe('leaving a register', () => {
  it('leaves somebody behind who is granted the agent there', () => {
    const step = applyVerb(holding([open]), retire(), true);
    expect(step.reply).toEqual({ kind: 'retired', epoch: 2, isUnclean: false });
    expect(step.record).toMatchObject({ holder: null, nonce: null, epoch: 2, movedTo: WORK, tail: [open] });
    expect(step.leaseClock).toBe('end');
    const verb: RegisterVerb = { verb: 'acquire', deviceId: DESKTOP, nonce: 'x', ttlMs: 1 };
    expect(applyVerb(step.record, verb, false).reply).toEqual({ kind: 'moved', to: WORK });
    expect(applyVerb(step.record, announce(), false).reply.kind).toBe('lost');
  });

  it.each([
    { hazard: 'is done by somebody who does not hold it', changes: { deviceId: DESKTOP }, kind: 'lost' },
    { hazard: 'is done under an old epoch', changes: { epoch: 1 }, kind: 'lost' },
    { hazard: 'leaves claims behind', changes: { pendingClaims: 1 }, kind: 'claims-pending' },
  ])('$hazard', ({ changes, kind }) => {
    const record = holding();
    expect(applyVerb(record, retire(changes), true)).toMatchObject({ record, reply: { kind }, leaseClock: 'keep' });
  });

  it.each([
    { isHoldOffOver: false, isUnclean: true },
    { isHoldOffOver: true, isUnclean: false },
  ])('gets rid of a hold-off that is not over (over: $isHoldOffOver)', ({ isHoldOffOver, isUnclean }) => {
    const record = holding([], { isUnclean: true });
    expect(applyVerb(record, retire({ isHoldOffOver }), true)).toMatchObject({
      record: { isUnclean },
      reply: { kind: 'retired', isUnclean },
    });
  });

  it('cannot be finished after its answer got lost, or goes to two places', () => {
    const { record } = applyVerb(holding([open]), retire(), true);
    const again = applyVerb(record, retire({ deviceId: DESKTOP }), false);
    expect(again).toEqual({ record, reply: { kind: 'retired', epoch: 2, isUnclean: false }, leaseClock: 'keep' });
    for (const other of [
      { ...WORK, coordinatorId: 'home' },
      { ...WORK, incarnation: 'two' },
    ]) {
      expect(applyVerb(record, retire({ to: other }), false).reply).toEqual({ kind: 'moved', to: WORK });
    }
  });
});

describe('entering a register', () => {
  it('starts the epochs over, or forgets what was announced', () => {
    const step = applyVerb(null, adopt({ tail: [open], frontier: { desktop: 4 } }), false);
    expect(step.reply).toEqual({ kind: 'adopted', epoch: 10, isReplay: false });
    expect(step.record).toMatchObject({ epoch: 10, holder: null, tail: [open], frontier: { desktop: 4 } });
    expect(step.leaseClock).toBe('end');
  });

  it('takes the agent from somebody who acts for it there', () => {
    const record = holding();
    expect(applyVerb(record, adopt(), true)).toEqual({
      record,
      reply: { kind: 'held', holder: LAPTOP, epoch: 2 },
      leaseClock: 'keep',
    });
  });

  it('lets off the hold-off that either register owed', () => {
    const isUnclean = (record: RegisterRecord | null, verb: RegisterVerb): boolean =>
      applyVerb(record, verb, false).record.isUnclean;
    const released = holding([], { holder: null, nonce: null });
    expect(isUnclean(released, adopt())).toBe(false);
    expect(isUnclean(released, adopt({ isUnclean: true }))).toBe(true);
    expect(isUnclean({ ...released, isUnclean: true }, adopt())).toBe(true);
    expect(isUnclean(holding(), adopt()), 'the last holder there never said goodbye').toBe(true);
  });

  it('loses what one of the two knows about the same step', () => {
    const tailOf = (own: RegisterRecord['tail'], tail: RegisterRecord['tail']): RegisterRecord['tail'] =>
      applyVerb(holding(own), adopt({ tail }), false).record.tail;
    expect(tailOf([open], [committed])).toEqual([committed]);
    expect(tailOf([committed], [open])).toEqual([committed]);
    expect(tailOf([open], [])).toEqual([open]);
    const other = exampleEntry({ attemptToken: token('other'), effect: exampleEffect({ effectKey: 'other#1' }) });
    expect(tailOf([open], [other])).toEqual([other, open]);
    const behind = applyVerb(
      holding([], { frontier: { laptop: 7, desktop: 1 } }),
      adopt({ frontier: { desktop: 4 } }),
      false,
    );
    expect(behind.record.frontier).toEqual({ laptop: 7, desktop: 4 });
    const ahead = applyVerb(holding([], { frontier: { desktop: 8 } }), adopt({ frontier: { desktop: 4 } }), false);
    expect(ahead.record.frontier).toEqual({ desktop: 8 });
  });

  it('lets what was followed stand again, once the agent has been elsewhere and comes back', () => {
    const standingIn = (
      own: RegisterRecord['tail'],
      tail: RegisterRecord['tail'],
    ): RegisterRecord['tail'][number] | null =>
      standingEntry(applyVerb(holding(own), adopt({ tail }), false).record.tail, {
        ...open,
        attemptToken: token('next'),
      });
    const [early, late, later] = [1, 2, 3].map((epoch) => exampleEntry({ epoch, attemptToken: token(`at ${epoch}`) }));
    if (early === undefined || late === undefined || later === undefined) throw new Error('There are three.');
    // Left open here, followed over there; and the other way round, where it was given up and never taken in.
    expect(standingIn([early], [late])).toEqual(late);
    expect(standingIn([late], [early])).toEqual(late);
    expect(standingIn([early, later], [late])).toEqual(later);
    expect(standingIn([early, late], [late, later])).toEqual(later);
    // Under one grant a repeat that happened was the last.
    const repeated = { ...late, attemptToken: token('repeat'), status: 'committed', opId: 'op', seq: 3 } as const;
    expect(standingIn([late], [repeated])).toEqual(repeated);
    expect(standingIn([repeated], [late])).toEqual(repeated);
    expect(standingIn([repeated], [late, repeated])).toEqual(repeated);
    expect(standingIn([late, repeated], [repeated])).toEqual(repeated);
    const redone = { ...late, attemptToken: token('again'), status: 'committed', opId: 'op', seq: 4 } as const;
    expect(standingIn([repeated], [redone])).toEqual(redone);
  });

  it('drops entries that do not fit', () => {
    const tail = Array.from({ length: TAIL_LENGTH_LIMIT }, (_, index) =>
      exampleEntry({ effect: exampleEffect({ effectKey: `step#${index}` }) }),
    );
    const record = holding([exampleEntry({ attemptToken: token('one more') })]);
    expect(applyVerb(record, adopt({ tail }), false)).toEqual({
      record,
      reply: { kind: 'tail-full', open: TAIL_LENGTH_LIMIT + 1, settled: 0 },
      leaseClock: 'keep',
    });
  });

  it('opens what waited for a person, or closes an agent that came home', () => {
    expect(applyVerb(holding([], { takeover: 'by-person' }), adopt(), false).record.takeover).toBe('by-person');
    expect(applyVerb(null, adopt({ takeover: 'by-person' }), false).record.takeover).toBe('by-person');
    expect(applyVerb(null, adopt(), false).record).not.toHaveProperty('takeover');
    const away = applyVerb(holding(), retire(), true).record;
    expect(applyVerb(away, adopt(), false).record).not.toHaveProperty('movedTo');
  });

  it('is done twice after a lost answer, while somebody acts for the agent there', () => {
    const once = applyVerb(null, adopt({ tail: [open] }), false).record;
    const verb: RegisterVerb = { verb: 'acquire', deviceId: DESKTOP, nonce: 'x', ttlMs: 1 };
    const { record } = applyVerb(once, verb, false);
    const reply = { kind: 'adopted', epoch: 11, isReplay: true };
    expect(applyVerb(record, adopt({ tail: [open] }), true)).toEqual({ record, reply, leaseClock: 'keep' });
  });

  it.each([
    { which: 'a later stay in the same register', verb: adopt({ epoch: 12 }) },
    { which: 'another life of it', verb: adopt({}, { ...HOME, incarnation: 'two' }) },
    { which: 'another register', verb: adopt({}, { ...HOME, coordinatorId: 'attic' }) },
  ])('takes $which for one that was taken in before', ({ verb }) => {
    const once = applyVerb(null, adopt(), false).record;
    const twice = applyVerb(once, verb, false);
    expect(twice.reply).toMatchObject({ kind: 'adopted', isReplay: false });
    expect(twice.record.epoch).toBeGreaterThan(once.epoch);
    expect(applyVerb(twice.record, verb, false).reply).toMatchObject({ isReplay: true });
  });

  it('leaves an epoch behind that either register granted', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(50), (own, moved) => {
        const { record } = applyVerb(holding([], { epoch: own }), adopt({ epoch: moved }), false);
        expect(record.epoch).toBe(Math.max(own, moved) + 1);
      }),
    );
  });
});

describe('raising a register that went back', () => {
  const bump = (seenEpoch: number, aboveEpoch: number): RegisterVerb => ({
    verb: 'bump',
    deviceId: DESKTOP,
    seenEpoch,
    aboveEpoch,
  });

  it.each([
    { register: 2, seen: 40 },
    { register: 40, seen: 2 },
  ])('grants an epoch again that somebody was granted after the backup ($register, $seen)', ({ register, seen }) => {
    const step = applyVerb(holding([open], { epoch: register }), bump(register, seen), true);
    expect(step.reply).toEqual({ kind: 'bumped', epoch: 40 + 2 ** 20 });
    expect(step.record).toMatchObject({ holder: null, nonce: null, isUnclean: true, tail: [open] });
    expect(step.leaseClock).toBe('end');
  });

  it('is done twice by two people who saw the same', () => {
    const { record } = applyVerb(holding(), bump(2, 40), true);
    expect(applyVerb(record, bump(2, 40), false)).toEqual({
      record,
      reply: { kind: 'seen-otherwise', holder: null, epoch: record.epoch },
      leaseClock: 'keep',
    });
  });
});

describe('what is shown of a record', () => {
  const facts = { agentId: exampleEffect().agentId, coordinator: WORK, remainingMs: 5 };

  it('hides that the agent has moved, or that it waits for a person', () => {
    const away = applyVerb(holding([], { takeover: 'by-person' }), retire(), true).record;
    expect(registerView(away, facts)).toMatchObject({
      lease: null,
      remainingMs: 0,
      movedTo: WORK,
      takeover: 'by-person',
    });
    const view = registerView(holding(), facts);
    expect(view).not.toHaveProperty('movedTo');
    expect(view).not.toHaveProperty('takeover');
  });

  it('says that time is left where none is', () => {
    expect(registerView(holding(), facts)).toMatchObject({ lease: { holder: LAPTOP, epoch: 2 }, remainingMs: 5 });
    expect(registerView(holding(), { ...facts, remainingMs: -3 }).remainingMs).toBe(0);
    expect(registerView(null, facts)).toMatchObject({ lease: null, epoch: 0, remainingMs: 0, tail: [], frontier: {} });
  });
});
