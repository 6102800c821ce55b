import { describe, expect, it } from 'vitest';
import { DESKTOP, exampleEffect, exampleEntry, LAPTOP, OTHER_DIGEST, token } from '../example-facts.ts';
import { announce, holding, settle } from './example-tail.ts';
import { applyVerb } from './register.ts';
import { TAIL_OPEN_LIMIT, TAIL_SETTLED_LIMIT } from './tail.ts';
import type { AnnouncePermit, RegisterVerb, TailEntry } from './register.ts';

const prune = (uptoSeq: number, deviceId = LAPTOP, epoch = 2): RegisterVerb => ({
  verb: 'prune-tail',
  deviceId,
  epoch,
  uptoSeq,
});
const LOST = { kind: 'lost', holder: LAPTOP, epoch: 2 };
const open = exampleEntry({ epoch: 2 });
const committed = exampleEntry({ epoch: 2, status: 'committed', opId: 'op-7', seq: 7 });
const failed = exampleEntry({ epoch: 2, status: 'failed', opId: 'op-7', seq: 7 });
const numbered = (index: number, changes: Partial<TailEntry> = {}) =>
  exampleEntry({ effect: exampleEffect({ effectKey: `post#${index + 10}` }), ...changes });

describe('announce', () => {
  it('the intent is not visible to whoever takes over', () => {
    const step = applyVerb(holding(), announce(), false);
    expect(step.reply).toEqual({ kind: 'announced', isReplay: false });
    expect(step.leaseClock).toBe('keep');
    expect(step.record).toEqual(holding([{ ...open, attemptToken: token('second') }]));
  });

  it.each([
    { who: 'another device', record: holding(), verb: announce({ deviceId: DESKTOP }) },
    { who: 'a zombie of an earlier epoch', record: holding(), verb: announce({ epoch: 1 }) },
    { who: 'a forged epoch', record: holding(), verb: announce({ epoch: 3 }) },
    { who: 'a holder that released', record: holding([], { holder: null, nonce: null }), verb: announce() },
  ])('$who announces', ({ record, verb }) => {
    const step = applyVerb(record, verb, true);
    expect(step.reply).toEqual({ kind: 'lost', holder: record.holder, epoch: 2 });
    expect(step.record).toBe(record);
  });

  it('a repeated announce makes a second entry', () => {
    const record = holding([open]);
    expect(applyVerb(record, announce({}, 'first'), true)).toEqual({
      record,
      reply: { kind: 'announced', isReplay: true },
      leaseClock: 'keep',
    });
  });

  it.each([
    { hazard: 'a later epoch takes over the announce of an earlier one', entry: { ...open, epoch: 1 } },
    { hazard: 'the announce of another device passes for a repeat', entry: { ...open, deviceId: DESKTOP } },
    { hazard: 'another input passes for a repeat', entry: { ...open, digest: OTHER_DIGEST } },
  ])('$hazard', ({ entry }) => {
    const record = holding([entry]);
    const step = applyVerb(record, announce({}, 'first'), true);
    expect(step.reply).toEqual({ kind: 'still-open', entry });
    expect(step.record).toBe(record);
  });

  it.each([committed, failed])('an attempt that has $status begins again', (entry) => {
    const record = holding([entry]);
    expect(applyVerb(record, announce({}, 'first'), true).reply).toEqual({ kind: 'settled-otherwise', entry });
  });

  it.each([
    { hazard: 'an effect in doubt is repeated', entry: open, kind: 'still-open' },
    { hazard: 'a committed effect is repeated', entry: committed, kind: 'already-committed' },
  ])('$hazard', ({ entry, kind }) => {
    const record = holding([entry]);
    expect(applyVerb(record, announce(), true)).toEqual({ record, reply: { kind, entry }, leaseClock: 'keep' });
  });

  it('a failed attempt stands in the way of the next', () => {
    expect(applyVerb(holding([failed]), announce(), true).record.tail).toEqual([
      { ...open, attemptToken: token('second') },
    ]);
  });

  it('the same key of another run or agent is refused', () => {
    const others = [
      { ...open, effect: exampleEffect({ runId: 'other' }) },
      { ...open, effect: exampleEffect({ agentId: 'other' }) },
      { ...open, effect: exampleEffect({ effectKey: 'other' }) },
    ];
    expect(applyVerb(holding(others), announce(), true).record.tail).toHaveLength(4);
  });
});

describe('a full tail', () => {
  const openOnes = (count: number) => Array.from({ length: count }, (_, index) => numbered(index));
  const settledOnes = (count: number, status: 'committed' | 'failed' = 'committed') =>
    Array.from({ length: count }, (_, index) => numbered(index, { status, opId: 'op', seq: index }));

  it.each([
    { name: 'open', tail: openOnes(TAIL_OPEN_LIMIT), counts: { open: TAIL_OPEN_LIMIT, settled: 0 } },
    { name: 'committed', tail: settledOnes(TAIL_SETTLED_LIMIT), counts: { open: 0, settled: TAIL_SETTLED_LIMIT } },
    {
      name: 'failed',
      tail: settledOnes(TAIL_SETTLED_LIMIT, 'failed'),
      counts: { open: 0, settled: TAIL_SETTLED_LIMIT },
    },
  ])('a tail full of $name entries drops one or grows', ({ tail, counts }) => {
    const record = holding(tail);
    const step = applyVerb(record, announce(), true);
    expect(step.reply).toEqual({ kind: 'tail-full', ...counts });
    expect(step.record).toBe(record);
  });

  it('the last place of a tail cannot be used', () => {
    expect(applyVerb(holding(openOnes(TAIL_OPEN_LIMIT - 1)), announce(), true).reply.kind).toBe('announced');
    expect(applyVerb(holding(settledOnes(TAIL_SETTLED_LIMIT - 1)), announce(), true).reply.kind).toBe('announced');
  });

  it('a decision cannot be carried out because the tail is full of others', () => {
    const permit: AnnouncePermit = { reason: 'decision', attemptToken: token('first'), status: 'open' };
    const record = holding([open, ...openOnes(TAIL_OPEN_LIMIT - 1)]);
    expect(applyVerb(record, announce({ permit }), true).reply.kind).toBe('announced');
  });

  it('a full tail refuses to let an entry be settled', () => {
    expect(applyVerb(holding([open, ...settledOnes(300)]), settle(), true).reply.kind).toBe('tail-settled');
  });
});

describe('settle-tail', () => {
  it.each(['committed', 'failed'] as const)('an attempt that %s stays open', (status) => {
    const other = numbered(1);
    const step = applyVerb(holding([other, open]), settle({ status }), false);
    expect(step).toEqual({
      record: holding([other, { ...open, status, opId: 'op-7', seq: 7 }]),
      reply: { kind: 'tail-settled' },
      leaseClock: 'keep',
    });
  });

  it('a repeated settlement counts as a contradiction', () => {
    const record = holding([committed]);
    const step = applyVerb(record, settle({ opId: 'op-8', seq: 8 }), true);
    expect(step.reply).toEqual({ kind: 'tail-settled' });
    expect(step.record).toBe(record);
  });

  it.each([
    { entry: committed, status: 'failed' },
    { entry: failed, status: 'committed' },
  ] as const)('an entry that has $entry.status flips to $status', ({ entry, status }) => {
    const record = holding([entry]);
    expect(applyVerb(record, settle({ status }), true)).toEqual({
      record,
      reply: { kind: 'settled-otherwise', entry },
      leaseClock: 'keep',
    });
  });

  it.each([
    { field: 'attempt', changes: { attemptToken: token('other') } },
    { field: 'effect', changes: { effect: exampleEffect({ runId: 'other' }) } },
  ])('the settlement of another $field settles this one', ({ changes }) => {
    expect(applyVerb(holding([open]), settle(changes), true).reply).toEqual({ kind: 'no-such-entry' });
  });

  it('a device that lost the lease cannot say how its own attempt ended', () => {
    const own = exampleEntry({ deviceId: DESKTOP, epoch: 1 });
    const step = applyVerb(holding([own]), settle({ deviceId: DESKTOP, epoch: 1 }), true);
    expect(step.record.tail).toEqual([{ ...own, status: 'committed', opId: 'op-7', seq: 7 }]);
  });

  it.each([
    { who: 'a stranger', changes: { deviceId: DESKTOP, epoch: 2 } },
    { who: 'a stranger under the epoch of the attempt', changes: { deviceId: DESKTOP, epoch: 1 } },
    { who: 'an earlier grant of the holder', changes: { epoch: 0 } },
  ])("$who settles somebody else's attempt", ({ changes }) => {
    const record = holding([exampleEntry({ epoch: 1 })]);
    expect(applyVerb(record, settle(changes), true)).toEqual({ record, reply: LOST, leaseClock: 'keep' });
  });

  it('a late report of the first device does not learn that the new holder has decided', () => {
    const decided = exampleEntry({ deviceId: LAPTOP, epoch: 1, status: 'failed', opId: 'op-9', seq: 9 });
    const step = applyVerb(holding([decided]), settle({ deviceId: DESKTOP, epoch: 1 }), true);
    expect(step.reply).toEqual({ kind: 'settled-otherwise', entry: decided });
  });

  it('an attempt that turns out to have happened lets its automatic repeat be repeated once more', () => {
    const repeat = { ...open, attemptToken: token('second') };
    const { record } = applyVerb(holding([open, repeat]), settle({ status: 'committed' }), true);
    const permit: AnnouncePermit = { reason: 'automatic-repeat', attemptToken: token('second'), status: 'open' };
    const again = applyVerb(record, announce({ permit }, 'third'), true);
    expect(again.reply).toMatchObject({ kind: 'already-committed', entry: { attemptToken: token('first') } });
    // The repeat itself may still be told of, and takes nothing away from what stands.
    const told = applyVerb(record, settle({ status: 'failed', attemptToken: token('second') }), true);
    expect(told.record.tail.map(({ attemptToken, status }) => `${attemptToken} ${status}`)).toEqual([
      `${token('second')} failed`,
      `${token('first')} committed`,
    ]);
  });
});

describe('prune-tail', () => {
  it('an open entry is pruned, or one that the relay does not have, or none', () => {
    const beyond = { ...committed, effect: exampleEffect({ runId: 'later' }), seq: 8 };
    const step = applyVerb(holding([open, committed, failed, beyond]), prune(7), true);
    expect(step.reply).toEqual({ kind: 'pruned', dropped: 2 });
    expect(step.leaseClock).toBe('keep');
    expect(step.record.tail).toEqual([open, beyond]);
    expect(step.record.frontier).toEqual({ laptop: 7 });
  });

  it("entries of another device are pruned by this device's numbers", () => {
    const foreign = { ...committed, deviceId: DESKTOP };
    const step = applyVerb(holding([foreign], { frontier: { desktop: 3 } }), prune(90), true);
    expect(step.record.tail).toEqual([foreign]);
    expect(step.record.frontier).toEqual({ desktop: 3, laptop: 90 });
  });

  it('what an earlier holder settled stays for ever, although the relay has its journal', () => {
    const foreign = { ...committed, deviceId: DESKTOP };
    const verb = { ...prune(90), ofDeviceId: DESKTOP } as RegisterVerb;
    const { record, reply } = applyVerb(holding([foreign, committed], { frontier: {} }), verb, true);
    expect(reply).toEqual({ kind: 'pruned', dropped: 1 });
    expect(record).toMatchObject({ tail: [committed], frontier: { [DESKTOP]: 90 } });
  });

  it("what the new holder settled is pruned by the first device's numbers, before any relay has it", () => {
    const begun = exampleEntry({ deviceId: DESKTOP, epoch: 1 });
    const settled = applyVerb(holding([begun]), settle({ seq: 7 }), true).record;
    const returned = { ...settled, holder: DESKTOP, epoch: 3 };
    expect(applyVerb(returned, prune(90, DESKTOP, 3), true).record.tail).toHaveLength(1);
    expect(applyVerb(settled, prune(7), true).record.tail).toHaveLength(0);
  });

  it('a late prune takes the frontier back', () => {
    const record = holding([], { frontier: { laptop: 9 } });
    expect(applyVerb(record, prune(4), true).record.frontier).toEqual({ laptop: 9 });
  });

  it('a device called constructor spoils the frontier', () => {
    const deviceId = 'constructor' as typeof LAPTOP;
    const step = applyVerb(holding([], { holder: deviceId }), prune(4, deviceId), true);
    expect(step.record.frontier).toEqual({ constructor: 4 });
  });

  it.each([
    { who: 'a device that lost the lease', verb: prune(90, DESKTOP, 1) },
    { who: 'an earlier grant of the holder', verb: prune(90, LAPTOP, 1) },
  ])('$who prunes', ({ verb }) => {
    const record = holding([committed]);
    expect(applyVerb(record, verb, true)).toEqual({ record, reply: LOST, leaseClock: 'keep' });
  });
});
