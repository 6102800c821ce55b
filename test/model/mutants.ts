import { REAL_RULES } from './rules.ts';
import type { Rules } from './rules.ts';
import type { Scenario } from './state.ts';
import { WORLD } from './worlds.ts';

/** A way to change the rules: a guard that is broken, or a layer that is taken away. */
type Change = (rules: Rules) => Rules;

/** The register is read but nothing travels: what a coordinator without `announce` offers. */
const withoutTail: Change = (rules) => ({
  ...rules,
  applyVerb: (stored, verb, isLive) => {
    const step = rules.applyVerb(stored, verb, isLive);
    if (verb.verb !== 'announce') return step;
    const record = stored ?? step.record;
    return { record, reply: { kind: 'announced', isReplay: true }, leaseClock: 'keep' };
  },
});

const withoutFence: Change = (rules) => ({
  ...rules,
  checkDispatch: (facts) => {
    const { deviceId: holder, claimedEpoch: epoch } = facts;
    const lease = { ...facts.register.lease, agentId: 'agent', nonce: '', ttlMs: 0, holder, epoch } as NonNullable<
      typeof facts.register.lease
    >;
    return rules.checkDispatch({ ...facts, register: { ...facts.register, lease } });
  },
});

const withoutOracle: Change = (rules) => ({
  ...rules,
  checkDispatch: (facts) => rules.checkDispatch({ ...facts, committedOpId: null }),
});

const withoutHoldOff: Change = (rules) => ({
  ...rules,
  applyVerb: (stored, verb, isLive) => {
    const step = rules.applyVerb(stored, verb, isLive);
    return step.reply.kind === 'granted' ? { ...step, reply: { ...step.reply, holdOff: false } } : step;
  },
});

const releasingPendingClaims: Change = (rules) => ({
  ...rules,
  applyVerb: (stored, verb, isLive) =>
    rules.applyVerb(stored, verb.verb === 'release' ? { ...verb, pendingClaims: 0 } : verb, isLive),
});

const resettingEpoch: Change = (rules) => ({
  ...rules,
  applyVerb: (stored, verb, isLive) => {
    const step = rules.applyVerb(stored, verb, isLive);
    return step.reply.kind === 'released' ? { ...step, record: { ...step.record, epoch: 0 } } : step;
  },
});

const renewingAfterExpiry: Change = (rules) => ({
  ...rules,
  applyVerb: (stored, verb, isLive) => rules.applyVerb(stored, verb, isLive || verb.verb === 'renew'),
});

const grantingInFlightWithoutLease: Change = (rules) => ({
  ...rules,
  claimEffect: (facts) =>
    rules.claimEffect(
      facts.existing === null && facts.progress === 'in-flight' ? { ...facts, progress: 'never-started' } : facts,
    ),
});

const settlingForAnybody: Change = (rules) => ({
  ...rules,
  settleEffect: (facts) =>
    rules.settleEffect({ ...facts, completion: { ...facts.completion, owner: facts.lease.owner } }),
});

const releasingTwice: Change = (rules) => ({
  ...rules,
  releaseSuccessors: (gate, request) => rules.releaseSuccessors({ ...gate, isReleased: false }, request),
});

const passingUnknownVisits: Change = (rules) => ({
  ...rules,
  evaluateDispatch: (gate, intent) =>
    rules.evaluateDispatch(gate.currentStateVisit === null ? { ...gate, stateHasVisits: false } : gate, intent),
});

const ignoringHighWater: Change = (rules) => ({
  ...rules,
  checkHighWater: (_, { isNewGrant: _isNewGrant, ...mark }) => ({ kind: 'fits', mark }),
});

const withoutStopAtGate: Change = (rules) => ({
  ...rules,
  evaluateDispatch: (gate, intent) => rules.evaluateDispatch({ ...gate, stopRequested: false }, intent),
});

const acceptingEveryReport: Change = (rules) => ({
  ...rules,
  settleEffect: (facts) => rules.settleEffect({ ...facts, progress: 'in-flight', isInDoubt: false }),
});

const withoutSupersededAtRelease: Change = (rules) => ({
  ...rules,
  releaseSuccessors: (gate, request) =>
    rules.releaseSuccessors({ ...gate, currentStateVisit: request.fromStateVisit }, request),
});

/** One broken guard, the world in which it matters, and what has to break. */
export interface Mutant {
  readonly name: string;
  readonly mutate: Change;
  /** Layers that would hide it; they are off for the unbroken guard as well, which must then still hold. */
  readonly masks: readonly Change[];
  readonly scenario: Scenario;
  /** How the invariant begins that it breaks. */
  readonly breaks: string;
}

const ONE: Scenario = { ...WORLD, attempts: 1 };
const TWO: Scenario = { ...WORLD, devices: 2, attempts: 1 };
const OLD_COPY: Scenario = { ...ONE, network: 'direct', restoreKeepsName: true, budget: { backup: 1, restore: 1 } };

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no oracle',
    mutate: withoutOracle,
    masks: [],
    scenario: { ...TWO, budget: { sync: 2 } },
    breaks: 'I6: an effect that this device’s own oracle holds',
  },
  {
    name: 'no fence',
    mutate: withoutFence,
    masks: [withoutTail],
    scenario: { ...TWO, ttlMs: 13_500, budget: { 'early-end': 1 } },
    breaks: 'I3: a send by an older epoch',
  },
  {
    name: 'no tail',
    mutate: withoutTail,
    masks: [],
    scenario: TWO,
    breaks: 'I6: an effect that was committed happened again',
  },
  {
    name: 'device deadline instead of claim deadline',
    mutate: (rules) => ({ ...rules, deadlineAtLastLook: 'device' }),
    masks: [],
    scenario: { ...ONE, tickMs: 1_000, ttlMs: 7_500 },
    breaks: 'I3: a send after its own claim',
  },
  {
    name: 'deadline from the reply instead of the send',
    mutate: (rules) => ({ ...rules, leaseCountsFrom: 'reply' }),
    masks: [withoutTail, withoutFence, withoutHoldOff],
    scenario: { ...TWO, tickMs: 1_500, ttlMs: 6_750 },
    breaks: 'I3: a send by an older epoch',
  },
  {
    name: 'release with pending claims',
    mutate: releasingPendingClaims,
    masks: [withoutTail],
    scenario: { ...TWO, budget: { release: 1 } },
    breaks: 'I3: a send by an older epoch',
  },
  {
    name: 'epoch reset on release',
    mutate: resettingEpoch,
    masks: [],
    scenario: { ...ONE, budget: { release: 1 } },
    breaks: 'I2',
  },
  { name: 'renew after expiry', mutate: renewingAfterExpiry, masks: [], scenario: ONE, breaks: 'I3: a lease that had' },
  {
    name: 'no hold-off',
    mutate: withoutHoldOff,
    masks: [withoutTail],
    scenario: { ...TWO, budget: { 'early-end': 1 } },
    breaks: 'I3: a send by an older epoch',
  },
  {
    name: 'in-flight without lease granted',
    mutate: grantingInFlightWithoutLease,
    masks: [withoutTail],
    scenario: { ...WORLD, budget: { crash: 1, 'row-loss': 1 }, without: ['phase'] },
    breaks: 'I1',
  },
  {
    name: 'settlement without owner check',
    mutate: settlingForAnybody,
    masks: [],
    scenario: { ...WORLD, budget: { crash: 1, stranger: 1 } },
    breaks: 'a settlement by a stranger',
  },
  {
    name: 'double successor release',
    mutate: releasingTwice,
    masks: [acceptingEveryReport, withoutSupersededAtRelease],
    scenario: { ...ONE, effects: 2, budget: { twice: 1 } },
    breaks: 'an edge was released twice',
  },
  {
    name: 'unknown visit passes',
    mutate: passingUnknownVisits,
    masks: [withoutStopAtGate],
    scenario: { ...ONE, budget: { stop: 1 } },
    breaks: 'a run that a person stopped',
  },
  {
    name: 'high-water mark ignored',
    mutate: ignoringHighWater,
    masks: [],
    scenario: { ...ONE, budget: { crash: 1, backup: 1, restore: 1 } },
    breaks: 'I8: a send on a register that went back',
  },
  {
    name: 'high-water mark ignored: an epoch that was granted before, on a copy under the old name',
    mutate: ignoringHighWater,
    masks: [],
    scenario: OLD_COPY,
    breaks: 'I8: a grant of an epoch',
  },
  {
    name: 'high-water mark ignored: a lower epoch, on a copy under the old name',
    mutate: ignoringHighWater,
    masks: [],
    scenario: OLD_COPY,
    breaks: 'I8: a send under a lower epoch',
  },
  {
    name: 'a lost lease calls nothing back',
    mutate: (rules) => ({ ...rules, callsBackWhenLost: false }),
    masks: [],
    scenario: { ...TWO, network: 'direct', restoreKeepsName: true, budget: { backup: 1, restore: 1 } },
    breaks: 'I8: a send on a register that went back',
  },
];

/** The rules that a mutant is compared with: all its masking layers off, its own guard whole. */
export function maskedRules(mutant: Mutant): Rules {
  return mutant.masks.reduce((rules, change) => change(rules), REAL_RULES);
}
