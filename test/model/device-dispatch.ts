import type { AttemptToken } from '../../src/shared/contract/identifiers.ts';
import type { LastLook } from '../../src/shared/core/fence/last-look.ts';
import type { AnnouncePermit, RegisterVerb } from '../../src/shared/core/lease/register.ts';
import { afterRefusal, decideDispatch } from './first-transaction.ts';
import { attemptOf, deviceId, DIGEST } from './names.ts';
import { deviceAt, post, withDevice } from './moves.ts';
import type { Emit } from './moves.ts';
import { brokenBySend } from './judge.ts';
import { announceAnswer, ask } from './register-side.ts';
import { replaceAttempt } from './rows.ts';
import { settleTail } from './device-settle.ts';
import { NO_AGE } from './state.ts';
import type { Attempt, Device, Flight, Held, State, World } from './state.ts';
import { claimLeft, heldLease, instantIn, readingAt } from './time.ts';
import type { Setting } from './time.ts';

/** The host's pipeline from the plan to the send. */
export function dispatchMoves(setting: Setting, state: State, index: number, emit: Emit): void {
  const { flight } = deviceAt(state, index);
  switch (flight?.stage) {
    case undefined:
      return begin(setting, state, index, emit);
    case 'claimed':
      return goOn(setting, state, index, emit);
    case 'announcing':
      return giveUp(state, index, emit);
    case 'answered':
      giveUp(state, index, emit);
      return firstTransaction(setting, state, index, emit);
    case 'marked':
      return lookAndSend(setting, state, index, emit);
    case 'running':
      return;
    default:
      throw new Error('An unknown stage.');
  }
}

function begin(setting: Setting, state: State, index: number, emit: Emit): void {
  const device = deviceAt(state, index);
  const { scenario, rules } = setting;
  const { held } = device;
  const isReady = device.phase === 'ready' || (device.phase === 'acting' && scenario.without.includes('phase'));
  const isBusy = device.asking?.verb === 'release' || device.deciding !== null;
  if (held === null || !isReady || isBusy || device.made >= scenario.attempts) return;
  const standing = rules.leaseStanding(heldLease(setting, held), setting.now).kind;
  if (standing !== 'live' && standing !== 'hold-off') return;
  const made = device.made + 1;
  const token = `${deviceId(index)}${made}`;
  const latest = newest(device.attempts, device.step);
  const flight: Flight = {
    effect: device.step,
    token,
    number: (latest?.number ?? 0) + 1,
    permit: permitAfter(newest(device.attempts.filter(isDecided), device.step)),
    epoch: held.epoch,
    left: claimLeft(setting, held),
    fence: NO_AGE,
    stage: 'claimed',
    isClaimed: standing === 'hold-off',
    answer: null,
    isSuspendSeen: false,
    isCalledBack: false,
  };
  const planned = withDevice(state, index, { ...device, made, flight });
  if (standing === 'live') return announce(setting, planned, index, emit);
  const { refused, row } = decideDispatch(setting, planned, index, 'claim');
  const written = withDevice(planned, index, addRow(deviceAt(planned, index), row));
  const text = `claims ${token} for step ${device.step + 1}, to be sent after the hold-off`;
  if (refused === null) return emit(index, text, written, null);
  const over = afterRefusal(setting, written, index, refused);
  emit(index, `${text}: refused (${refused.kind})`, over.state, over.broken);
}

function isDecided(attempt: Attempt): boolean {
  return attempt.decision !== 'none';
}

function newest(attempts: readonly Attempt[], effect: number): Attempt | null {
  let latest: Attempt | null = null;
  for (const attempt of attempts) {
    if (attempt.effect === effect && (latest === null || attempt.number > latest.number)) latest = attempt;
  }
  return latest;
}

/** The host's rule for which earlier attempt a decision, or the effect's kind, lets this one follow. */
function permitAfter(decided: Attempt | null): AnnouncePermit | null {
  if (decided === null) return null;
  const reason = decided.decision === 'repeat' ? 'automatic-repeat' : 'decision';
  return { reason, attemptToken: decided.token as AttemptToken, status: 'open' };
}

function addRow(device: Device, row: Attempt): Device {
  const attempts = device.attempts.filter((each) => each.token !== row.token);
  return { ...device, attempts: [...attempts, row] };
}

/** After the hold-off the same attempt goes on, if the lease is still the same. */
function goOn(setting: Setting, state: State, index: number, emit: Emit): void {
  const device = deviceAt(state, index);
  const { held, flight } = device;
  if (flight === null) return;
  const standing = held === null ? 'expired' : setting.rules.leaseStanding(heldLease(setting, held), setting.now).kind;
  if (standing === 'hold-off') return;
  if (held === null || standing !== 'live' || held.epoch !== flight.epoch) {
    emit(
      index,
      `lets ${flight.token} go: the lease is not what it was`,
      withDevice(state, index, dropped(device)),
      null,
    );
    return;
  }
  const now: Flight = { ...flight, left: claimLeft(setting, held) };
  announce(setting, withDevice(state, index, { ...device, flight: now }), index, emit);
}

function dropped(device: Device): Device {
  return { ...device, flight: null };
}

/** The fence begins: elsewhere as a question on the wire, in the store's own register inside the first transaction. */
function announce(setting: Setting, state: State, index: number, emit: Emit): void {
  const device = deviceAt(state, index);
  const { flight } = device;
  if (flight === null) return;
  const text = `announces ${flight.token} for step ${flight.effect + 1} under epoch ${flight.epoch}`;
  // The host's `send` begins with an abort signal of its own.
  const begun = { stage: 'announcing', isSuspendSeen: false, isCalledBack: false } as const;
  const sent: Device = { ...device, flight: { ...flight, fence: NO_AGE, ...begun } };
  if (setting.scenario.isEmbedded) return firstTransaction(setting, withDevice(state, index, sent), index, emit);
  const net = post(state.net, index, device.incarnation, announceVerb(flight, index));
  emit(index, text, withDevice({ ...state, net }, index, sent), null);
}

function announceVerb(flight: Flight, index: number): RegisterVerb {
  const entry = { ...attemptOf(flight.effect, flight.token), digest: DIGEST };
  return { verb: 'announce', deviceId: deviceId(index), epoch: flight.epoch, entry, permit: flight.permit };
}

/** No answer in time is no permission: nothing is written, and the effect is tried again later. */
function giveUp(state: State, index: number, emit: Emit): void {
  const left = state.world.budget.loss;
  if (left === 0) return;
  const world: World = { ...state.world, budget: { ...state.world.budget, loss: left - 1 } };
  const next = withDevice({ ...state, world }, index, dropped(deviceAt(state, index)));
  emit(index, 'hears nothing about its announce in time', next, null);
}

function firstTransaction(setting: Setting, state: State, index: number, emit: Emit): void {
  const device = deviceAt(state, index);
  const { flight } = device;
  if (flight === null) return;
  let within = state;
  let answered = flight;
  if (setting.scenario.isEmbedded) {
    // Looked at first; announced only if everything else says yes.
    const looked = announceAnswer(setting, { register: state.register, reply: { kind: 'pruned', dropped: 0 } }, flight);
    answered = { ...flight, answer: { ...looked, reply: 'announced' } };
    within = withDevice(state, index, { ...device, flight: answered });
    if (decideDispatch(setting, within, index, 'start').refused === null) {
      const asked = ask(setting, state.register, announceVerb(flight, index));
      const answer = { ...announceAnswer(setting, asked, flight), blocking: looked.blocking };
      within = withDevice({ ...state, register: asked.register }, index, { ...device, flight: { ...flight, answer } });
    }
  }
  const { refused, row } = decideDispatch(setting, within, index, 'start');
  const written = addRow(deviceAt(within, index), row);
  if (refused !== null) {
    const over = afterRefusal(setting, withDevice(within, index, written), index, refused);
    emit(index, `writes down that ${flight.token} is refused: ${refused.kind}`, over.state, over.broken);
    return;
  }
  const broken =
    device.isStopped || device.phase === 'ended' ? 'a run that a person stopped started another effect' : null;
  const marked: Device = {
    ...written,
    phase: written.phase === 'ended' ? 'ended' : 'acting',
    flight: { ...answered, stage: 'marked', answer: null },
  };
  emit(index, `marks ${flight.token} as in flight`, withDevice(within, index, marked), broken);
}

function lookAndSend(setting: Setting, state: State, index: number, emit: Emit): void {
  const device = deviceAt(state, index);
  const { flight } = device;
  if (flight === null) return;
  const look = flight.isCalledBack ? CALLED_BACK : lastLookAt(setting, flight, device.held);
  if (look.kind === 'withhold') {
    const closed = replaceAttempt(device, flight.token, { progress: 'settled', outcome: 'unsent' });
    const phase = device.isStopped ? 'ended' : device.phase === 'ended' ? 'ended' : 'ready';
    const held = withDevice(state, index, { ...closed, phase, flight: null });
    const { effect, token, epoch } = flight;
    const told = settleTail(setting, held, index, { effect, token, status: 'withdrawn', epoch });
    emit(index, `holds ${token} back: ${look.reason}`, told, null);
    return;
  }
  const world = send(state.world, flight);
  const running: Device = { ...device, flight: { ...flight, stage: 'running' } };
  const text = `SENDS step ${flight.effect + 1} as ${flight.token} under epoch ${flight.epoch}`;
  emit(index, text, withDevice({ ...state, world }, index, running), brokenBySend(setting, state, index, world));
}

/** The tool of a flight whose abort signal is raised sends nothing, whatever the last look said. */
const CALLED_BACK = { kind: 'withhold', reason: 'the lease under it is lost' } as const;

function lastLookAt(setting: Setting, flight: Flight, held: Held | null): LastLook {
  return setting.rules.lastLook({
    fenceAt: readingAt(setting, flight.fence),
    now: setting.now,
    nowInstant: setting.nowInstant,
    claimUntil: instantIn(setting, deadlineFor(setting, flight, held)),
    isSuspendSeen: flight.isSuspendSeen,
    // A stop is a move of its own in here: it is written down at once, and the successor gate sees it.
    isStopRequested: false,
    isPermitted: true,
  });
}

function deadlineFor(setting: Setting, flight: Flight, held: Held | null): number {
  return setting.rules.deadlineAtLastLook === 'device' && held !== null ? claimLeft(setting, held) : flight.left;
}

function send(world: World, flight: Flight): World {
  const label = flight.permit?.attemptToken ?? '';
  const sends = world.sends.map((list, effect) => (effect === flight.effect ? [...list, label].toSorted() : list));
  return { ...world, sends, topEpoch: Math.max(world.topEpoch, flight.epoch) };
}
