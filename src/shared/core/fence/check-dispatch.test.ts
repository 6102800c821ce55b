import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DESKTOP, exampleEntry, LAPTOP, token } from '../example-facts.ts';
import type { AgentId } from '../../contract/identifiers.ts';
import type { Lease } from '../lease/lease.ts';
import { checkDispatch } from './check-dispatch.ts';
import type { FenceDecision, FenceFacts } from './check-dispatch.ts';

const HOME = { coordinatorId: 'home', incarnation: 'one' };
const LEASE: Lease = { agentId: 'agent' as AgentId, holder: LAPTOP, epoch: 4, nonce: 'n', ttlMs: 15_000 };
const PROCEED = { kind: 'proceed' };

const CLEAR: FenceFacts = {
  committedOpId: null,
  deviceId: LAPTOP,
  claimedEpoch: 4,
  register: { lease: LEASE, coordinator: HOME, frontier: { laptop: 3, desktop: 7 } },
  coordinator: HOME,
  folded: { laptop: 3, desktop: 9 },
  blockingEntry: null,
  standing: { kind: 'live', remainingMs: 5_000 },
};

const decide = (changes: Partial<FenceFacts>) => checkDispatch({ ...CLEAR, ...changes });
const withLease = (lease: Partial<Lease> | null): Partial<FenceFacts> => ({
  register: { ...CLEAR.register, lease: lease === null ? null : { ...LEASE, ...lease } },
});
const OPEN = exampleEntry({ attemptToken: token('earlier') });
const COMMITTED = exampleEntry({ attemptToken: token('earlier'), status: 'committed', opId: 'op-5', seq: 5 });

describe('each answer of the fence', () => {
  it('the holder of a live lease is kept from acting', () => {
    expect(decide({})).toEqual(PROCEED);
  });

  it.each<{ hazard: string; changes: Partial<FenceFacts>; decision: FenceDecision }>([
    {
      hazard: 'a committed effect is repeated',
      changes: { committedOpId: 'op-1' },
      decision: { kind: 'already-committed', committedOpId: 'op-1' },
    },
    {
      hazard: 'a device acts for an agent that nobody holds',
      changes: withLease(null),
      decision: { kind: 'not-held', claimedEpoch: 4 },
    },
    {
      hazard: 'a zombie acts after a takeover',
      changes: withLease({ holder: DESKTOP, epoch: 5 }),
      decision: { kind: 'stale-epoch', claimedEpoch: 4, currentEpoch: 5, currentHolder: DESKTOP },
    },
    {
      hazard: 'an earlier grant of the same device passes for the current one',
      changes: withLease({ epoch: 5 }),
      decision: { kind: 'stale-epoch', claimedEpoch: 4, currentEpoch: 5, currentHolder: LAPTOP },
    },
    {
      hazard: 'a forged epoch, or a register that lost its counter, passes because it is higher',
      changes: withLease({ epoch: 3 }),
      decision: { kind: 'stale-epoch', claimedEpoch: 4, currentEpoch: 3, currentHolder: LAPTOP },
    },
    {
      hazard: 'the right epoch passes on the wrong device',
      changes: withLease({ holder: DESKTOP }),
      decision: { kind: 'stale-epoch', claimedEpoch: 4, currentEpoch: 4, currentHolder: DESKTOP },
    },
    {
      hazard: 'a lease of a foreign register counts',
      changes: { coordinator: { coordinatorId: 'work', incarnation: 'one' } },
      decision: { kind: 'other-coordinator', expected: { coordinatorId: 'work', incarnation: 'one' }, found: HOME },
    },
    {
      hazard: 'a restored copy of the register counts',
      changes: { coordinator: { coordinatorId: 'home', incarnation: 'zero' } },
      decision: { kind: 'other-coordinator', expected: { coordinatorId: 'home', incarnation: 'zero' }, found: HOME },
    },
    {
      hazard: 'a holder acts before it knows what was pruned from the tail',
      changes: { folded: { laptop: 3, desktop: 6 } },
      decision: { kind: 'behind', deviceId: 'desktop', neededSeq: 7, foldedSeq: 6 },
    },
    {
      hazard: 'a journal that was never folded counts as complete',
      changes: { folded: { laptop: 3 } },
      decision: { kind: 'behind', deviceId: 'desktop', neededSeq: 7, foldedSeq: 0 },
    },
    {
      hazard: 'an effect that an earlier holder had begun is repeated',
      changes: { blockingEntry: OPEN },
      decision: { kind: 'in-doubt', entry: OPEN },
    },
    {
      hazard: 'an effect whose commit has not synced yet is repeated',
      changes: { blockingEntry: COMMITTED },
      decision: { kind: 'already-committed', committedOpId: 'op-5' },
    },
    {
      hazard: 'a commit without an operation proves nothing and yet lets the effect through',
      changes: { blockingEntry: { ...COMMITTED, opId: null } },
      decision: { kind: 'in-doubt', entry: { ...COMMITTED, opId: null } },
    },
    {
      hazard: 'an effect starts on a doubtful lease',
      changes: { standing: { kind: 'doubtful', reason: 'suspended' } },
      decision: { kind: 'lease-doubtful', standing: 'doubtful' },
    },
    {
      hazard: 'an effect starts after the local deadline',
      changes: { standing: { kind: 'expired' } },
      decision: { kind: 'lease-doubtful', standing: 'expired' },
    },
    {
      hazard: 'an effect starts while the last holder may still be sending',
      changes: { standing: { kind: 'hold-off', remainingMs: 1_200 } },
      decision: { kind: 'hold-off', remainingMs: 1_200 },
    },
  ])('$hazard', ({ changes, decision }) => {
    expect(decide(changes)).toEqual(decision);
  });

  it('a lease that the register calls expired but nobody stole is refused, as if the fence had a clock', () => {
    // The register's own clock is no fact of the fence: only the device's deadline and the epoch are.
    expect(decide(withLease({ ttlMs: 0 }))).toEqual(PROCEED);
  });

  it('a journal exactly at the frontier, or of a device without one, counts as behind', () => {
    expect(decide({ folded: { laptop: 3, desktop: 7, phone: 0 } })).toEqual(PROCEED);
  });

  it.each(['constructor', 'toString', '__proto__'])('a device called %s is never behind', (deviceId) => {
    const frontier = Object.fromEntries([[deviceId, 2]]);
    const register = { ...CLEAR.register, frontier };
    expect(decide({ register })).toEqual({ kind: 'behind', deviceId, neededSeq: 2, foldedSeq: 0 });
    expect(decide({ register, folded: frontier })).toEqual(PROCEED);
  });
});

describe('several reasons at once', () => {
  const BREAKS: readonly { readonly kind: FenceDecision['kind']; readonly changes: Partial<FenceFacts> }[] = [
    { kind: 'already-committed', changes: { committedOpId: 'op-1' } },
    { kind: 'stale-epoch', changes: { claimedEpoch: 9 } },
    { kind: 'other-coordinator', changes: { coordinator: { coordinatorId: 'work', incarnation: 'one' } } },
    { kind: 'behind', changes: { folded: {} } },
    { kind: 'in-doubt', changes: { blockingEntry: OPEN } },
    { kind: 'lease-doubtful', changes: { standing: { kind: 'expired' } } },
  ];

  it('a later reason hides an earlier one', () => {
    fc.assert(
      fc.property(fc.subarray([...BREAKS], { minLength: 1 }), fc.boolean(), (broken, isHeld) => {
        const changes: Partial<FenceFacts> = Object.assign({}, ...broken.map((one) => one.changes));
        const decision = decide(isHeld ? changes : { ...changes, ...withLease(null) });
        const first = BREAKS.find((one) => broken.includes(one))?.kind;
        expect(decision.kind).toBe(first === 'already-committed' || isHeld ? first : 'not-held');
      }),
    );
  });

  it('anything but a live lease of exactly this device and epoch proceeds', () => {
    const facts = fc.record({
      committedOpId: fc.option(fc.constant('op-1')),
      claimedEpoch: fc.integer({ min: 3, max: 5 }),
      holder: fc.constantFrom(LAPTOP, DESKTOP, null),
      incarnation: fc.constantFrom('one', 'two'),
      folded: fc.dictionary(fc.constantFrom('laptop', 'desktop'), fc.integer({ min: 0, max: 9 })),
      blockingEntry: fc.constantFrom(null, null, OPEN, COMMITTED),
      standing: fc.constantFrom<FenceFacts['standing']>(
        { kind: 'live', remainingMs: 1 },
        { kind: 'expired' },
        { kind: 'hold-off', remainingMs: 1 },
        { kind: 'doubtful', reason: 'clocks-disagree' },
      ),
    });
    fc.assert(
      fc.property(facts, ({ holder, incarnation, ...given }) => {
        const lease = withLease(holder === null ? null : { holder });
        const decision = decide({ ...given, ...lease, coordinator: { ...HOME, incarnation } });
        const failures: [FenceDecision['kind'], boolean][] = [
          ['already-committed', given.committedOpId !== null],
          ['not-held', holder === null],
          ['stale-epoch', holder !== LAPTOP || given.claimedEpoch !== 4],
          ['other-coordinator', incarnation !== 'one'],
          ['behind', (given.folded['laptop'] ?? 0) < 3 || (given.folded['desktop'] ?? 0) < 7],
          ['already-committed', given.blockingEntry === COMMITTED],
          ['in-doubt', given.blockingEntry !== null],
          ['lease-doubtful', given.standing.kind === 'expired' || given.standing.kind === 'doubtful'],
          ['hold-off', given.standing.kind === 'hold-off'],
          ['proceed', true],
        ];
        expect(decision.kind).toBe(failures.find(([, fails]) => fails)?.[0]);
      }),
      { numRuns: 2_000 },
    );
  });
});
