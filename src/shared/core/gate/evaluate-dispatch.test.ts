import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleAttempt, exampleIntent, FOREIGN_ATTEMPTS } from '../example-facts.ts';
import type { DispatchIntent } from '../intent/dispatch-intent.ts';
import { CLOSED_GATE, evaluateDispatch, isSuperseded } from './evaluate-dispatch.ts';
import type { DispatchGate, DispatchRefusal } from './evaluate-dispatch.ts';

const OPEN: DispatchGate = {
  committedGrantDigest: 'grant',
  stopRequested: false,
  barrierActive: false,
  stateHasVisits: true,
  currentStateVisit: 2,
  settledAttempts: [],
};

const DISPATCH = { kind: 'dispatch' };
const refused = (reason: DispatchRefusal) => ({ kind: 'refuse', reason });
const decide = (gate: Partial<DispatchGate>, intent: Partial<DispatchIntent> = {}) =>
  evaluateDispatch({ ...OPEN, ...gate }, exampleIntent(intent));

/** One way to break each check, in the order of protocol section 3, written down apart from the code. */
const BREAKS: readonly {
  readonly reason: DispatchRefusal;
  readonly gate?: Partial<DispatchGate>;
  readonly intent?: Partial<DispatchIntent>;
}[] = [
  { reason: 'misrouted', intent: { kind: 'actor' } },
  { reason: 'already-settled', gate: { settledAttempts: [exampleAttempt()] } },
  { reason: 'authority-missing', gate: { committedGrantDigest: null } },
  { reason: 'stop-requested', gate: { stopRequested: true } },
  { reason: 'barrier-active', gate: { barrierActive: true } },
  { reason: 'superseded', gate: { currentStateVisit: 3 } },
];

describe('what the gate lets through', () => {
  it('an effect that everything allows is not held back', () => {
    expect(decide({})).toEqual(DISPATCH);
  });

  it('a state without visits is not refused for the visit nobody counts', () => {
    expect(decide({ stateHasVisits: false, currentStateVisit: null })).toEqual(DISPATCH);
  });

  it('an unfinished neighbour attempt is not mistaken for the settled one', () => {
    for (const { field, attempt } of FOREIGN_ATTEMPTS) {
      expect(decide({ settledAttempts: [attempt] }), field).toEqual(DISPATCH);
    }
  });
});

describe('each refusal on its own', () => {
  it.each(BREAKS)('an effect goes out although it is $reason', ({ reason, gate, intent }) => {
    expect(decide(gate ?? {}, intent)).toEqual(refused(reason));
  });

  it.each([
    { name: 'no authority in force', committed: null, relied: 'grant' },
    { name: 'no authority relied on', committed: 'grant', relied: null },
    { name: 'neither', committed: null, relied: null },
    { name: 'another authority', committed: 'grant', relied: 'other' },
    { name: 'two empty digests that are equal', committed: '', relied: '' },
    { name: 'an empty digest in force', committed: '', relied: 'grant' },
    { name: 'an empty digest relied on', committed: 'grant', relied: '' },
    { name: 'the same digest in other letters', committed: 'grant', relied: 'GRANT' },
  ])('$name passes for authority', ({ committed, relied }) => {
    expect(decide({ committedGrantDigest: committed }, { grantDigest: relied })).toEqual(refused('authority-missing'));
  });

  it.each([
    { name: 'an older visit', facts: { stateHasVisits: true, currentStateVisit: 1 } },
    { name: 'a newer visit', facts: { stateHasVisits: true, currentStateVisit: 3 } },
    { name: 'another visit of a state said to have none', facts: { stateHasVisits: false, currentStateVisit: 3 } },
    { name: 'an unknown visit of a state that has visits', facts: { stateHasVisits: true, currentStateVisit: null } },
  ])('$name passes for the current one', ({ facts }) => {
    expect(isSuperseded(facts, 2)).toBe(true);
    expect(decide(facts)).toEqual(refused('superseded'));
  });

  it.each(['authorization', 'actor', 'workset-item'] as const)('a script is sent as %s', (kind) => {
    expect(decide({}, { kind })).toEqual(refused('misrouted'));
  });

  it('a gate without facts opens', () => {
    expect(evaluateDispatch(CLOSED_GATE, exampleIntent())).toEqual(refused('authority-missing'));
    expect(evaluateDispatch(CLOSED_GATE, exampleIntent({ grantDigest: null }))).toEqual(refused('authority-missing'));
  });
});

describe('several refusals at once', () => {
  it('a later reason hides an earlier one', () => {
    fc.assert(
      fc.property(fc.subarray([...BREAKS], { minLength: 1 }), (broken) => {
        const gate = Object.assign({}, ...broken.map((one) => one.gate ?? {})) as Partial<DispatchGate>;
        const intent = Object.assign({}, ...broken.map((one) => one.intent ?? {})) as Partial<DispatchIntent>;
        const first = BREAKS.find((one) => broken.includes(one));
        expect(decide(gate, intent)).toEqual({ kind: 'refuse', reason: first?.reason });
      }),
    );
  });

  it('facts that nobody thought of open the gate or throw', () => {
    const gates = fc.record({
      committedGrantDigest: fc.option(fc.constantFrom('', 'grant', 'other')),
      stopRequested: fc.boolean(),
      barrierActive: fc.boolean(),
      stateHasVisits: fc.boolean(),
      currentStateVisit: fc.option(fc.integer({ min: 0, max: 3 })),
      settledAttempts: fc.subarray([exampleAttempt(), ...FOREIGN_ATTEMPTS.map((one) => one.attempt)]),
    });
    const intents = fc.record({
      kind: fc.constantFrom('script' as const, 'actor' as const),
      grantDigest: fc.option(fc.constantFrom('', 'grant', 'other')),
      stateVisit: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(gates, intents, (gate, intent) => {
        const { currentStateVisit: visit, settledAttempts, stateHasVisits } = gate;
        const failures: [DispatchRefusal, boolean][] = [
          ['misrouted', intent.kind !== 'script'],
          ['already-settled', settledAttempts.some((one) => JSON.stringify(one) === JSON.stringify(exampleAttempt()))],
          ['authority-missing', !intent.grantDigest || intent.grantDigest !== gate.committedGrantDigest],
          ['stop-requested', gate.stopRequested],
          ['barrier-active', gate.barrierActive],
          ['superseded', visit === null ? stateHasVisits : visit !== intent.stateVisit],
        ];
        const first = failures.find(([, fails]) => fails);
        expect(decide(gate, intent)).toEqual(first === undefined ? DISPATCH : refused(first[0]));
      }),
      { numRuns: 1_000 },
    );
  });
});
