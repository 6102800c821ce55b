import type { EventKind } from '../../src/shared/contract/events.ts';
import type { Random } from '../harness/random.ts';

/** Something that a device may write down. Payloads are as wide as the projections look at them. */
export interface DrawnEvent {
  readonly kind: EventKind | 'future.thing';
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The newest grant of each agent, as one register would hand them out. */
export type Grants = Map<string, number>;

const AGENTS = ['a', 'b'];
const STATES = ['s1', 's2'];
const text = (inline: string) => ({ digest: `d-${inline}`, bytes: inline.length, inline });
const CLASSES = ['transient', 'permanent'];

interface Drawn {
  readonly random: Random;
  readonly agentId: string;
  readonly runId: string;
  readonly deviceId: string;
  readonly grants: Grants;
}

/** Draws one event; each kind of every tier is among them, also one that this version does not know. */
export function drawEvent(random: Random, of: { readonly deviceId: string; readonly grants: Grants }): DrawnEvent {
  const agentId = random.pick(AGENTS);
  const drawn = { ...of, random, agentId, runId: `${agentId}-${random.below(3)}${random.chance(0.4) ? '-left' : ''}` };
  return random.pick(GROUPS)(drawn);
}

function attemptOf({ random, agentId, runId }: Drawn) {
  const place = `${random.pick(STATES)}#1`;
  const number = random.below(2);
  return { effect: { agentId, runId, effectKey: place }, attemptToken: `${runId} ${place} ${number}`, place, number };
}

const GROUPS: readonly ((drawn: Drawn) => DrawnEvent)[] = [
  ofAgent,
  ofLease,
  ofTrigger,
  ofRun,
  ofRun,
  ofAttempt,
  ofAttempt,
  ofRecovery,
  ofQuestion,
];

function ofAgent({ random, agentId, deviceId }: Drawn): DrawnEvent {
  const number = random.below(3);
  const grantDigest = `grant-${agentId}-${number}`;
  const by = `person ${random.below(3)}`;
  const scope = random.chance(0.3) ? null : agentId;
  const joining = { name: by, version: '1', publicKey: 'key', wrapPublicKey: `wrap ${number}` };
  const base = { agentId, standingId: `standing-${agentId}-${random.below(2)}`, by };
  const permission = { approvalId: 'q', grantDigest, ofStateId: 's1', tool: 'mail', target: 'x', inputDigest: null };
  return random.pick<DrawnEvent>([
    { kind: 'sync.device-joined', payload: { ...joining, deviceId } },
    { kind: 'sync.device-let-go', payload: { deviceId: `device-${number}`, by, upToSeq: random.below(60) } },
    { kind: 'agent.saved', payload: { agentId, revisionDigest: `r${number}`, name: by, description: '', source: '' } },
    { kind: 'grant.given', payload: { agentId, revisionDigest: 'r1', grantDigest, grantNumber: number, by } },
    { kind: 'grant.revoked', payload: { agentId, grantDigest, by } },
    { kind: 'grant.expired', payload: { agentId, grantDigest, expiresAtMs: 1 } },
    { kind: 'agent.pause-requested', payload: { agentId: scope, by } },
    { kind: 'agent.resumed', payload: { agentId: scope, by } },
    { kind: 'agent.stop-requested', payload: { agentId, by, runs: 0 } },
    { kind: 'approval.standing-given', payload: { ...base, ...permission, expiresAtMs: 9 } },
    { kind: 'approval.standing-revoked', payload: base },
    { kind: 'future.thing', payload: { agentId, more: [number] } },
  ]);
}

function ofLease({ random, agentId, deviceId, grants }: Drawn): DrawnEvent {
  const known = grants.get(agentId) ?? 0;
  const coordinator = { coordinatorId: 'work', incarnation: 'one' };
  if (random.chance(0.4)) {
    grants.set(agentId, known + 1);
    const payload = { agentId, epoch: known + 1, ...coordinator, holdOffMs: 0, previousHolder: null };
    return { kind: 'lease.acquired', payload };
  }
  return random.pick<DrawnEvent>([
    { kind: 'lease.observed', payload: { agentId, epoch: known, ...coordinator } },
    { kind: 'lease.lost', payload: { agentId, epoch: known, currentEpoch: known + 1, holder: deviceId } },
    { kind: 'lease.went-back', payload: { agentId, expectedEpoch: known, answeredEpoch: 0 } },
    { kind: 'lease.bumped', payload: { agentId, ...coordinator, epoch: known, by: 'a person' } },
  ]);
}

function ofTrigger({ random, agentId, runId }: Drawn): DrawnEvent {
  const slot = String(random.below(4) * 1_000);
  const kind = 'schedule';
  const triggerId = 'daily';
  const source = { by: 'schedule', triggerId, slot };
  const missed = { agentId, kind, triggerId, slot, source, dueAtMs: 1, firstDueAtMs: 1, noticedAtMs: random.below(9) };
  const armed = { agentId, revisionDigest: 'r1', grantDigest: `grant-${agentId}-1`, fromMs: random.below(9) };
  return random.pick<DrawnEvent>([
    {
      kind: 'trigger.fired',
      payload: { ...startOf(random, { agentId, runId }), source, settledUpTo: random.below(99) },
    },
    { kind: 'trigger.armed', payload: { ...armed, triggers: [{ kind, triggerId }] } },
    {
      kind: 'trigger.missed',
      payload: {
        ...missed,
        slotCount: 1,
        isMore: false,
        reason: 'asleep',
        isWaiting: true,
        settledUpTo: 5,
        detail: '',
      },
    },
    { kind: 'trigger.skipped', payload: { agentId, kind, triggerId, slot, by: 'a person' } },
  ]);
}

function startOf(random: Random, ids: { agentId: string; runId: string }) {
  const title = `Title ${random.below(3)}`;
  return { ...ids, revisionDigest: 'r1', requestDigest: 'q', title, by: 'a person', input: {}, stateId: 's1' };
}

function ofRun({ random, agentId, runId }: Drawn): DrawnEvent {
  const ids = { agentId, runId };
  const place = { stateId: random.pick(STATES), stateVisit: 1 + random.below(2) };
  const branch = { parentRunId: runId, parentStateId: 's1', parentStateVisit: 1, branch: 'left', item: null };
  const from = { fromStateId: place.stateId, fromStateVisit: 1 };
  const ending = random.pick(['done', 'failed', 'stopped']);
  return random.pick<DrawnEvent>([
    { kind: 'trigger.fired', payload: startOf(random, ids) },
    { kind: 'run.entered', payload: { ...ids, ...place } },
    { kind: 'run.entered', payload: { ...ids, ...place, runId: `${runId}-left` } },
    { kind: 'run.waiting', payload: { ...ids, ...place, untilMs: 7 } },
    { kind: 'run.retrying', payload: { ...ids, ...place, attemptNumber: 1, delayMs: 1, untilMs: 8, code: 'x' } },
    { kind: 'run.branching', payload: { ...ids, ...place, count: 1 } },
    { kind: 'run.branched', payload: { ...startOf(random, { agentId, runId: `${runId}-left` }), ...branch } },
    { kind: 'run.concluded', payload: { ...ids, ...place, output: text(ending), summary: ending } },
    { kind: 'run.stop-requested', payload: { ...ids, by: 'a person' } },
    { kind: 'run.pause-requested', payload: { ...ids, by: 'a person' } },
    { kind: 'run.resumed', payload: { ...ids, by: 'a person' } },
    { kind: 'run.ended', payload: { ...ids, ending, summary: `Ended: ${ending}` } },
    { kind: 'run.ended', payload: { ...ids, runId: `${runId}-left`, ending, summary: `Ended: ${ending}` } },
    { kind: 'successor.released', payload: { ...ids, ...from, toStateId: 's2' } },
    { kind: 'successor.refused', payload: { ...ids, ...from, reason: 'stop-requested' } },
    { kind: 'future.thing', payload: { ...ids, more: null } },
  ]);
}

function ofAttempt(drawn: Drawn): DrawnEvent {
  const { random, deviceId, grants, agentId } = drawn;
  const { place, number, ...attempt } = attemptOf(drawn);
  const owner = { deviceId, hostId: 'h', epoch: grants.get(agentId) ?? 0 };
  const leaseUntil = { bootId: deviceId, bootMs: random.below(9) };
  const [stateId] = place.split('#');
  const intent = {
    ...attempt,
    attemptNumber: number + 1,
    stateId,
    stateVisit: 1,
    inputDigest: 'i',
    effectKind: 'blind',
  };
  const claim = { ...attempt, owner, leaseUntil };
  const outcome = random.chance(0.6)
    ? { kind: 'success' }
    : { kind: 'failure', class: random.pick(CLASSES), code: 'no', wasSent: random.chance(0.5) };
  const settled = { ...attempt, outcome, outputDigest: `o${number}`, output: text(`o${number}`), summary: 'Said so' };
  return random.pick<DrawnEvent>([
    { kind: 'intent.recorded', payload: intent },
    { kind: 'intent.recorded', payload: intent },
    { kind: 'intent.refused', payload: { effect: attempt.effect, stateId, stateVisit: 1, message: 'No such tool' } },
    { kind: 'gate.decided', payload: { ...attempt, decision: { kind: 'dispatch' }, facts: {} } },
    { kind: 'gate.decided', payload: { ...attempt, decision: { kind: 'refuse', reason: 'superseded' }, facts: {} } },
    { kind: 'claim.decided', payload: { ...claim, verdict: random.chance(0.8) ? 'granted' : 'held' } },
    { kind: 'claim.extended', payload: { ...attempt, leaseUntil } },
    { kind: 'fence.decided', payload: { ...attempt, decision: { kind: 'proceed' }, facts: {} } },
    { kind: 'fence.decided', payload: { ...attempt, decision: { kind: 'hold-off', remainingMs: 1 }, facts: {} } },
    { kind: 'effect.started', payload: { ...attempt, epoch: owner.epoch, idempotencyKey: 'k' } },
    { kind: 'effect.started', payload: { ...attempt, epoch: owner.epoch, idempotencyKey: 'k' } },
    { kind: 'effect.withheld', payload: { ...attempt, reason: 'too-late' } },
    { kind: 'settle.recorded', payload: { ...settled, settledBy: 'executor', tookMs: 1 } },
    { kind: 'settle.recorded', payload: { ...settled, settledBy: 'probe', tookMs: null } },
    { kind: 'settle.late-evidence', payload: { ...attempt, outcome, output: text('late'), summary: 'Late' } },
  ]);
}

function ofRecovery(drawn: Drawn): DrawnEvent {
  const { random, deviceId } = drawn;
  const { place: _place, number: _number, ...attempt } = attemptOf(drawn);
  const previousOwner = { deviceId, hostId: '', epoch: 1 };
  const choice = random.pick(['it-happened', 'send-again', 'undo-then-send', 'stop-here']);
  return random.pick<DrawnEvent>([
    { kind: 'recovery.reclaimed', payload: { ...attempt, previousOwner } },
    { kind: 'recovery.in-doubt', payload: { ...attempt, code: 'unknown', previousOwner, lostSince: null } },
    { kind: 'recovery.in-doubt', payload: { ...attempt, code: 'unknown', previousOwner: null, lostSince: null } },
    { kind: 'recovery.probed', payload: { ...attempt, answer: 'silent', summary: 'Nothing', by: 'Fencepost' } },
    { kind: 'recovery.repeated', payload: { ...attempt, reason: 'read-only' } },
    { kind: 'recovery.decided', payload: { ...attempt, choice, by: 'a person', reason: '', epoch: 1 } },
    { kind: 'recovery.reopened', payload: { ...attempt, by: 'a person' } },
  ]);
}

function ofQuestion({ random, agentId, runId, deviceId, grants }: Drawn): DrawnEvent {
  const question = { agentId, runId, approvalId: `question-${runId}-${random.below(2)}` };
  const asked = { stateId: 's1', stateVisit: 1, ofStateId: 's2', inputDigest: 'i', input: text('i'), expiresAtMs: 99 };
  const answer = { isAllowed: random.chance(0.5), by: `person on ${deviceId}`, reason: '', epoch: grants.get(agentId) };
  return random.pick<DrawnEvent>([
    { kind: 'approval.requested', payload: { ...question, ...asked, question: 'May it?', title: 'Send' } },
    { kind: 'approval.decided', payload: { ...question, ...answer, epoch: answer.epoch ?? null } },
    { kind: 'approval.stale', payload: { ...question, reason: 'other-device' } },
    { kind: 'approval.expired', payload: question },
  ]);
}
