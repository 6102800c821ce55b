import { AGENT, deviceId } from './names.ts';
import { deviceAt, post, spend, withDevice } from './moves.ts';
import type { Emit } from './moves.ts';
import { ask } from './register-side.ts';
import type { Asked } from './register-side.ts';
import { tellWhatIsKnown } from './device-recovery.ts';
import { NO_AGE } from './state.ts';
import type { Asking, Attempt, Device, Held, LeaseAnswer, State } from './state.ts';
import { ageOf, claimLeft, heldLease, readingAt } from './time.ts';
import type { Setting } from './time.ts';
import type { RegisterVerb } from '../../src/shared/core/lease/register.ts';

// The host's `LeaseKeeper`, word for word: what is asked when, and what an answer changes in memory and in the store.

/** Everything a device may do about its right to act. */
export function leaseMoves(setting: Setting, state: State, index: number, emit: Emit): void {
  const device = deviceAt(state, index);
  if (device.asking !== null) {
    if (device.asking.answer !== null) takeAnswer(setting, state, index, emit);
    else giveUp(setting, state, index, emit);
    return;
  }
  const { held } = device;
  if (held === null || isOver(setting, held)) {
    if (device.phase !== 'ended') acquire(setting, state, index, emit);
    return;
  }
  if (setting.rules.isRenewalDue(heldLease(setting, held), setting.now)) renew(setting, state, index, emit);
  release(setting, state, index, emit);
}

function isOver(setting: Setting, held: Held): boolean {
  return setting.rules.leaseStanding(heldLease(setting, held), setting.now).kind === 'expired';
}

function acquire(setting: Setting, state: State, index: number, emit: Emit): void {
  const device = deviceAt(state, index);
  if (device.wentBack || state.register.record.epoch >= setting.scenario.epochs) return;
  const nonce = device.nonce ?? { name: freeNonce(state, index), age: NO_AGE };
  const { ttlMs } = setting.scenario;
  const verb: RegisterVerb = { verb: 'acquire', deviceId: deviceId(index), nonce: nonce.name, ttlMs };
  const asking: Asking = { verb: 'acquire', nonce: nonce.name, age: nonce.age, held: null, answer: null };
  send(
    setting,
    { state, index, device: { ...device, held: null, nonce, asking }, verb, text: 'asks for the lease' },
    emit,
  );
}

/** The register compares nonces only with the ones that are still about, so the smallest other name will do. */
function freeNonce(state: State, index: number): string {
  const { record, backup } = state.register;
  const inUse = new Set([record.nonce, backup?.nonce, deviceAt(state, index).held?.nonce]);
  for (const { verb } of state.net) if (verb.verb === 'acquire' || verb.verb === 'renew') inUse.add(verb.nonce);
  for (let number = 1; ; number += 1) {
    const name = `${deviceId(index)}n${number}`;
    if (!inUse.has(name)) return name;
  }
}

function renew(setting: Setting, state: State, index: number, emit: Emit): void {
  const device = deviceAt(state, index);
  const { held } = device;
  if (held === null) return;
  const { epoch, nonce } = held;
  const verb: RegisterVerb = { verb: 'renew', deviceId: deviceId(index), epoch, nonce };
  const asking: Asking = { verb: 'renew', nonce, age: NO_AGE, held, answer: null };
  send(setting, { state, index, device: { ...device, asking }, verb, text: 'asks to renew' }, emit);
}

function release(setting: Setting, state: State, index: number, emit: Emit): void {
  const device = deviceAt(state, index);
  const { held } = device;
  const world = spend(state.world, 'release');
  if (held === null || world === null || device.deciding !== null) return;
  const isHoldOffOver = setting.rules.holdOffRemainingMs(heldLease(setting, held), setting.now) === 0;
  const pendingClaims = device.flight === null ? 0 : 1;
  const { epoch, nonce } = held;
  const verb: RegisterVerb = { verb: 'release', deviceId: deviceId(index), epoch, pendingClaims, isHoldOffOver };
  const asking: Asking = { verb: 'release', nonce, age: NO_AGE, held, answer: null };
  const text = pendingClaims === 0 ? 'gives the lease up' : 'gives the lease up with a claim pending';
  send(setting, { state: { ...state, world }, index, device: { ...device, asking }, verb, text }, emit);
}

interface Sending {
  readonly state: State;
  readonly index: number;
  readonly device: Device;
  readonly verb: RegisterVerb;
  readonly text: string;
}

/** Onto the wire; or, where the register lives in the store, asked and answered in one transaction. */
function send(setting: Setting, { state, index, device, verb, text }: Sending, emit: Emit): void {
  if (!setting.scenario.isEmbedded) {
    const net = post(state.net, index, device.incarnation, verb);
    emit(index, text, withDevice({ ...state, net }, index, device), null);
    return;
  }
  const asked = ask(setting, state.register, verb);
  if (device.asking === null) return;
  const answered = { ...device, asking: { ...device.asking, answer: leaseAnswer(asked, index) } };
  const next = withDevice({ ...state, register: asked.register }, index, answered);
  emit(index, text, finish(setting, next, index), asked.broken);
}

/** What the host looks at in an answer about its lease. */
export function leaseAnswer({ reply, register }: Asked, index: number): LeaseAnswer {
  const isGranted = reply.kind === 'granted';
  return {
    kind: reply.kind,
    isReplay: isGranted && reply.isReplay,
    epoch: isGranted ? reply.epoch : 0,
    holdOff: isGranted && reply.holdOff,
    tail: isGranted ? register.record.tail.filter((each) => each.deviceId === deviceId(index)) : [],
  };
}

function takeAnswer(setting: Setting, state: State, index: number, emit: Emit): void {
  const { asking } = deviceAt(state, index);
  emit(index, `hears: ${asking?.answer?.kind ?? ''}`, finish(setting, state, index), null);
  giveUp(setting, state, index, emit);
}

function giveUp(setting: Setting, state: State, index: number, emit: Emit): void {
  const world = spend(state.world, 'loss');
  if (world === null) return;
  const device = deviceAt(state, index);
  // A release that nobody answered may be decided yet: the lease is not the device's any more.
  const idle: Device = { ...device, asking: null };
  const next = device.asking?.verb === 'release' ? withoutLease(setting, idle) : idle;
  emit(index, 'hears nothing in time', withDevice({ ...state, world }, index, next), null);
}

/** What an answer that has come changes. */
export function finish(setting: Setting, state: State, index: number): State {
  const device = deviceAt(state, index);
  const { asking } = device;
  if (asking === null || asking.answer === null) return state;
  const idle: Device = { ...device, asking: null };
  const { kind } = asking.answer;
  if (asking.verb === 'acquire') return granted(setting, state, index, asking);
  if (asking.held === null) return withDevice(state, index, idle);
  if (asking.verb === 'renew') {
    if (kind !== 'renewed') return withDevice(state, index, withoutLease(setting, idle));
    // One that was forgotten meanwhile is not brought back by a word about the past.
    if (idle.held?.nonce !== asking.held.nonce) return withDevice(state, index, idle);
    return withDevice(state, index, renewed(setting, idle, { age: asking.age, held: asking.held }));
  }
  return withDevice(state, index, kind === 'claims-pending' ? idle : withoutLease(setting, idle));
}

/** The host's `forget`: what is on its way under a lease that is gone is called back. */
function withoutLease(setting: Setting, device: Device): Device {
  const { flight } = device;
  // What waits for the hold-off gets another signal afterwards; what has left is past calling back.
  const isOnItsWay =
    setting.rules.callsBackWhenLost && flight !== null && flight.stage !== 'claimed' && flight.stage !== 'running';
  return { ...device, held: null, flight: isOnItsWay ? { ...flight, isCalledBack: true } : flight };
}

function granted(setting: Setting, state: State, index: number, asking: Asking): State {
  const { answer } = asking;
  const idle: Device = { ...deviceAt(state, index), asking: null, nonce: null };
  if (answer === null || answer.kind !== 'granted') return withDevice(state, index, idle);
  const { mark, incarnation } = idle;
  const verdict = setting.rules.checkHighWater(
    { coordinatorId: AGENT, incarnation: String(mark.incarnation), epoch: mark.epoch },
    { coordinatorId: AGENT, incarnation: String(incarnation), epoch: answer.epoch, isNewGrant: !answer.isReplay },
  );
  if (verdict.kind !== 'fits') return withDevice(state, index, { ...idle, wentBack: true });
  const held: Held = {
    epoch: answer.epoch,
    nonce: asking.nonce,
    sent: setting.rules.leaseCountsFrom === 'send' ? asking.age : NO_AGE,
    holdOff: answer.holdOff ? NO_AGE : null,
    isDoubtful: false,
  };
  const epoch = Math.max(mark.epoch, answer.epoch);
  const holder = { ...idle, held, mark: { incarnation: mark.incarnation, epoch } };
  return tellWhatIsKnown(setting, withDevice(state, index, holder), index, answer.tail);
}

function renewed(setting: Setting, device: Device, of: { age: Asking['age']; held: Held }): Device {
  const at = setting.rules.leaseCountsFrom === 'send' ? of.age : NO_AGE;
  const now = setting.rules.renewHeldLease(heldLease(setting, of.held), readingAt(setting, at));
  const held: Held = { ...of.held, sent: ageOf(setting, now.sentAt), isDoubtful: now.isDoubtful };
  const left = claimLeft(setting, held);
  // Only what this process is carrying out is kept alive.
  const extend = (attempt: Attempt): Attempt =>
    attempt.token === device.flight?.token &&
    attempt.owner?.epoch === held.epoch &&
    attempt.progress !== 'settled' &&
    !attempt.isInDoubt
      ? { ...attempt, left }
      : attempt;
  return { ...device, held, attempts: device.attempts.map(extend) };
}
