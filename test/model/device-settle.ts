import type { RegisterVerb, TailOutcome } from '../../src/shared/core/lease/register.ts';
import { attemptOf, deviceId, edgeFrom } from './names.ts';
import { deviceAt, post, spend, withDevice } from './moves.ts';
import type { Emit } from './moves.ts';
import { ask } from './register-side.ts';
import { claimOf, markInDoubt, replaceAttempt } from './rows.ts';
import type { Attempt, Device, State } from './state.ts';
import type { Setting } from './time.ts';

/** A next moment and the invariant that broke on the way to it. */
export interface Outcome {
  readonly state: State;
  readonly broken: string | null;
}

interface Entry {
  readonly effect: number;
  readonly token: string;
  readonly status: TailOutcome;
}

/** Tells the tail how an attempt ended, under the epoch it was made in; nobody waits for the answer. */
export function settleTail(setting: Setting, state: State, index: number, of: Entry & { epoch?: number }): State {
  const device = deviceAt(state, index);
  const attempt = attemptOf(of.effect, of.token);
  const base = { verb: 'settle-tail', ...attempt, status: of.status, opId: 'op', seq: device.commits.length } as const;
  if (setting.scenario.isEmbedded) {
    const { holder, epoch } = state.register.record;
    if (holder === null) return state;
    const settled = ask(setting, state.register, { ...base, deviceId: holder, epoch });
    const pruned = ask(setting, settled.register, {
      verb: 'prune-tail',
      uptoSeq: device.commits.length,
      deviceId: holder,
      epoch,
    });
    // Its own journal is the only one there is: how far the frontier has come tells nothing new.
    return { ...state, register: { ...pruned.register, record: { ...pruned.register.record, frontier: {} } } };
  }
  const epoch = of.epoch ?? device.held?.epoch;
  if (epoch === undefined) return state;
  const verb: RegisterVerb = { ...base, deviceId: deviceId(index), epoch };
  return { ...state, net: post(state.net, index, device.incarnation, verb) };
}

/** The store's `recordSettlement` with a success: outcome, oracle and the edge, in one transaction. */
export function settleStep(
  setting: Setting,
  state: State,
  index: number,
  of: { effect: number; token: string },
): Outcome {
  const settled = replaceAttempt(deviceAt(state, index), of.token, { progress: 'settled', outcome: 'success' });
  const commits = [...settled.commits, of.effect];
  const device: Device = { ...settled, oracle: settled.oracle | (1 << of.effect), commits };
  const world = { ...state.world, committed: state.world.committed | (1 << of.effect) };
  let next: State = withDevice({ ...state, world }, index, device);
  if (setting.scenario.isEmbedded) next = settleTail(setting, next, index, { ...of, status: 'committed' });
  return releaseStep(setting, next, index, { ...of, isLast: false });
}

/** The store's `releaseStep`. `isLast`: no edge leads on (a person stopped here). */
export function releaseStep(
  setting: Setting,
  state: State,
  index: number,
  of: { effect: number; token: string; isLast: boolean },
): Outcome {
  const device = deviceAt(state, index);
  if (device.phase === 'ended') return { state, broken: null };
  const bit = 1 << of.effect;
  const edge = edgeFrom(of.effect);
  const attempt = attemptOf(of.effect, of.token);
  const admission = setting.rules.releaseSuccessors(
    {
      barrierActive: false,
      stopRequested: device.isStopped,
      stateHasVisits: true,
      currentStateVisit: device.step === of.effect ? 1 : null,
      admittedAttempts: [attempt],
      isReleased: (device.released & bit) !== 0,
    },
    { attempt, edges: of.isLast ? [] : [edge], ...edge },
  );
  if (admission.kind === 'refused') {
    const ended: Device = admission.reason === 'stop-requested' ? { ...device, phase: 'ended' } : device;
    return { state: withDevice(state, index, ended), broken: null };
  }
  if (admission.successors.length === 0) {
    return { state: withDevice(state, index, { ...device, phase: 'ended' }), broken: null };
  }
  const step = of.effect + 1;
  const isDone = step >= setting.scenario.effects;
  const moved: Device = { ...device, step, phase: isDone ? 'ended' : 'ready', released: device.released | bit };
  const isTwice = (device.released & bit) !== 0;
  return { state: withDevice(state, index, moved), broken: isTwice ? 'an edge was released twice' : null };
}

/** The effect has answered, or has not: the executor reports. */
export function settleMoves(setting: Setting, state: State, index: number, emit: Emit): void {
  const device = deviceAt(state, index);
  const { flight } = device;
  if (flight?.stage === 'running') {
    const owner = { device: index, host: device.host, epoch: flight.epoch };
    report(setting, state, index, { flight, owner, isClear: true, emit });
    reportTwice(setting, state, index, { flight, owner, isClear: true, emit });
    const world = spend(state.world, 'unclear');
    if (world !== null) report(setting, { ...state, world }, index, { flight, owner, isClear: false, emit });
  }
  const world = spend(state.world, 'stranger');
  if (world === null) return;
  for (const attempt of device.attempts) {
    const { owner } = attempt;
    if (owner === null || owner.host === device.host || attempt.progress === 'settled') continue;
    const stranger = { ...owner, host: device.host };
    report(setting, { ...state, world }, index, { flight: attempt, owner: stranger, isClear: true, emit });
  }
}

interface Report {
  readonly flight: { readonly effect: number; readonly token: string };
  readonly owner: NonNullable<Attempt['owner']>;
  readonly isClear: boolean;
  readonly emit: Emit;
}

/** A disk error: nobody knows whether the report was written down, so it is made once more. */
function reportTwice(setting: Setting, state: State, index: number, of: Report): void {
  const world = spend(state.world, 'twice');
  if (world === null) return;
  const { flight } = deviceAt(state, index);
  const emit: Emit = (actor, text, next, broken) => {
    const again = withDevice(next, index, { ...deviceAt(next, index), flight });
    of.emit(actor, `${text}, and is not told that it was written down`, again, broken);
  };
  report(setting, { ...state, world }, index, { ...of, emit });
}

/** The store's `settleAttempt`, then the tail. */
function report(setting: Setting, state: State, index: number, { flight, owner, isClear, emit }: Report): void {
  const before = deviceAt(state, index);
  const attempt = before.attempts.find((each) => each.token === flight.token);
  const isOwn = before.flight?.token === flight.token;
  const landed = withDevice(state, index, isOwn ? { ...before, flight: null } : before);
  const lease = attempt === undefined ? null : claimOf(setting, attempt);
  if (attempt === undefined || lease === null) return emit(index, 'reports, and is a stranger', landed, null);
  const verdict = setting.rules.settleEffect({
    lease,
    progress: attempt.progress,
    recordedOutputDigest: attempt.outcome === 'success' ? 'output' : null,
    isInDoubt: attempt.isInDoubt,
    completion: {
      ...attemptOf(attempt.effect, attempt.token),
      owner: { deviceId: deviceId(owner.device), hostId: `${owner.device}.${owner.host}`, epoch: owner.epoch },
      outputDigest: isClear ? 'output' : 'unclear',
    },
  });
  const who = isOwn ? 'reports' : 'a later start reports in its predecessor’s place';
  const text = `${who}: ${attempt.token} ${isClear ? 'succeeded' : 'is unclear'} (${verdict.kind})`;
  if (verdict.kind !== 'accepted') return emit(index, text, landed, null);
  const broken = isOwn ? null : 'a settlement by a stranger changed the record';
  if (!isClear) {
    return emit(index, text, withDevice(landed, index, markInDoubt(deviceAt(landed, index), attempt.token)), broken);
  }
  const settled = settleStep(setting, landed, index, attempt);
  const told = setting.scenario.isEmbedded
    ? settled.state
    : settleTail(setting, settled.state, index, {
        effect: attempt.effect,
        token: attempt.token,
        status: 'committed',
        epoch: owner.epoch,
      });
  emit(index, text, told, broken ?? settled.broken);
}
