import { describe, expect, it } from 'vitest';
import { isCoveredByStanding, standingScopes } from './standing.ts';
import type { StandingPermission, StandingQuestion } from './standing.ts';

const GIVEN: StandingPermission = {
  agentId: 'poster',
  grantDigest: 'grant',
  ofStateId: 'post',
  tool: 'http.request',
  target: 'POST https://api.example.com/x',
  inputDigest: null,
  deviceId: 'laptop',
  expiresAtMs: 1_000,
  isRevoked: false,
};
const { inputDigest: _, expiresAtMs: __, isRevoked: ___, ...SAME } = GIVEN;
const ASKED: StandingQuestion = { ...SAME, inputDigest: 'input', nowMs: 999 };

describe('a standing permission', () => {
  it('does not answer what it was given for', () => {
    expect(isCoveredByStanding(GIVEN, ASKED)).toBe(true);
    expect(isCoveredByStanding({ ...GIVEN, inputDigest: 'input' }, ASKED)).toBe(true);
  });

  it.each<{ hazard: string; asked?: Partial<StandingQuestion>; given?: Partial<StandingPermission> }>([
    { hazard: 'leaks to another agent', asked: { agentId: 'other' } },
    { hazard: 'outlives the permission it was given under', asked: { grantDigest: 'next' } },
    { hazard: 'leaks to another step', asked: { ofStateId: 'delete' } },
    { hazard: 'leaks to another tool', asked: { tool: 'shell' } },
    { hazard: 'leaks to another target', asked: { target: 'POST https://api.example.com/y' } },
    { hazard: 'leaks to another input', asked: { inputDigest: 'other' }, given: { inputDigest: 'input' } },
    { hazard: 'goes along to another device', asked: { deviceId: 'tower' } },
    { hazard: 'holds at its end', asked: { nowMs: 1_000 } },
    { hazard: 'holds at a time that is no number', asked: { nowMs: Number.NaN } },
    { hazard: 'holds after it was taken back', given: { isRevoked: true } },
  ])('$hazard', ({ asked = {}, given = {} }) => {
    expect(isCoveredByStanding({ ...GIVEN, ...given }, { ...ASKED, ...asked })).toBe(false);
  });

  it('is offered for every argument of a program', () => {
    expect(standingScopes('shell')).toEqual(['same-input']);
    expect(standingScopes('mcp.call')).toEqual(['same-input']);
    for (const tool of ['http.request', 'file.write', 'mail.send'])
      expect(standingScopes(tool)).toEqual(['same-input', 'same-target']);
  });
});
