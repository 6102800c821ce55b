import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EffectKind } from '../effect/effect-kind.ts';
import { token } from '../example-facts.ts';
import { checkDecision, letsFollow, recoveryOptions } from './recovery-options.ts';
import type { DecisionBinding, RecoveryChoice, RecoveryFacts } from './recovery-options.ts';

const FACTS: RecoveryFacts = {
  effectKind: 'blind',
  attemptNumber: 2,
  isDecided: false,
  isRunStopped: false,
  nextOnSuccess: 'notify',
  nextOnUnclear: null,
  laterSteps: ['Notify', 'Archive'],
  hasUndo: false,
  isDestructive: false,
  dedupeUntilMs: null,
  nowMs: 1_000,
  evidence: null,
};
const CHOICES: readonly RecoveryChoice[] = ['it-happened', 'send-again', 'undo-then-send', 'stop-here'];

const optionsOf = (facts: Partial<RecoveryFacts> = {}) => recoveryOptions({ ...FACTS, ...facts });
const choicesOf = (facts: Partial<RecoveryFacts> = {}) => optionsOf(facts).map((one) => one.choice);
const option = (choice: RecoveryChoice, facts: Partial<RecoveryFacts> = {}) =>
  optionsOf(facts).find((one) => one.choice === choice);
const suggested = (facts: Partial<RecoveryFacts>) =>
  optionsOf(facts)
    .filter((one) => one.isSuggested)
    .map((one) => one.choice);

describe('which choices a person has', () => {
  it.each<{ hazard: string; facts: Partial<RecoveryFacts>; choices: RecoveryChoice[] }>([
    {
      hazard: 'an undo is offered that does not exist',
      facts: {},
      choices: ['it-happened', 'send-again', 'stop-here'],
    },
    { hazard: 'an undo is not offered', facts: { hasUndo: true }, choices: [...CHOICES] },
    {
      hazard: 'a stopped run sends',
      facts: { hasUndo: true, isRunStopped: true },
      choices: ['it-happened', 'stop-here'],
    },
    { hazard: 'a decision is made twice', facts: { hasUndo: true, isDecided: true }, choices: [] },
  ])('$hazard', ({ facts, choices }) => {
    expect(choicesOf(facts)).toEqual(choices);
  });
});

describe('what each choice will do', () => {
  it('"it happened" sends something', () => {
    expect(option('it-happened')).toEqual({
      choice: 'it-happened',
      next: 'notify',
      cancels: [],
      sends: 'nothing',
      attemptNumber: null,
      reopen: 'until-next-step-starts',
      needsConfirmation: false,
      isSuggested: false,
    });
  });

  it('"it happened" revives a stopped run', () => {
    expect(option('it-happened', { isRunStopped: true })?.next).toBeNull();
  });

  it('"send now" keeps quiet about what it sends and that it cannot be taken back', () => {
    expect(option('send-again')).toEqual({
      choice: 'send-again',
      next: 'notify',
      cancels: [],
      sends: 'effect',
      attemptNumber: 3,
      reopen: 'never',
      needsConfirmation: false,
      isSuggested: false,
    });
  });

  it('"undo, then send again" looks like a plain send', () => {
    expect(option('undo-then-send', { hasUndo: true })).toMatchObject({
      sends: 'undo-and-effect',
      attemptNumber: 3,
      reopen: 'never',
      next: 'notify',
    });
  });

  it('"stop here" hides the steps that will not run', () => {
    expect(option('stop-here')).toEqual({
      choice: 'stop-here',
      next: null,
      cancels: ['Notify', 'Archive'],
      sends: 'nothing',
      attemptNumber: null,
      reopen: 'any-time',
      needsConfirmation: false,
      isSuggested: false,
    });
  });

  it.each<{ kind: EffectKind; isDestructive: boolean; needs: boolean }>([
    { kind: 'blind', isDestructive: true, needs: true },
    { kind: 'blind', isDestructive: false, needs: false },
    { kind: 'compensable', isDestructive: true, needs: false },
  ])('a $kind effect, destructive $isDestructive, is sent with the wrong number of questions', (row) => {
    const found = option('send-again', { effectKind: row.kind, isDestructive: row.isDestructive });
    expect(found?.needsConfirmation).toBe(row.needs);
  });
});

describe('which choice the facts speak for', () => {
  it.each<{ hazard: string; facts: Partial<RecoveryFacts>; choices: RecoveryChoice[] }>([
    { hazard: 'an answer is suggested without evidence', facts: {}, choices: [] },
    { hazard: 'evidence is not used', facts: { evidence: 'happened' }, choices: ['it-happened'] },
    { hazard: 'contrary evidence is not used', facts: { evidence: 'did-not-happen' }, choices: ['send-again'] },
    { hazard: 'a safe repeat is not suggested', facts: { dedupeUntilMs: 1_001 }, choices: ['send-again'] },
    { hazard: 'a repeat at the end of the window is suggested', facts: { dedupeUntilMs: 1_000 }, choices: [] },
    {
      hazard: 'the window outweighs evidence',
      facts: { dedupeUntilMs: 9_000, evidence: 'happened' },
      choices: ['it-happened'],
    },
    { hazard: 'an undo is suggested', facts: { evidence: 'did-not-happen', hasUndo: true }, choices: ['send-again'] },
  ])('$hazard', ({ facts, choices }) => {
    expect(suggested(facts)).toEqual(choices);
  });
});

describe('whether a decision still fits', () => {
  const BINDING: DecisionBinding = { attemptToken: token('first'), inputDigest: 'input', epoch: 4 };
  const judge = (choice: RecoveryChoice, made: Partial<DecisionBinding>, facts: Partial<RecoveryFacts> = {}) =>
    checkDecision(choice, { ...BINDING, ...made }, { ...BINDING, facts: { ...FACTS, ...facts } });

  it.each(['it-happened', 'send-again', 'stop-here'] as const)('"%s" does something else than it showed', (choice) => {
    expect(judge(choice, {})).toEqual({ kind: 'applies', option: option(choice) });
  });

  it.each<{ field: string; made: Partial<DecisionBinding> }>([
    { field: 'attempt', made: { attemptToken: token('other') } },
    { field: 'input', made: { inputDigest: 'other' } },
    { field: 'epoch', made: { epoch: 5 } },
  ])('a decision about another $field is applied', ({ made }) => {
    expect(judge('send-again', made)).toEqual({ kind: 'changed' });
  });

  it('the second device decides as well', () => {
    expect(judge('it-happened', {}, { isDecided: true })).toEqual({ kind: 'already-decided' });
    expect(judge('it-happened', { epoch: 5 }, { isDecided: true })).toEqual({ kind: 'already-decided' });
  });

  it('something is done that was not on offer', () => {
    expect(judge('undo-then-send', {})).toEqual({ kind: 'not-offered' });
    expect(judge('send-again', {}, { isRunStopped: true })).toEqual({ kind: 'not-offered' });
    expect(judge('send-again', { epoch: 5 }, { isRunStopped: true })).toEqual({ kind: 'changed' });
  });

  it('what is applied differs from what was shown, in some state', () => {
    const facts = fc.record({
      effectKind: fc.constantFrom<EffectKind>('blind', 'compensable', 'verifiable'),
      attemptNumber: fc.nat(9),
      isDecided: fc.boolean(),
      isRunStopped: fc.boolean(),
      nextOnSuccess: fc.option(fc.constant('notify')),
      nextOnUnclear: fc.constantFrom(null, 'notify'),
      laterSteps: fc.array(fc.string(), { maxLength: 3 }),
      hasUndo: fc.boolean(),
      isDestructive: fc.boolean(),
      dedupeUntilMs: fc.option(fc.nat(3)),
      nowMs: fc.nat(3),
      evidence: fc.constantFrom('happened', 'did-not-happen', null),
    });
    fc.assert(
      fc.property(facts, fc.constantFrom(...CHOICES), (given, choice) => {
        const shown = recoveryOptions(given);
        const verdict = checkDecision(choice, BINDING, { ...BINDING, facts: given });
        const offered = shown.find((one) => one.choice === choice);
        if (verdict.kind === 'applies') expect(verdict.option).toEqual(offered);
        else expect(offered).toBeUndefined();
        expect(shown.filter((one) => one.isSuggested).length).toBeLessThanOrEqual(1);
        if (given.isRunStopped) expect(shown.every((one) => one.sends === 'nothing' && one.next === null)).toBe(true);
      }),
    );
  });
});

describe('stopping where the strategy has a way on for unclear steps', () => {
  it('"stop here" that leads on is not shown as an end, nor as open for ever', () => {
    const stop = recoveryOptions({ ...FACTS, nextOnUnclear: 'tell the team' }).find(
      (each) => each.choice === 'stop-here',
    );
    expect(stop).toMatchObject({ next: 'tell the team', reopen: 'until-next-step-starts', sends: 'nothing' });
  });

  it('a stopped run goes nowhere from an unclear step', () => {
    const stop = recoveryOptions({ ...FACTS, nextOnUnclear: 'tell the team', isRunStopped: true }).find(
      (each) => each.choice === 'stop-here',
    );
    expect(stop).toMatchObject({ next: null, reopen: 'any-time' });
  });
});

it.each([
  ['repeat', true],
  ['send-again', true],
  ['undo-then-send', true],
  ['it-happened', false],
  ['stop-here', false],
] as const)('%s lets something be sent that nobody wanted, or holds back what a person wants', (choice, isLet) => {
  expect(letsFollow(choice)).toBe(isLet);
});
