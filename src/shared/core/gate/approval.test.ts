import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approvalStanding } from './approval.ts';
import type { ApprovalClaim, ApprovalUse, GivenApproval } from './approval.ts';

const GIVEN: GivenApproval = {
  isAllowed: true,
  inputDigest: 'input',
  deviceId: 'laptop',
  epoch: 3,
  isStandingOver: false,
  uses: [],
};
const CLAIM: ApprovalClaim = { inputDigest: 'input', effectKey: 'post#1', deviceId: 'laptop', epoch: 3 };

function use(left: ApprovalUse['left'], effectKey = 'post#1'): ApprovalUse {
  return { effectKey, left };
}

function verdict(given: Partial<GivenApproval>, claim: Partial<ApprovalClaim> = {}): string {
  const answer = approvalStanding({ ...GIVEN, ...given }, { ...CLAIM, ...claim });
  return answer.kind === 'stale' ? answer.reason : answer.kind;
}

describe('a yes that an effect relies on', () => {
  it.each<{ hazard: string; given: Partial<GivenApproval>; claim?: Partial<ApprovalClaim>; is: string }>([
    { hazard: 'a fresh one is turned away', given: {}, is: 'usable' },
    { hazard: 'it covers another input', given: {}, claim: { inputDigest: 'other' }, is: 'input-changed' },
    { hazard: 'it is used twice', given: { uses: [use('something')] }, is: 'already-used' },
    { hazard: 'another effect has used it', given: { uses: [use('nothing', 'post#2')] }, is: 'already-used' },
    { hazard: 'an attempt that left nothing has used it up', given: { uses: [use('nothing')] }, is: 'usable' },
    { hazard: 'it goes with the run to another device', given: {}, claim: { deviceId: 'tower' }, is: 'device-changed' },
    { hazard: 'it outlives the lease', given: {}, claim: { epoch: 4 }, is: 'epoch-changed' },
    { hazard: 'one without a lease counts', given: { epoch: null }, claim: { epoch: null }, is: 'epoch-changed' },
    { hazard: 'one without a device counts', given: { deviceId: null }, is: 'device-changed' },
    { hazard: 'a standing permission works after its end', given: { isStandingOver: true }, is: 'standing-ended' },
    {
      hazard: 'a decided repeat of the same effect is asked about twice',
      given: { uses: [use('decided-again')], isStandingOver: true },
      claim: { epoch: 9, deviceId: 'tower' },
      is: 'usable',
    },
    { hazard: 'a question that ran out of time is taken for a yes', given: { isAllowed: false }, is: 'none' },
    {
      hazard: 'a decided repeat waits for ever behind a question that another device let run out',
      given: { isAllowed: false, uses: [use('decided-again')] },
      is: 'usable',
    },
    {
      hazard: 'a decided repeat that went out is repeated once more',
      given: { uses: [use('decided-again'), use('something')] },
      is: 'already-used',
    },
  ])('$hazard', ({ given, claim = {}, is }) => {
    expect(verdict(given, claim)).toBe(is);
  });

  it('one that let something out lets anything else out', () => {
    const uses = fc.array(
      fc.record({
        effectKey: fc.constantFrom('post#1', 'post#2'),
        left: fc.constantFrom<ApprovalUse['left']>('nothing', 'something', 'decided-again'),
      }),
    );
    fc.assert(
      fc.property(uses, (before) => {
        if (before.some((each) => each.left === 'something')) expect(verdict({ uses: before })).toBe('already-used');
      }),
    );
  });
});
