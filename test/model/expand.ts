import { dispatchMoves } from './device-dispatch.ts';
import { finish, leaseAnswer, leaseMoves } from './device-lease.ts';
import { recoveryMoves } from './device-recovery.ts';
import { settleMoves } from './device-settle.ts';
import { brokenBetween } from './judge.ts';
import { deviceAt, remove, spend, withDevice } from './moves.ts';
import type { Emit } from './moves.ts';
import { announceAnswer, ask } from './register-side.ts';
import { replaceAttempt } from './rows.ts';
import type { Asked } from './register-side.ts';
import type { Device, Fault, Message, State } from './state.ts';
import { syncMoves } from './sync.ts';
import { pass } from './time.ts';
import type { Setting } from './time.ts';

/** The actor of steps that belong to no device. */
export const NOBODY = -1;

/** Every step that may come next, in a fixed order. */
export function expand(setting: Setting, state: State, emit: Emit): void {
  emit(NOBODY, 'time passes', pass(setting, state), null);
  for (const message of state.net) arrive(setting, state, message, emit);
  if (!setting.scenario.isEmbedded) registerFaults(setting, state, emit);
  for (let index = 0; index < state.devices.length; index += 1) {
    // Devices that nobody has touched are alike: the first of them stands for all.
    if (index > 0 && !deviceAt(state, index - 1).isTouched) break;
    const before = deviceAt(state, index);
    const touch: Emit = (actor, text, next, broken) =>
      emit(actor, text, touched(next, index), broken ?? brokenBetween(before, deviceAt(next, index)));
    deviceMoves(setting, state, index, setting.scenario.network === 'slow' ? touch : directly(setting, index, touch));
  }
}

/** No wire: what a step asked is decided and heard within it; or the question or its answer is lost. */
function directly(setting: Setting, index: number, emit: Emit): Emit {
  return (actor, text, next, broken) => {
    if (next.net.length === 0) return emit(actor, text, next, broken);
    let decided: State = { ...next, net: [] };
    let fault = broken;
    for (const message of next.net) {
      if (message.incarnation !== decided.register.incarnation) continue;
      const asked = ask(setting, decided.register, message.verb);
      decided = answer(setting, { ...decided, register: asked.register }, { message, asked });
      fault ??= asked.broken;
    }
    const world = spend(next.world, 'loss');
    const heard = finish(setting, decided, index);
    const isOver = deviceAt(heard, index).asking === null;
    if (heard.net.length > 0) directly(setting, index, emit)(actor, text, heard, fault);
    else if (isOver) emit(actor, text, heard, fault);
    if (world === null && isOver) return;
    // A register that is not there any more answers nobody: that costs no further fault.
    const poorer = isOver && world !== null ? world : next.world;
    emit(actor, `${text}, and the question is lost`, unheard({ ...next, world: poorer }, index, next.net), broken);
    emit(actor, `${text}, and the answer is lost`, unheard({ ...decided, world: poorer }, index, next.net), fault);
  };
}

/** Nothing came back: no question is open any more, and an announce that was among them allows nothing. */
function unheard(state: State, index: number, asked: readonly Message[]): State {
  const device = deviceAt(state, index);
  const isAnnounce = asked.some(({ verb }) => verb.verb === 'announce');
  const isDecision = device.deciding !== null && asked.some(({ verb }) => verb.verb === 'settle-tail');
  const next: Device = {
    ...device,
    asking: null,
    flight: isAnnounce ? null : device.flight,
    deciding: isDecision && device.deciding !== null ? { ...device.deciding, answer: 'unreachable' } : device.deciding,
  };
  return withDevice({ ...state, net: [] }, index, next);
}

function touched(state: State, index: number): State {
  const device = deviceAt(state, index);
  return device.isTouched || state.devices.length === 1
    ? state
    : withDevice(state, index, { ...device, isTouched: true });
}

function deviceMoves(setting: Setting, state: State, index: number, emit: Emit): void {
  const device = deviceAt(state, index);
  if (device.isAsleep) {
    const { held, flight } = device;
    const noticed: Device = {
      ...device,
      isAsleep: false,
      held: held === null ? null : { ...held, isDoubtful: true },
      flight: flight === null ? null : { ...flight, isSuspendSeen: true },
    };
    emit(index, 'wakes, and is told that it slept', withDevice(state, index, noticed), null);
    emit(index, 'wakes, and is told nothing', withDevice(state, index, { ...device, isAsleep: false }), null);
    return;
  }
  leaseMoves(setting, state, index, emit);
  dispatchMoves(setting, state, index, emit);
  settleMoves(setting, state, index, emit);
  recoveryMoves(setting, state, index, emit);
  if (state.world.budget.sync > 0) syncMoves(state, index, emit);
  deviceFaults(state, index, emit);
}

/** A question reaches the register. It may also stay on the wire for ever, or come a second time. */
function arrive(setting: Setting, state: State, message: Message, emit: Emit): void {
  const { from, verb } = message;
  const net = remove(state.net, message);
  if (message.incarnation !== state.register.incarnation) {
    emit(NOBODY, `a question of device ${from + 1} reaches no register any more`, { ...state, net }, null);
    return;
  }
  if (verb.verb === 'acquire' && state.register.record.epoch >= setting.scenario.epochs) return;
  const asked = ask(setting, state.register, verb);
  const next = answer(setting, { ...state, register: asked.register, net }, { message, asked });
  emit(NOBODY, `the register decides ${verb.verb} of device ${from + 1}: ${asked.reply.kind}`, next, asked.broken);
  const world = spend(state.world, 'duplicate');
  if (world === null) return;
  const kept = { ...next, world, net: state.net };
  emit(NOBODY, `the register decides ${verb.verb} of device ${from + 1}, which will come again`, kept, asked.broken);
}

/** The answer waits at the device that still expects it; at any other it is nothing. */
function answer(setting: Setting, state: State, { message, asked }: { message: Message; asked: Asked }): State {
  const { from, verb } = message;
  const device = deviceAt(state, from);
  if (device.incarnation !== message.incarnation) return state;
  if (verb.verb === 'announce') {
    const { flight } = device;
    if (flight === null || flight.stage !== 'announcing' || flight.token !== verb.entry.attemptToken) return state;
    const answered = { ...flight, stage: 'answered', answer: announceAnswer(setting, asked, flight) } as const;
    return withDevice(state, from, { ...device, flight: answered });
  }
  if (verb.verb === 'settle-tail') {
    const { deciding } = device;
    if (deciding === null || deciding.answer !== 'none' || deciding.token !== verb.attemptToken) return state;
    if (verb.status !== 'committed') return state;
    const { kind } = asked.reply;
    const said = kind === 'lost' ? 'unreachable' : kind === 'settled-otherwise' ? kind : 'settled';
    return withDevice(state, from, { ...device, deciding: { ...deciding, answer: said } });
  }
  const { asking } = device;
  const nonce = verb.verb === 'acquire' || verb.verb === 'renew' ? verb.nonce : asking?.nonce;
  if (asking === null || asking.answer !== null || asking.verb !== verb.verb || asking.nonce !== nonce) return state;
  return withDevice(state, from, { ...device, asking: { ...asking, answer: leaseAnswer(asked, from) } });
}

function registerFaults(setting: Setting, state: State, emit: Emit): void {
  const { register } = state;
  const fault = (kind: Fault, text: string, changes: Partial<typeof register>): void => {
    const world = spend(state.world, kind);
    if (world !== null) emit(NOBODY, text, { ...state, world, register: { ...register, ...changes } }, null);
  };
  if (register.left > 0) fault('early-end', 'the register lets the lease run out early', { left: 0 });
  if (register.backup === null) fault('backup', 'somebody copies the register', { backup: register.record });
  if (register.backup !== null) {
    const incarnation = register.incarnation + (setting.scenario.restoreKeepsName ? 0 : 1);
    fault('restore', 'somebody puts the old copy back', { record: register.backup, left: 0, incarnation });
  }
}

function deviceFaults(state: State, index: number, emit: Emit): void {
  const device = deviceAt(state, index);
  const fault = (kind: Fault, text: string, next: Device): void => {
    const world = spend(state.world, kind);
    if (world !== null) emit(index, text, withDevice({ ...state, world }, index, next), null);
  };
  fault('crash', 'crashes and starts again', restarted(device, state.register.incarnation));
  fault('sleep', 'falls asleep, its monotonic clock with it', { ...device, isAsleep: true });
  if (!device.isStopped && device.phase !== 'ended') {
    const isOpen = device.phase === 'acting' || device.phase === 'needs-recovery';
    const phase = isOpen ? device.phase : 'ended';
    fault('stop', 'a person stops the run', { ...device, isStopped: true, phase });
  }
  for (const attempt of device.attempts) {
    if (attempt.progress !== 'in-flight' || attempt.owner === null || device.flight !== null) continue;
    fault(
      'row-loss',
      `the owner of ${attempt.token} is lost from the store`,
      replaceAttempt(device, attempt.token, { owner: null }),
    );
  }
}

function restarted(device: Device, incarnation: number): Device {
  return {
    ...device,
    host: device.host + 1,
    incarnation,
    held: null,
    wentBack: false,
    nonce: null,
    asking: null,
    flight: null,
    deciding: null,
  };
}
