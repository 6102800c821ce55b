import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkLink, checkLinkOverGaps, operationText, payloadText } from './operation.ts';
import type { ChainHead, Operation } from './operation.ts';

/** Stands for SHA-256: the decision only compares. */
const digest = (text: string) => `digest of ${text}`;

function sealed(changes: Partial<Operation> = {}): Operation {
  const operation = {
    deviceId: 'laptop',
    seq: 4,
    prevHash: 'op-3',
    time: { wallMs: 9, counter: 2 },
    epoch: 6,
    kind: 'effect.settled',
    payload: '{}',
    ...changes,
  };
  return { ...operation, opId: digest(operationText(operation)), ...changes };
}

const HEAD: ChainHead = { deviceId: 'laptop', seq: 3, opId: 'op-3' };

describe('the next entry of a journal', () => {
  it('an honest entry is turned away', () => {
    expect(checkLink(HEAD, sealed(), digest)).toBeNull();
    const first = sealed({ seq: 1, prevHash: '' });
    expect(checkLink({ deviceId: 'laptop', seq: 0, opId: '' }, first, digest)).toBeNull();
  });

  it.each([
    {
      hazard: "another device writes into this one's journal",
      operation: sealed({ deviceId: 'desktop' }),
      problem: { kind: 'foreign-device', seq: 4 },
    },
    { hazard: 'a lost entry is overlooked', operation: sealed({ seq: 5 }), problem: { kind: 'gap', seq: 4, found: 5 } },
    { hazard: 'an old entry comes again', operation: sealed({ seq: 3 }), problem: { kind: 'gap', seq: 4, found: 3 } },
    {
      hazard: 'a fork is folded',
      operation: sealed({ prevHash: 'op-3b' }),
      problem: { kind: 'broken-link', seq: 4 },
    },
    {
      hazard: 'a changed payload keeps its id',
      operation: { ...sealed(), payload: '{"amount":9}' },
      problem: { kind: 'wrong-hash', seq: 4 },
    },
    {
      hazard: 'a made-up id is believed',
      operation: sealed({ opId: 'op-4' }),
      problem: { kind: 'wrong-hash', seq: 4 },
    },
  ])('$hazard', ({ operation, problem }) => {
    expect(checkLink(HEAD, operation, digest)).toEqual(problem);
  });

  it('a later problem hides an earlier one', () => {
    const operation = { ...sealed({ prevHash: 'x' }), opId: 'y' };
    expect(checkLink(HEAD, { ...operation, seq: 9, deviceId: 'desktop' }, digest)?.kind).toBe('foreign-device');
    expect(checkLink(HEAD, { ...operation, seq: 9 }, digest)?.kind).toBe('gap');
    expect(checkLink(HEAD, operation, digest)?.kind).toBe('broken-link');
  });
});

describe('the next entry of a journal of which some are missing', () => {
  const cut: ChainHead = { deviceId: 'laptop', seq: 6, opId: 'op-6' };
  const check = (operation: Operation, head = HEAD) => checkLinkOverGaps(head, operation, { cut, digest });

  it('what is left of it is turned away', () => {
    expect(check(sealed())).toBeNull();
    expect(check(sealed({ seq: 5, prevHash: 'gone' }))).toBeNull();
    expect(check(sealed({ seq: 7, prevHash: 'op-6' }))).toBeNull();
    expect(check(sealed({ seq: 8, prevHash: 'op-7' }), { deviceId: 'laptop', seq: 7, opId: 'op-7' })).toBeNull();
  });

  it.each([
    { hazard: 'one above the cut is missing too', operation: sealed({ seq: 8 }), kind: 'gap' },
    { hazard: 'the first one above continues something else', operation: sealed({ seq: 7 }), kind: 'broken-link' },
    { hazard: 'neighbours do not fit', operation: sealed({ prevHash: 'op-3b' }), kind: 'broken-link' },
    { hazard: 'the cut is another entry', operation: sealed({ seq: 6 }), kind: 'broken-link' },
    { hazard: 'an old one comes again', operation: sealed({ seq: 3 }), kind: 'gap' },
    { hazard: 'one was changed', operation: { ...sealed({ seq: 5 }), payload: '[]' }, kind: 'wrong-hash' },
    { hazard: 'one is foreign', operation: sealed({ seq: 5, deviceId: 'desktop' }), kind: 'foreign-device' },
  ])('$hazard', ({ operation, kind }) => {
    expect(check(operation)?.kind).toBe(kind);
  });
});

describe('what an id covers', () => {
  it.each<{ field: string; changes: Partial<Operation> }>([
    { field: 'device', changes: { deviceId: 'desktop' } },
    { field: 'sequence', changes: { seq: 5 } },
    { field: 'link', changes: { prevHash: 'op-9' } },
    { field: 'wall time', changes: { time: { wallMs: 8, counter: 2 } } },
    { field: 'counter', changes: { time: { wallMs: 9, counter: 3 } } },
    { field: 'epoch', changes: { epoch: 7 } },
    { field: 'epoch that is left out', changes: { epoch: 0 } },
    { field: 'kind', changes: { kind: 'effect.refused' } },
    { field: 'payload', changes: { payload: '[]' } },
  ])('a changed $field keeps the id', ({ changes }) => {
    expect(operationText(sealed(changes))).not.toBe(operationText(sealed()));
  });

  it('two entries share an id because text moved from one field to the next', () => {
    const texts = fc.tuple(fc.string(), fc.string(), fc.string(), fc.string());
    const textOf = ([deviceId, prevHash, kind, payload]: readonly string[]) =>
      operationText(
        sealed({ deviceId: deviceId ?? '', prevHash: prevHash ?? '', kind: kind ?? '', payload: payload ?? '' }),
      );
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        expect(textOf(one) === textOf(other)).toBe(one.every((text, index) => text === other[index]));
      }),
    );
  });

  it('one payload has two texts', () => {
    expect(payloadText({ b: 1, a: [true, null] })).toBe('{"a":[true,null],"b":1}');
  });
});
