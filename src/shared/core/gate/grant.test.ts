import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grantStanding } from './grant.ts';
import type { Grant, GrantQuestion } from './grant.ts';

const GRANT: Grant = {
  revisionDigest: 'revision',
  devices: '*',
  expiresAtMs: null,
  isRevoked: false,
  isEndNoted: false,
};
const ASKED: GrantQuestion = { deviceId: 'laptop', revisionDigest: 'revision', nowMs: 1_000 };

function standing(changes: Partial<Grant>, asked: Partial<GrantQuestion> = {}): string {
  return grantStanding({ ...GRANT, ...changes }, { ...ASKED, ...asked }).kind;
}

describe('a permission at the gate', () => {
  it.each<{ hazard: string; grant: Partial<Grant>; asked?: Partial<GrantQuestion>; kind: string }>([
    { hazard: 'one without an end is turned away', grant: {}, kind: 'in-force' },
    { hazard: 'one for this device is turned away', grant: { devices: ['tower', 'laptop'] }, kind: 'in-force' },
    { hazard: 'the last moment before its end counts as after it', grant: { expiresAtMs: 1_001 }, kind: 'in-force' },
    { hazard: 'it holds at its end', grant: { expiresAtMs: 1_000 }, kind: 'expired' },
    { hazard: 'it holds after its end', grant: { expiresAtMs: 1 }, kind: 'expired' },
    {
      hazard: 'a clock that was set back revives one whose end was noted',
      grant: { expiresAtMs: 2_000, isEndNoted: true },
      kind: 'expired',
    },
    { hazard: 'a noted end without a time is forgotten', grant: { isEndNoted: true }, kind: 'expired' },
    {
      hazard: 'a time that is no number is believed',
      grant: { expiresAtMs: 5 },
      asked: { nowMs: Number.NaN },
      kind: 'expired',
    },
    { hazard: 'it holds after it was taken back', grant: { isRevoked: true, expiresAtMs: 1 }, kind: 'revoked' },
    { hazard: 'it covers a changed agent', grant: {}, asked: { revisionDigest: 'next' }, kind: 'other-revision' },
    { hazard: 'it holds on a device that was not named', grant: { devices: ['tower'] }, kind: 'other-device' },
    { hazard: 'no device is any device', grant: { devices: [] }, kind: 'other-device' },
  ])('$hazard', ({ grant, asked = {}, kind }) => {
    expect(standing(grant, asked)).toBe(kind);
  });

  it('nothing given counts as something', () => {
    expect(grantStanding(null, ASKED)).toEqual({ kind: 'none' });
  });

  it('its end is told as another time than the one that was given', () => {
    expect(grantStanding({ ...GRANT, expiresAtMs: 7 }, ASKED)).toEqual({ kind: 'expired', expiresAtMs: 7 });
    expect(grantStanding({ ...GRANT, isEndNoted: true }, ASKED)).toEqual({ kind: 'expired', expiresAtMs: 1_000 });
  });

  it('once over, it comes back at a later time', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), (expiresAtMs, one, more) => {
        const grant = { ...GRANT, expiresAtMs };
        const before = grantStanding(grant, { ...ASKED, nowMs: one });
        const after = grantStanding(grant, { ...ASKED, nowMs: one + more });
        if (before.kind === 'expired') expect(after.kind).toBe('expired');
      }),
    );
  });
});
