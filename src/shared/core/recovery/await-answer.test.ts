import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeviceId } from '../../contract/identifiers.ts';
import { DESKTOP, LAPTOP } from '../example-facts.ts';
import { answerOutlook } from './await-answer.ts';
import type { AwaitedAnswerFacts, JournalStanding, WaitEnd } from './await-answer.ts';

const TABLET = 'tablet' as DeviceId;

/** The desktop made the attempt and has not been heard of since the laptop wrote its doubt down as its entry 12. */
const FACTS: AwaitedAnswerFacts = {
  isOpen: true,
  hasEvidence: false,
  thisDevice: LAPTOP,
  madeBy: DESKTOP,
  journal: 'shared',
  doubts: [{ deviceId: LAPTOP, journalSeq: 12 }],
  acknowledged: { [LAPTOP]: 9, [DESKTOP]: 40 },
  foldedSeq: 40,
};
const MAY_COME = { kind: 'may-come' };
const outlook = (facts: Partial<AwaitedAnswerFacts>) => answerOutlook({ ...FACTS, ...facts });
const over = (because: WaitEnd) => ({ kind: 'over', because });

describe('who may wait for an answer, and until when', () => {
  it.each<{ hazard: string; facts: Partial<AwaitedAnswerFacts>; is: object }>([
    { hazard: 'nobody may wait for a device that was not heard of since', facts: {}, is: MAY_COME },
    { hazard: 'a device waits for itself', facts: { madeBy: LAPTOP }, is: { kind: 'nobody' } },
    { hazard: 'a device waits for nobody knows whom', facts: { madeBy: null }, is: { kind: 'nobody' } },
    { hazard: 'what is decided is waited for', facts: { isOpen: false }, is: { kind: 'nobody' } },
    { hazard: 'an answer came and nobody is asked', facts: { hasEvidence: true }, is: over('answer-arrived') },
    {
      hazard: 'what the device does not know itself is waited for',
      facts: { doubts: [{ deviceId: DESKTOP, journalSeq: 40 }, ...FACTS.doubts] },
      is: over('not-known-there'),
    },
    {
      hazard: 'a contact that came before the doubt ends the waiting',
      facts: { acknowledged: { [LAPTOP]: 11, [DESKTOP]: 40 } },
      is: MAY_COME,
    },
    {
      hazard: 'the waiting ends before the journal is folded here',
      facts: { acknowledged: { [LAPTOP]: 12, [DESKTOP]: 41 } },
      is: MAY_COME,
    },
    {
      hazard: 'the waiting goes on although everything is here',
      facts: { acknowledged: { [LAPTOP]: 12, [DESKTOP]: 41 }, foldedSeq: 41 },
      is: over('record-arrived'),
    },
    {
      hazard: 'the doubt of a third device is overlooked',
      facts: {
        doubts: [...FACTS.doubts, { deviceId: TABLET, journalSeq: 3 }],
        acknowledged: { [LAPTOP]: 12, [DESKTOP]: 40 },
      },
      is: MAY_COME,
    },
    { hazard: 'a relay that was not reached yet ends the waiting', facts: { acknowledged: null }, is: MAY_COME },
    { hazard: 'a doubt without an entry ends the waiting', facts: { doubts: [] }, is: MAY_COME },
  ])('$hazard', ({ facts, is }) => {
    expect(outlook(facts)).toEqual(is);
  });

  it.each<Exclude<JournalStanding, 'shared'>>(['let-go', 'removed', 'set-aside', 'not-shared'])(
    'somebody waits for ever for a device that is %s',
    (journal) => {
      expect(outlook({ journal })).toEqual(over(journal));
    },
  );

  it('news make an answer that arrived un-arrive: once over, more entries never start the waiting again', () => {
    const place = fc.integer({ min: 0, max: 60 });
    const later = fc.integer({ min: 0, max: 20 });
    fc.assert(
      fc.property(place, place, place, later, (ofLaptop, ofDesktop, foldedSeq, more) => {
        const acknowledged = { [LAPTOP]: ofLaptop, [DESKTOP]: ofDesktop };
        if (outlook({ acknowledged, foldedSeq }).kind !== 'over') return;
        const after = { acknowledged: { ...acknowledged, [LAPTOP]: ofLaptop + more }, foldedSeq: foldedSeq + more };
        expect(outlook(after)).toEqual(over('record-arrived'));
      }),
    );
  });
});
