import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DESKTOP, DIGEST, exampleEffect, LAPTOP, OTHER_DIGEST, token } from '../example-facts.ts';
import { isSameAttempt, isSameEffect } from '../../contract/identifiers.ts';
import { applyVerb } from './register.ts';
import { TAIL_OPEN_LIMIT, TAIL_SETTLED_LIMIT } from './tail.ts';
import type { RegisterRecord, RegisterStep, RegisterVerb, TailEntry } from './register.ts';

const EFFECTS = ['post#1', 'notify#1', 'post#2'].map((effectKey) => exampleEffect({ effectKey }));
const devices = fc.constantFrom(LAPTOP, DESKTOP);
const effects = fc.constantFrom(...EFFECTS);
const tokens = fc.constantFrom('t1', 't2', 't3', 't4').map(token);
const nonces = fc.constantFrom('n1', 'n2', 'n3', 'n4', 'n5');

/** Epochs are given relative to the current one, so that many requests come from the true holder. */
const claims = {
  deviceId: devices,
  epoch: fc.constantFrom(0, 0, 0, 0, -1, 1),
};
const verbs: fc.Arbitrary<RegisterVerb> = fc.oneof(
  fc.record({ verb: fc.constant('acquire' as const), deviceId: devices, nonce: nonces, ttlMs: fc.constant(15_000) }),
  fc.record({ verb: fc.constant('renew' as const), ...claims, nonce: nonces }),
  fc.record({
    verb: fc.constant('release' as const),
    ...claims,
    pendingClaims: fc.constantFrom(0, 0, 1),
    isHoldOffOver: fc.boolean(),
  }),
  fc.record({
    verb: fc.constant('announce' as const),
    ...claims,
    entry: fc.record({ effect: effects, attemptToken: tokens, digest: fc.constantFrom(DIGEST, OTHER_DIGEST) }),
    permit: fc.option(
      fc.record({
        reason: fc.constantFrom('decision' as const, 'automatic-repeat' as const),
        attemptToken: tokens,
        status: fc.constantFrom('open' as const, 'committed' as const),
      }),
    ),
  }),
  fc.record({
    verb: fc.constant('settle-tail' as const),
    ...claims,
    effect: effects,
    attemptToken: tokens,
    status: fc.constantFrom('committed' as const, 'failed' as const),
    opId: fc.constantFrom('op-1', 'op-2'),
    seq: fc.nat(9),
  }),
  fc.record({ verb: fc.constant('prune-tail' as const), ...claims, uptoSeq: fc.nat(9) }),
);
const histories = fc.array(fc.record({ verb: verbs, isLive: fc.boolean() }), { maxLength: 60 });

interface Moment extends RegisterStep {
  readonly before: RegisterRecord | null;
  readonly verb: RegisterVerb;
  readonly isLive: boolean;
}

function play(history: readonly { readonly verb: RegisterVerb; readonly isLive: boolean }[]): Moment[] {
  let before: RegisterRecord | null = null;
  return history.map((event) => {
    const current: RegisterRecord | null = before;
    const shift = current?.epoch ?? 0;
    const verb = 'epoch' in event.verb ? { ...event.verb, epoch: event.verb.epoch + shift } : event.verb;
    const step = applyVerb(current, verb, event.isLive);
    before = step.record;
    return { ...step, before: current, verb, isLive: event.isLive };
  });
}

function always(judge: (moments: readonly Moment[]) => void): void {
  fc.assert(
    fc.property(histories, (history) => judge(play(history))),
    { numRuns: 600 },
  );
}

describe('epochs', () => {
  it('an epoch goes down, or is granted twice', () => {
    always((moments) => {
      const granted = new Set<number>();
      for (const { before, record, reply } of moments) {
        const last = before?.epoch ?? 0;
        if (reply.kind === 'granted' && !reply.isReplay) {
          expect(reply.epoch).toBe(last + 1);
          expect(granted).not.toContain(reply.epoch);
          granted.add(reply.epoch);
          expect(record.epoch).toBe(reply.epoch);
        } else {
          expect(record.epoch).toBe(last);
        }
      }
    });
  });

  it('a live lease changes hands without a release', () => {
    always((moments) => {
      for (const { before, record, isLive, reply } of moments) {
        if (before === null || before.holder === null || !isLive || reply.kind === 'released') continue;
        expect([record.holder, record.epoch, record.nonce]).toEqual([before.holder, before.epoch, before.nonce]);
      }
    });
  });

  it('two holders may act at once', () => {
    always((moments) => {
      for (const { record } of moments) {
        const acting: string[] = [];
        for (const deviceId of [LAPTOP, DESKTOP]) {
          for (let epoch = 0; epoch <= record.epoch + 1; epoch += 1) {
            const verb: RegisterVerb = { verb: 'prune-tail', deviceId, epoch, uptoSeq: 0 };
            if (applyVerb(record, verb, true).reply.kind === 'pruned') acting.push(`${deviceId} ${epoch}`);
          }
        }
        expect(acting).toEqual(record.holder === null ? [] : [`${record.holder} ${record.epoch}`]);
      }
    });
  });
});

describe('the hold-off', () => {
  it('a new holder sends beside one that never said goodbye', () => {
    always((moments) => {
      // What the last holder left behind, kept apart from the record: nothing is owed before the first grant.
      let isOwed = false;
      let isWaiting = false;
      for (const { before, reply, verb } of moments) {
        if (reply.kind === 'granted' && !reply.isReplay) {
          isWaiting = isOwed || (before !== null && before.holder !== null);
          expect(reply.holdOff).toBe(isWaiting);
        }
        if (reply.kind === 'granted' && reply.isReplay) expect(reply.holdOff).toBe(isWaiting);
        if (reply.kind === 'released') isOwed = isWaiting && verb.verb === 'release' && !verb.isHoldOffOver;
      }
    });
  });
});

/** Whether a later attempt at the same effect stands in its place: one that is settled now, or is followed itself with a permit. */
function isReplaced(entry: TailEntry, { before, verb }: Moment): boolean {
  const tail = before?.tail ?? [];
  const permitted = verb.verb === 'announce' ? verb.permit?.attemptToken : undefined;
  const named = verb.verb === 'settle-tail' && verb.status !== 'withdrawn' ? verb.attemptToken : permitted;
  const by = tail.find((each) => each.attemptToken === named && isSameEffect(each.effect, entry.effect));
  return by !== undefined && tail.indexOf(by) > tail.indexOf(entry);
}

describe('the tail', () => {
  it('an open entry vanishes although nobody settled it or was allowed to replace it', () => {
    always((moments) => {
      for (const moment of moments) {
        const { before, record, verb } = moment;
        for (const entry of before?.tail ?? []) {
          if (entry.status !== 'open' || record.tail.includes(entry) || isReplaced(entry, moment)) continue;
          const after = record.tail.find((each) => isSameEffect(each.effect, entry.effect));
          if (after !== undefined && isSameAttempt(after, entry)) expect(after.status).not.toBe('open');
          else expect(verb).toMatchObject({ verb: 'announce', permit: { attemptToken: entry.attemptToken } });
        }
      }
    });
  });

  it('a committed entry turns into something else without a decision', () => {
    always((moments) => {
      for (const moment of moments) {
        const { before, record, verb } = moment;
        for (const entry of before?.tail ?? []) {
          if (entry.status !== 'committed' || record.tail.includes(entry) || isReplaced(entry, moment)) continue;
          if (verb.verb === 'announce') expect(verb.permit?.reason).toBe('decision');
          else expect(record.frontier[entry.deviceId]).toBeGreaterThanOrEqual(entry.seq ?? Infinity);
        }
      }
    });
  });

  it('a tail grows without bound, or an effect has two entries', () => {
    const many = fc.array(fc.tuple(fc.nat(400), fc.boolean()), { minLength: 300, maxLength: 700 });
    fc.assert(
      fc.property(many, (attempts) => {
        let record = applyVerb(null, { verb: 'acquire', deviceId: LAPTOP, nonce: 'n', ttlMs: 1 }, false).record;
        const claim = { deviceId: LAPTOP, epoch: 1 };
        for (const [index, isSettled] of attempts) {
          const entry = {
            effect: exampleEffect({ effectKey: `post#${index}` }),
            attemptToken: token(`t${index}`),
            digest: DIGEST,
          };
          record = applyVerb(record, { verb: 'announce', ...claim, entry, permit: null }, true).record;
          if (!isSettled) continue;
          const outcome = { status: 'committed', opId: 'op', seq: index } as const;
          record = applyVerb(record, { verb: 'settle-tail', ...claim, ...entry, ...outcome }, true).record;
        }
        expect(record.tail.filter((entry) => entry.status === 'open').length).toBeLessThanOrEqual(TAIL_OPEN_LIMIT);
        expect(record.tail.length).toBeLessThanOrEqual(TAIL_OPEN_LIMIT + TAIL_SETTLED_LIMIT);
        expect(new Set(record.tail.map((entry) => entry.effect.effectKey)).size).toBe(record.tail.length);
      }),
      { numRuns: 15 },
    );
  });

  it('the frontier goes back', () => {
    always((moments) => {
      for (const { before, record } of moments) {
        for (const [deviceId, seq] of Object.entries(before?.frontier ?? {})) {
          expect(record.frontier[deviceId]).toBeGreaterThanOrEqual(seq);
        }
      }
    });
  });
});

describe('the same request twice', () => {
  it('a request that arrives twice does something twice', () => {
    always((moments) => {
      for (const { record, reply, verb, isLive } of moments) {
        const again = applyVerb(record, verb, isLive);
        expect(again.record).toEqual(record);
        if (reply.kind === 'granted') expect(again.reply).toEqual({ ...reply, isReplay: true });
        else if (reply.kind === 'announced') expect(again.reply).toEqual({ kind: 'announced', isReplay: true });
        else if (reply.kind === 'released')
          expect(again.reply).toEqual({ kind: 'lost', holder: null, epoch: record.epoch });
        else if (reply.kind === 'pruned') expect(again.reply).toEqual({ kind: 'pruned', dropped: 0 });
        else expect(again.reply).toEqual(reply);
      }
    });
  });

  it('a refusal changes the record', () => {
    const changing = new Set(['granted', 'released', 'announced', 'tail-settled', 'pruned']);
    always((moments) => {
      for (const { before, record, reply, leaseClock } of moments) {
        if (changing.has(reply.kind) || before === null) continue;
        expect(record).toBe(before);
        expect(leaseClock).toBe(reply.kind === 'renewed' ? 'restart' : 'keep');
      }
    });
  });
});
