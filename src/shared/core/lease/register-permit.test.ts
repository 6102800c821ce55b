import { describe, expect, it } from 'vitest';
import { exampleEffect, exampleEntry, token } from '../example-facts.ts';
import { announce, holding, settle } from './example-tail.ts';
import { applyVerb } from './register.ts';
import { standingEntry } from './tail.ts';
import type { AnnouncePermit, TailEntry, TailOutcome } from './register.ts';

const open = exampleEntry({ epoch: 2 });
const committed = exampleEntry({ epoch: 2, status: 'committed', opId: 'op-7', seq: 7 });

describe('a permit to announce over an earlier entry', () => {
  const over = (entry: TailEntry, permit: Partial<AnnouncePermit>) =>
    applyVerb(
      holding([entry]),
      announce({ permit: { reason: 'decision', attemptToken: token('first'), status: 'open', ...permit } }),
      true,
    );

  it.each([
    { hazard: 'a decision is not carried out', entry: open, permit: {} },
    { hazard: 'an automatic repeat is not carried out', entry: open, permit: { reason: 'automatic-repeat' } as const },
    { hazard: 'a decision to redo is not carried out', entry: committed, permit: { status: 'committed' } as const },
  ])('$hazard', ({ entry, permit }) => {
    const step = over(entry, permit);
    expect(step.reply).toEqual({ kind: 'announced', isReplay: false });
    expect(step.record.tail).toEqual([entry, { ...open, attemptToken: token('second') }]);
  });

  const settling = (status: TailOutcome): TailEntry[] => {
    const { record } = over(open, {});
    return [...applyVerb(record, settle({ attemptToken: token('second'), status }), true).record.tail];
  };

  it('a repeat that is taken back unsent takes the doubt about the first attempt with it', () => {
    const tail = settling('withdrawn');
    expect(tail.map((entry) => entry.status)).toEqual(['open', 'failed']);
    expect(standingEntry(tail, { effect: open.effect, attemptToken: token('third') })).toBe(tail[0]);
    expect(applyVerb(holding(tail), announce({}, 'third'), true).reply.kind).toBe('still-open');
  });

  it.each(['committed', 'failed'] as const)(
    'a repeat that was answered (%s) leaves the old doubt standing',
    (status) => {
      expect(settling(status).map((entry) => [entry.attemptToken, entry.status])).toEqual([['second', status]]);
    },
  );

  it('a late answer to the first attempt takes the mark of the second away', () => {
    const { record } = over(open, {});
    const { tail } = applyVerb(record, settle({ status: 'failed' }), true).record;
    expect(tail.map((entry) => entry.status)).toEqual(['failed', 'open']);
  });

  it('a chain of decisions grows without end', () => {
    const permit: AnnouncePermit = { reason: 'decision', attemptToken: token('second'), status: 'open' };
    const { tail } = applyVerb(over(open, {}).record, announce({ permit }, 'third'), true).record;
    expect(tail.map((entry) => entry.attemptToken)).toEqual(['second', 'third']);
  });

  it.each([
    { hazard: 'a permit for another attempt counts', entry: open, permit: { attemptToken: token('other') } },
    { hazard: 'a permit counts although the effect was committed meanwhile', entry: committed, permit: {} },
    { hazard: 'a permit counts for another state', entry: open, permit: { status: 'committed' } as const },
    {
      hazard: 'a committed effect is repeated without a person',
      entry: committed,
      permit: { reason: 'automatic-repeat', status: 'committed' } as const,
    },
  ])('$hazard', ({ entry, permit }) => {
    const step = over(entry, permit);
    expect(step.reply).toEqual({ kind: entry.status === 'open' ? 'still-open' : 'already-committed', entry });
    expect(step.record.tail).toEqual([entry]);
  });

  it('a permit is used twice', () => {
    const first = over(open, {});
    const permit: AnnouncePermit = { reason: 'decision', attemptToken: token('first'), status: 'open' };
    expect(applyVerb(first.record, announce({ permit }, 'third'), true).reply.kind).toBe('still-open');
  });

  it('a permit lets an attempt replace itself under a later epoch', () => {
    const permit: AnnouncePermit = { reason: 'decision', attemptToken: token('first'), status: 'open' };
    const record = holding([{ ...open, epoch: 1 }]);
    expect(applyVerb(record, announce({ permit }, 'first'), true).reply.kind).toBe('still-open');
  });
});

describe('which entry of the tail stands in the way', () => {
  const find = (tail: readonly TailEntry[]) =>
    standingEntry(tail, { effect: exampleEffect(), attemptToken: token('first') });

  const earlier = exampleEntry({ attemptToken: token('earlier') });
  const done = exampleEntry({ attemptToken: token('earlier'), status: 'committed', opId: 'op-5', seq: 5 });

  it('an open or committed entry of another attempt is overlooked', () => {
    expect(find([earlier])).toBe(earlier);
    expect(find([done])).toBe(done);
  });

  it('an attempt blocks itself, a failed one blocks the next, or another effect does', () => {
    const failed = exampleEntry({ attemptToken: token('earlier'), status: 'failed', opId: 'op-5', seq: 5 });
    const other = exampleEntry({ attemptToken: token('earlier'), effect: exampleEffect({ runId: 'other' }) });
    expect(find([exampleEntry(), failed, other])).toBeNull();
    expect(find([])).toBeNull();
    expect(find([exampleEntry(), failed, other, earlier])).toBe(earlier);
  });
});
