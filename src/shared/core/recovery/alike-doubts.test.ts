import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EffectKind } from '../effect/effect-kind.ts';
import { alikeDoubt, BATCH_CHOICES, batchChoices } from './alike-doubts.ts';
import type { DoubtFacts } from './alike-doubts.ts';
import { letsFollow, recoveryOptions } from './recovery-options.ts';
import type { RecoveryFacts } from './recovery-options.ts';

const DOUBT: DoubtFacts = { tool: 'mail.send', doubtCode: 'timeout', madeBy: 'work-pc', hasEvidence: false };
const FACTS: RecoveryFacts = {
  effectKind: 'blind',
  attemptNumber: 1,
  isDecided: false,
  isRunStopped: false,
  nextOnSuccess: 'archive',
  nextOnUnclear: null,
  laterSteps: [],
  hasUndo: false,
  isDestructive: false,
  dedupeUntilMs: null,
  nowMs: 1_000,
  evidence: null,
};

describe('unclear steps that are decided together', () => {
  it('steps that have the same cause are asked about one by one', () => {
    expect(alikeDoubt(DOUBT)).not.toBeNull();
    expect(alikeDoubt({ ...DOUBT })).toBe(alikeDoubt(DOUBT));
  });

  it.each<{ hazard: string; other: Partial<DoubtFacts> }>([
    { hazard: 'another adapter', other: { tool: 'http.request' } },
    { hazard: 'another cause', other: { doubtCode: 'closed' } },
    { hazard: 'another device', other: { madeBy: 'laptop' } },
    { hazard: 'names that run into each other', other: { tool: 'mail.sendtimeout', doubtCode: '' } },
  ])('$hazard is taken for the same', ({ other }) => {
    expect(alikeDoubt({ ...DOUBT, ...other })).not.toBe(alikeDoubt(DOUBT));
  });

  it.each<{ hazard: string; other: Partial<DoubtFacts> }>([
    { hazard: 'about which something more is known', other: { hasEvidence: true } },
    { hazard: 'without a cause', other: { doubtCode: null } },
    { hazard: 'of nobody knows whom', other: { madeBy: null } },
  ])('a step $hazard is decided with others', ({ other }) => {
    expect(alikeDoubt({ ...DOUBT, ...other })).toBeNull();
  });
});

describe('what may be decided for several at once', () => {
  it('something that was already decided, or that one of them does not offer, is decided for all', () => {
    const open = recoveryOptions(FACTS);
    expect(batchChoices([open, open])).toEqual(['it-happened', 'stop-here']);
    expect(batchChoices([open, recoveryOptions({ ...FACTS, isDecided: true })])).toEqual([]);
    expect(batchChoices([open, open.filter(({ choice }) => choice !== 'stop-here')])).toEqual(['it-happened']);
  });

  it('a step that sends where it should only carry on gets into a batch', () => {
    const sending = recoveryOptions(FACTS).map((option) => ({ ...option, sends: 'effect' as const }));
    expect(batchChoices([sending])).toEqual([]);
  });

  it('several are sent again at once, whatever is known about them', () => {
    const facts = fc.record<RecoveryFacts>({
      effectKind: fc.constantFrom<EffectKind>('read-only', 'idempotent-by-key', 'verifiable', 'compensable', 'blind'),
      attemptNumber: fc.integer({ min: 1, max: 9 }),
      isDecided: fc.boolean(),
      isRunStopped: fc.boolean(),
      nextOnSuccess: fc.constantFrom('archive', null),
      nextOnUnclear: fc.constantFrom('tell', null),
      laterSteps: fc.constantFrom([], ['archive']),
      hasUndo: fc.boolean(),
      isDestructive: fc.boolean(),
      dedupeUntilMs: fc.constantFrom(null, 500, 5_000),
      nowMs: fc.constant(1_000),
      evidence: fc.constantFrom(null, 'happened', 'did-not-happen'),
    });
    fc.assert(
      fc.property(fc.array(facts, { minLength: 1, maxLength: 5 }), (steps) => {
        const options = steps.map(recoveryOptions);
        for (const choice of batchChoices(options)) {
          expect(letsFollow(choice)).toBe(false);
          for (const each of options) expect(each.find((one) => one.choice === choice)?.sends).toBe('nothing');
        }
      }),
    );
    expect(BATCH_CHOICES.some(letsFollow)).toBe(false);
  });
});
