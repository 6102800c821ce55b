import { describe, expect, it } from 'vitest';
import { leavesATrace, tightenEffectKind } from './effect-kind.ts';
import type { EffectKind } from './effect-kind.ts';

const LOOSEST_FIRST: readonly EffectKind[] = ['read-only', 'idempotent-by-key', 'verifiable', 'compensable', 'blind'];

describe('effect kinds', () => {
  it("a tool's own hint relaxes what a person set", () => {
    for (const [setAt, set] of LOOSEST_FIRST.entries()) {
      for (const [hintedAt, hinted] of LOOSEST_FIRST.entries()) {
        expect(tightenEffectKind(set, hinted)).toBe(LOOSEST_FIRST[Math.max(setAt, hintedAt)]);
      }
    }
  });

  it('a call that changes something skips announce and marker', () => {
    expect(LOOSEST_FIRST.filter((kind) => !leavesATrace(kind))).toEqual(['read-only']);
  });
});
