import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StateId } from '../../contract/identifiers.ts';
import { exampleAttempt, FOREIGN_ATTEMPTS, NOTIFY, POST } from '../example-facts.ts';
import { releaseSuccessors } from './release-successors.ts';
import type { SuccessorEdge, SuccessorGate, SuccessorRefusal, SuccessorRequest } from './release-successors.ts';

const EDGE: SuccessorEdge = { fromStateId: POST, fromStateVisit: 2, toStateId: NOTIFY };
const OPEN: SuccessorGate = {
  barrierActive: false,
  stopRequested: false,
  stateHasVisits: true,
  currentStateVisit: 2,
  admittedAttempts: [exampleAttempt()],
  isReleased: false,
};

function decide(gate: Partial<SuccessorGate>, request: Partial<SuccessorRequest> = {}) {
  const plain = { attempt: exampleAttempt(), edges: [EDGE], fromStateId: POST, fromStateVisit: 2 };
  return releaseSuccessors({ ...OPEN, ...gate }, { ...plain, ...request });
}

const refused = (reason: SuccessorRefusal | undefined) => ({ kind: 'refused', reason });

const BREAKS: readonly { readonly reason: SuccessorRefusal; readonly gate: Partial<SuccessorGate> }[] = [
  { reason: 'already-released', gate: { isReleased: true } },
  { reason: 'not-admitted', gate: { admittedAttempts: [] } },
  { reason: 'stop-requested', gate: { stopRequested: true } },
  { reason: 'barrier-active', gate: { barrierActive: true } },
  { reason: 'superseded', gate: { currentStateVisit: 3 } },
];

describe('what is released', () => {
  it('the edges of an admitted attempt are held back', () => {
    expect(decide({})).toEqual({ kind: 'admitted', successors: [EDGE] });
  });

  it('edges of another visit or state go out too, or in another order', () => {
    const second = { ...EDGE, toStateId: 'archive' as StateId };
    const edges = [{ ...EDGE, fromStateVisit: 1 }, second, { ...EDGE, fromStateId: NOTIFY }, EDGE];
    expect(decide({}, { edges })).toEqual({ kind: 'admitted', successors: [second, EDGE] });
  });

  it('a terminal step counts as refused because nothing follows', () => {
    expect(decide({}, { edges: [] })).toEqual({ kind: 'admitted', successors: [] });
    expect(decide({}, { edges: [{ ...EDGE, fromStateVisit: 9 }] })).toEqual({ kind: 'admitted', successors: [] });
  });

  it('a state without visits is held for the visit nobody counts', () => {
    expect(decide({ stateHasVisits: false, currentStateVisit: null }).kind).toBe('admitted');
  });
});

describe('what is refused', () => {
  it.each(BREAKS)('successors go out although it is $reason', ({ reason, gate }) => {
    expect(decide(gate)).toEqual(refused(reason));
  });

  it.each(FOREIGN_ATTEMPTS)('the admission of another $field releases these successors', ({ attempt }) => {
    expect(decide({ admittedAttempts: [attempt] })).toEqual(refused('not-admitted'));
    expect(decide({}, { attempt })).toEqual(refused('not-admitted'));
  });

  it.each([1, 3, null])('a step of visit 2 goes on although the current visit is %s', (currentStateVisit) => {
    expect(decide({ currentStateVisit })).toEqual(refused('superseded'));
  });

  it('a later reason hides an earlier one', () => {
    fc.assert(
      fc.property(fc.subarray([...BREAKS], { minLength: 1 }), (broken) => {
        const gate: Partial<SuccessorGate> = Object.assign({}, ...broken.map((one) => one.gate));
        expect(decide(gate)).toEqual(refused(BREAKS.find((one) => broken.includes(one))?.reason));
      }),
    );
  });
});

describe('once only', () => {
  it('an edge is released twice, whatever changes between the requests', () => {
    const gates = fc.record({
      barrierActive: fc.boolean(),
      stopRequested: fc.boolean(),
      stateHasVisits: fc.boolean(),
      currentStateVisit: fc.constantFrom(null, 1, 2),
      admittedAttempts: fc.constantFrom([], [exampleAttempt()], [exampleAttempt('other')]),
    });
    fc.assert(
      fc.property(fc.array(gates, { minLength: 1, maxLength: 8 }), (requests) => {
        let isReleased = false;
        let released = 0;
        for (const gate of requests) {
          const answer = decide({ ...gate, isReleased });
          if (isReleased) expect(answer).toEqual(refused('already-released'));
          if (answer.kind !== 'admitted') continue;
          isReleased = true;
          released += answer.successors.length;
        }
        expect(released).toBeLessThanOrEqual(1);
      }),
    );
  });
});
