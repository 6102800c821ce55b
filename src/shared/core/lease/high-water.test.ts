import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkGrant, checkHighWater } from './high-water.ts';
import type { HighWaterMark } from './high-water.ts';

const SEEN: HighWaterMark = { coordinatorId: 'home', incarnation: 'one', epoch: 7 };

describe("whether a register's answer fits what was seen", () => {
  it.each([
    { hazard: 'the first answer ever is refused', seen: null, epoch: 1 },
    { hazard: 'the repetition of a grant counts as going back', seen: SEEN, epoch: 7 },
    { hazard: 'a later epoch is not remembered', seen: SEEN, epoch: 9 },
  ])('$hazard', ({ seen, epoch }) => {
    const mark = { ...SEEN, epoch };
    expect(checkHighWater(seen, { ...mark, isNewGrant: epoch !== 7 })).toEqual({ kind: 'fits', mark });
  });

  it.each([
    { hazard: 'a register restored from a backup is believed', answer: { ...SEEN, epoch: 6 } },
    { hazard: 'an epoch that was granted before is granted once more', answer: { ...SEEN, isNewGrant: true } },
    { hazard: 'a wiped register is believed', answer: { ...SEEN, epoch: 0 } },
    { hazard: 'a new life of the register is believed', answer: { ...SEEN, incarnation: 'two' } },
    { hazard: 'a higher epoch excuses a new life', answer: { ...SEEN, incarnation: 'two', epoch: 99 } },
  ])('$hazard', ({ answer }) => {
    expect(checkHighWater(SEEN, { isNewGrant: false, ...answer })).toEqual({
      kind: 'went-back',
      expected: SEEN,
      answered: answer.epoch,
    });
  });

  it.each([1, 7, 99])('another register with epoch %i counts as this one', (epoch) => {
    const answer = { coordinatorId: 'work', incarnation: 'one', epoch, isNewGrant: true };
    expect(checkHighWater(SEEN, answer)).toEqual({ kind: 'other-coordinator', expected: SEEN });
  });

  it('the mark sinks, whatever a register answers', () => {
    const answers = fc.array(
      fc.record({
        coordinatorId: fc.constantFrom('home', 'home', 'work'),
        incarnation: fc.constantFrom('one', 'one', 'two'),
        epoch: fc.nat(9),
        isNewGrant: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(answers, (given) => {
        let mark: HighWaterMark | null = null;
        for (const answer of given) {
          const last: HighWaterMark | null = mark;
          const verdict = checkHighWater(last, answer);
          if (verdict.kind !== 'fits') continue;
          if (last !== null) expect(verdict.mark).toMatchObject({ ...last, epoch: verdict.mark.epoch });
          expect(verdict.mark.epoch).toBeGreaterThanOrEqual(last?.epoch ?? 0);
          mark = verdict.mark;
        }
      }),
    );
  });
});

describe('whether a grant fits that others went on after, while its answer was on its way', () => {
  const grant = { ...SEEN, isNewGrant: true };
  it.each([
    { hazard: 'a grant that others have overtaken is an alarm', before: { ...SEEN, epoch: 6 }, epoch: 9 },
    { hazard: 'the first grant of a device that others have overtaken is an alarm', before: null, epoch: 8 },
  ])('$hazard', ({ before, epoch }) => {
    expect(checkGrant({ before, now: { ...SEEN, epoch } }, grant)).toEqual({ kind: 'overtaken' });
  });

  it.each([
    { hazard: 'a register that was behind when it was asked is believed', before: { ...SEEN, epoch: 8 }, epoch: 9 },
    { hazard: 'an epoch that was granted to another one as well is believed', before: { ...SEEN, epoch: 6 }, epoch: 7 },
  ])('$hazard', ({ before, epoch }) => {
    const now = { ...SEEN, epoch };
    expect(checkGrant({ before, now }, grant)).toEqual({ kind: 'went-back', expected: now, answered: 7 });
  });

  it('a grant that nobody went on after is no grant', () => {
    const before = { ...SEEN, epoch: 6 };
    expect(checkGrant({ before, now: before }, grant)).toEqual({ kind: 'fits', mark: SEEN });
  });
});
