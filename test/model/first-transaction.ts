import type { FenceDecision } from '../../src/shared/core/fence/check-dispatch.ts';
import type { ClaimLease } from '../../src/shared/core/claim/claim-effect.ts';
import type { CoordinatorIdentity, RegisterView } from '../../src/shared/core/lease/lease.ts';
import type { TailEntry } from '../../src/shared/core/lease/register.ts';
import { attemptOf, AGENT, COMMITTED_GRANT, deviceId, deviceIndex, intentOf } from './names.ts';
import { deviceAt, withDevice } from './moves.ts';
import { claimOf, markInDoubt } from './rows.ts';
import { settleStep, settleTail } from './device-settle.ts';
import type { Outcome } from './device-settle.ts';
import type { AnnounceAnswer, Attempt, Device, Flight, State } from './state.ts';
import { heldLease, instantIn } from './time.ts';
import type { Setting } from './time.ts';

/** Why nothing goes on, in the words of the three decisions. */
export type Refusal =
  | { readonly kind: 'gate' | 'claim' }
  | { readonly kind: 'in-doubt'; readonly entry: TailEntry }
  | { readonly kind: 'already-committed' | 'stale-epoch' | 'not-held' | 'fence' };

/** The store's `dispatchEffect`: gate, claim and fence on the facts of one moment, and the row that is left behind. */
export function decideDispatch(
  setting: Setting,
  state: State,
  index: number,
  stage: 'claim' | 'start',
): { readonly refused: Refusal | null; readonly row: Attempt } {
  const device = deviceAt(state, index);
  const { flight } = device;
  if (flight === null) throw new Error('Nothing is on its way.');
  const own = device.attempts.find((each) => each.token === flight.token) ?? null;
  const base: Attempt = own ?? {
    effect: flight.effect,
    token: flight.token,
    number: flight.number,
    owner: null,
    left: 0,
    progress: 'never-started',
    isInDoubt: false,
    decision: 'none',
    outcome: 'none',
  };
  const closed: Attempt =
    base.progress === 'never-started' ? { ...base, progress: 'settled', outcome: 'unsent' } : base;
  if (!passesGate(setting, device, flight)) return { refused: { kind: 'gate' }, row: closed };
  if (!isGranted(setting, device, { flight, own: stage === 'start' && flight.isClaimed ? own : null, index })) {
    return { refused: { kind: 'claim' }, row: closed };
  }
  const owner = { device: index, host: device.host, epoch: flight.epoch };
  const granted: Attempt = { ...base, owner, left: flight.left };
  if (stage === 'claim') return { refused: null, row: granted };
  const refused = passesFence(setting, device, { flight, index });
  if (refused !== null) return { refused, row: { ...granted, progress: 'settled', outcome: 'unsent' } };
  return { refused: null, row: { ...granted, progress: 'in-flight' } };
}

function passesGate(setting: Setting, device: Device, flight: Flight): boolean {
  const isCurrent = device.phase !== 'ended' && device.step === flight.effect;
  const isSettled = device.attempts.some((each) => each.token === flight.token && each.progress === 'settled');
  const decision = setting.rules.evaluateDispatch(
    {
      committedGrantDigest: COMMITTED_GRANT,
      stopRequested: device.isStopped,
      barrierActive: false,
      stateHasVisits: true,
      currentStateVisit: isCurrent ? 1 : null,
      settledAttempts: isSettled ? [attemptOf(flight.effect, flight.token)] : [],
    },
    intentOf(flight.effect, flight.token),
  );
  return decision.kind === 'dispatch';
}

function isGranted(
  setting: Setting,
  device: Device,
  of: { flight: Flight; own: Attempt | null; index: number },
): boolean {
  const { flight, own, index } = of;
  if (own !== null && own.progress === 'in-flight') return false;
  const open = device.attempts.find(
    (each) =>
      each.effect === flight.effect &&
      each.token !== flight.token &&
      each.progress !== 'settled' &&
      each.decision === 'none',
  );
  const standing = open ?? own;
  const found: ClaimLease | null = standing === null ? null : claimOf(setting, standing);
  const attempt = attemptOf(flight.effect, flight.token);
  const verdict = setting.rules.claimEffect({
    attempt,
    existing: found,
    progress: standing?.progress ?? 'never-started',
    owner: { deviceId: deviceId(index), hostId: `${index}.${device.host}`, epoch: flight.epoch },
    now: setting.nowInstant,
    leaseUntil: instantIn(setting, flight.left),
  });
  return verdict.kind === 'granted';
}

function coordinatorOf(incarnation: number): CoordinatorIdentity {
  return { coordinatorId: AGENT, incarnation: String(incarnation) };
}

function viewOf(
  setting: Setting,
  device: Device,
  answer: AnnounceAnswer,
): Pick<RegisterView, 'lease' | 'coordinator' | 'frontier'> {
  const { holder, epoch } = answer;
  const { ttlMs } = setting.scenario;
  const lease = holder === null ? null : { agentId: AGENT, holder: deviceId(holder), epoch, nonce: '', ttlMs };
  return { lease, coordinator: coordinatorOf(device.incarnation), frontier: answer.frontier };
}

function passesFence(setting: Setting, device: Device, of: { flight: Flight; index: number }): Refusal | null {
  const { flight, index } = of;
  const { answer, effect, permit } = flight;
  const { rules } = setting;
  if (answer === null) return { kind: 'fence' };
  const { blocking } = answer;
  const isCovered = blocking !== null && rules.isPermitted(blocking, permit);
  const standing =
    device.held === null || device.held.epoch !== flight.epoch
      ? ({ kind: 'expired' } as const)
      : rules.leaseStanding(heldLease(setting, device.held), setting.now);
  const decision = rules.checkDispatch({
    committedOpId: (device.oracle & (1 << effect)) === 0 ? null : 'op',
    deviceId: deviceId(index),
    claimedEpoch: flight.epoch,
    register: viewOf(setting, device, answer),
    coordinator: coordinatorOf(device.incarnation),
    folded: foldedBy(device, index),
    blockingEntry: isCovered ? null : blocking,
    standing,
  });
  if (decision.kind === 'proceed') return afterAnnounce(answer);
  return refusalOf(decision);
}

/** Its own journal is always folded to the end. */
function foldedBy(device: Device, index: number): Record<string, number> {
  return Object.fromEntries(device.folded.map((seq, at) => [deviceId(at), at === index ? device.commits.length : seq]));
}

function refusalOf(decision: Exclude<FenceDecision, { kind: 'proceed' }>): Refusal {
  if (decision.kind === 'in-doubt') return { kind: 'in-doubt', entry: decision.entry };
  if (decision.kind === 'already-committed' || decision.kind === 'stale-epoch' || decision.kind === 'not-held') {
    return { kind: decision.kind };
  }
  return { kind: 'fence' };
}

/** Only `announced` lets a `proceed` stand; every other reply is a no, in the fence's own words. */
function afterAnnounce({ reply, named, holder }: AnnounceAnswer): Refusal | null {
  if (reply === 'announced') return null;
  if (reply === 'already-committed') return { kind: 'already-committed' };
  if (named !== null) return { kind: 'in-doubt', entry: named };
  if (reply === 'lost') return { kind: holder === null ? 'not-held' : 'stale-epoch' };
  return { kind: 'fence' };
}

/** The host's `afterRefusal`, with the announce taken back. Nothing was sent. */
export function afterRefusal(setting: Setting, state: State, index: number, refused: Refusal): Outcome {
  const { flight } = deviceAt(state, index);
  if (flight === null) return { state, broken: null };
  const { effect, token, epoch } = flight;
  let next = withDevice(state, index, { ...deviceAt(state, index), flight: null });
  if (!setting.scenario.isEmbedded && flight.answer?.reply === 'announced') {
    next = settleTail(setting, next, index, { effect, token, status: 'withdrawn', epoch });
  }
  if (refused.kind === 'already-committed') return settleStep(setting, next, index, { effect, token });
  const device = deviceAt(next, index);
  if (refused.kind === 'in-doubt') {
    const adopted = adoptEntry(device, { entry: refused.entry, effect, number: flight.number + 1 });
    return { state: withDevice(next, index, adopted), broken: null };
  }
  const isGone = refused.kind === 'stale-epoch' || refused.kind === 'not-held';
  return { state: isGone ? withDevice(next, index, { ...device, held: null }) : next, broken: null };
}

/** The store's `adoptTailEntry`: an earlier holder announced it, and nobody knows more. */
function adoptEntry(device: Device, of: { entry: TailEntry; effect: number; number: number }): Device {
  const { entry, effect, number } = of;
  const token: string = entry.attemptToken;
  const owner = { device: deviceIndex(entry.deviceId), host: 0, epoch: entry.epoch };
  const row: Attempt = {
    effect,
    token,
    number,
    owner,
    left: 0,
    progress: 'in-flight',
    isInDoubt: true,
    decision: 'none',
    outcome: 'none',
  };
  const isKnown = device.attempts.some((each) => each.token === token);
  return markInDoubt(isKnown ? device : { ...device, attempts: [...device.attempts, row] }, token);
}
