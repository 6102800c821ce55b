import { describe, expect, it } from 'vitest';
import { isSameRefusal } from './refused-again.ts';
import type { GateLook, RecordedRefusal } from './refused-again.ts';

const RECORDED: RecordedRefusal = { reason: 'authority-missing', factsText: '{"a":1}', inputDigest: 'input' };
const LOOK: GateLook = {
  decision: { kind: 'refuse', reason: 'authority-missing' },
  factsText: '{"a":1}',
  inputDigest: 'input',
};

describe('a refusal that would be written down again', () => {
  it('is found only where nothing at all has changed', () => {
    expect(isSameRefusal(RECORDED, LOOK)).toBe(true);
    expect(isSameRefusal(null, LOOK)).toBe(false);
    expect(isSameRefusal(RECORDED, { ...LOOK, factsText: '{"a":2}' })).toBe(false);
    expect(isSameRefusal(RECORDED, { ...LOOK, inputDigest: 'another input' })).toBe(false);
    expect(isSameRefusal(RECORDED, { ...LOOK, decision: { kind: 'refuse', reason: 'superseded' } })).toBe(false);
  });

  it('keeps back an attempt that the gate would let through', () => {
    expect(isSameRefusal(RECORDED, { ...LOOK, decision: { kind: 'dispatch' } })).toBe(false);
  });
});
