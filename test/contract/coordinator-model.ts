import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyVerb } from '../../src/shared/core/lease/register.ts';
import type { RegisterRecord, RegisterVerb } from '../../src/shared/core/lease/register.ts';
import { agentId, ask, attemptToken, deviceId, effect, look } from './coordinator-bench.ts';
import type { Bench } from './coordinator-conformance.ts';

type Action =
  | { readonly kind: 'verb'; readonly verb: RegisterVerb }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'restart' };

const device = fc.constantFrom('anna', 'ben', 'cleo').map(deviceId);
const epoch = fc.integer({ min: 0, max: 5 });
const nonce = fc.constantFrom('n1', 'n2', 'n3', 'n4');
const token = fc.constantFrom('t1', 't2', 't3').map(attemptToken);
const key = fc.constantFrom('mail', 'file');
const status = fc.constantFrom('committed' as const, 'failed' as const);
const claim = { deviceId: device, epoch };
const permit = fc.option(
  fc.record({
    reason: fc.constantFrom('decision' as const, 'automatic-repeat' as const),
    attemptToken: token,
    status: fc.constantFrom('open' as const, 'committed' as const),
  }),
);

const verb: fc.Arbitrary<RegisterVerb> = fc.oneof(
  fc.record({ verb: fc.constant('acquire' as const), deviceId: device, nonce, ttlMs: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ verb: fc.constant('renew' as const), nonce, ...claim }),
  fc.record({
    verb: fc.constant('release' as const),
    pendingClaims: fc.integer({ min: 0, max: 1 }),
    isHoldOffOver: fc.boolean(),
    ...claim,
  }),
  fc.record({
    verb: fc.constant('announce' as const),
    entry: fc.record({ effect: key.map((name) => effect(name)), attemptToken: token, digest: fc.constant('d') }),
    permit,
    ...claim,
  }),
  fc.record({
    verb: fc.constant('settle-tail' as const),
    effect: key.map((name) => effect(name)),
    attemptToken: token,
    status,
    opId: fc.constant('op'),
    seq: fc.nat(9),
    ...claim,
  }),
  fc.record({ verb: fc.constant('prune-tail' as const), uptoSeq: fc.nat(9), ...claim }),
);

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 12, arbitrary: verb.map((asked) => ({ kind: 'verb' as const, verb: asked })) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 20 }).map((ms) => ({ kind: 'pass' as const, ms })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

/** A storage that loses, invents or mixes up one member gives another answer somewhere. */
export function describeAgainstTheModel(bench: Bench): void {
  describe('any order of verbs', () => {
    it('is answered as the pure register answers it, over expiry and restarts', async () => {
      let agents = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
          agents += 1;
          await follow(bench, actions, agents);
        }),
        { numRuns: 60, seed: 20_261_129 },
      );
    });
  });
}

async function follow(bench: Bench, actions: readonly Action[], number: number): Promise<void> {
  const agent = agentId(`model-${number}`);
  let record: RegisterRecord | null = null;
  let remainingMs = 0;
  // Somebody looked after the lease had run out.
  let isOverTold = false;
  for (const each of actions) {
    if (each.kind === 'restart') {
      await bench().restart();
      const isHeld = record !== null && record.holder !== null && !isOverTold;
      if (isHeld && bench().beginsLeasesAgain === true) remainingMs = record?.ttlMs ?? 0;
    }
    if (each.kind === 'pass') {
      await bench().pass(each.ms);
      remainingMs = Math.max(0, remainingMs - each.ms);
    }
    if (each.kind !== 'verb') continue;
    const step = applyVerb(record, each.verb, remainingMs > 0);
    expect(await ask(bench(), each.verb, agent)).toEqual(step.reply);
    record = step.record;
    if (step.leaseClock === 'restart') remainingMs = record.ttlMs;
    if (step.leaseClock === 'end') remainingMs = 0;
    isOverTold = remainingMs <= 0;
    const view = await look(bench(), agent);
    const { tail, frontier } = record;
    expect(view).toMatchObject({ epoch: record.epoch, tail, frontier });
    const dueMs = record.holder === null ? 0 : remainingMs;
    expect(view.remainingMs > 0, 'whether it is live').toBe(dueMs > 0);
    expect(Math.abs(view.remainingMs - dueMs)).toBeLessThanOrEqual(bench().toleranceMs ?? 0);
    expect(view.lease?.holder ?? null).toBe(record.holder);
  }
}
