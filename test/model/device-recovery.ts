import type { TailEntry } from '../../src/shared/core/lease/register.ts';
import type { RecoveryChoice, RecoveryFacts } from '../../src/shared/core/recovery/recovery-options.ts';
import { releaseStep, settleStep, settleTail } from './device-settle.ts';
import { attemptOf, deviceId, DIGEST, effectOf } from './names.ts';
import { deviceAt, post, spend, withDevice } from './moves.ts';
import type { Emit } from './moves.ts';
import { claimOf, markInDoubt, replaceAttempt } from './rows.ts';
import type { Attempt, Device, State } from './state.ts';
import { heldLease } from './time.ts';
import type { Setting } from './time.ts';

/** The host's `reconcileTail`: what this device's own record knows about its own open entries. */
export function tellWhatIsKnown(setting: Setting, state: State, index: number, tail: readonly TailEntry[]): State {
  let next = state;
  for (const entry of setting.scenario.isEmbedded ? [] : tail) {
    if (entry.status !== 'open' || deviceAt(state, index).flight?.token === entry.attemptToken) continue;
    const attempt = deviceAt(state, index).attempts.find((each) => each.token === entry.attemptToken);
    if (attempt !== undefined && (attempt.progress !== 'settled' || attempt.outcome === 'none')) continue;
    const status = attempt?.outcome === 'success' ? 'committed' : 'withdrawn';
    const effect = entry.effect.effectKey === effectOf(0).effectKey ? 0 : 1;
    next = settleTail(setting, next, index, { effect, token: entry.attemptToken, status });
  }
  return next;
}

/** What a device does about what did not finish. */
export function recoveryMoves(setting: Setting, state: State, index: number, emit: Emit): void {
  const device = deviceAt(state, index);
  if (device.held === null || device.deciding !== null) {
    if (device.deciding !== null) afterTail(setting, state, index, emit);
    return;
  }
  sweep(setting, state, index, emit);
  if (setting.rules.leaseStanding(heldLease(setting, device.held), setting.now).kind !== 'live') return;
  for (const attempt of device.attempts) {
    if (!attempt.isInDoubt || attempt.progress === 'settled') continue;
    if (attempt.decision === 'none') repeat(setting, state, index, { attempt, emit });
    decide(setting, state, index, { attempt, emit });
  }
}

function sweep(setting: Setting, state: State, index: number, emit: Emit): void {
  let next = state;
  for (const attempt of deviceAt(state, index).attempts) {
    const device = deviceAt(next, index);
    const claim = claimOf(setting, attempt);
    if (attempt.progress === 'settled' || attempt.isInDoubt || attempt.decision !== 'none' || claim === null) continue;
    const isMine = attempt.owner?.host === device.host && device.flight?.token === attempt.token;
    if (isMine && attempt.owner?.device === index) continue;
    const verdict = setting.rules.recoverClaim(claim, attempt.progress, setting.nowInstant);
    if (verdict.kind === 'reclaimable') {
      const closed = replaceAttempt(device, attempt.token, { progress: 'settled', outcome: 'unsent' });
      next = withDevice(next, index, { ...closed, phase: closed.phase === 'ended' ? 'ended' : 'ready' });
      next = settleTail(setting, next, index, { effect: attempt.effect, token: attempt.token, status: 'withdrawn' });
    }
    if (verdict.kind === 'in-doubt') next = withDevice(next, index, markInDoubt(device, attempt.token));
  }
  if (next !== state) emit(index, 'sweeps: judges what was left behind', next, null);
}

interface Unclear {
  readonly attempt: Attempt;
  readonly emit: Emit;
}

function repeat(setting: Setting, state: State, index: number, { attempt, emit }: Unclear): void {
  const { effectKind } = setting.scenario;
  const verdict = setting.rules.automaticRecovery({
    effectKind,
    dedupeUntilMs: effectKind === 'blind' ? null : setting.now.wallMs + 1,
    nowMs: setting.now.wallMs,
    isProbeSilent: false,
    attemptNumber: attempt.number,
    isRepeatRefused: false,
  });
  if (verdict.kind !== 'repeat') return;
  const device = replaceAttempt(deviceAt(state, index), attempt.token, { decision: 'repeat' });
  const next = approve(withDevice(state, index, { ...device, phase: readyAgain(device) }), attempt);
  emit(index, `repeats ${attempt.token} by its kind`, next, null);
}

function readyAgain(device: Device): Device['phase'] {
  return device.phase === 'ended' ? 'ended' : 'ready';
}

/** The approval that I1 counts: distinct by the attempt it is about. */
function approve(state: State, attempt: Attempt): State {
  const { world } = state;
  const approvals = world.approvals.map((list, effect) =>
    effect !== attempt.effect || list.includes(attempt.token) ? list : [...list, attempt.token].toSorted(),
  );
  return { ...state, world: { ...world, approvals } };
}

function factsFor(setting: Setting, device: Device, attempt: Attempt): RecoveryFacts {
  const { effectKind } = setting.scenario;
  return {
    effectKind,
    attemptNumber: attempt.number,
    isDecided: attempt.decision !== 'none' || (attempt.progress === 'settled' && attempt.isInDoubt),
    isRunStopped: device.isStopped,
    nextOnSuccess: 'next',
    nextOnUnclear: null,
    laterSteps: [],
    hasUndo: false,
    isDestructive: false,
    dedupeUntilMs: null,
    nowMs: setting.now.wallMs,
    evidence: null,
  };
}

function decide(setting: Setting, state: State, index: number, { attempt, emit }: Unclear): void {
  const world = spend(state.world, 'decision');
  if (world === null) return;
  for (const choice of ['it-happened', 'send-again', 'stop-here'] as const) {
    if (choice === 'it-happened' && !setting.scenario.isEmbedded) {
      if (attempt.decision !== 'none') continue;
      const asked = askTail({ ...state, world }, index, attempt);
      emit(index, `a person says of ${attempt.token}: it happened (the tail is asked first)`, asked, null);
      continue;
    }
    applyDecision(setting, { ...state, world }, index, { attempt, choice, emit });
  }
}

function askTail(state: State, index: number, attempt: Attempt): State {
  const device = deviceAt(state, index);
  const verb = {
    verb: 'settle-tail',
    ...attemptOf(attempt.effect, attempt.token),
    status: 'committed',
    opId: 'op',
    seq: device.commits.length + 1,
    deviceId: deviceId(index),
    epoch: device.held?.epoch ?? 0,
  } as const;
  const net = post(state.net, index, device.incarnation, verb);
  return withDevice({ ...state, net }, index, { ...device, deciding: { token: attempt.token, answer: 'none' } });
}

function afterTail(setting: Setting, state: State, index: number, emit: Emit): void {
  const device = deviceAt(state, index);
  const { deciding } = device;
  if (deciding === null) return;
  const idle = withDevice(state, index, { ...device, deciding: null });
  const attempt = device.attempts.find((each) => each.token === deciding.token);
  if (deciding.answer === 'settled' && attempt !== undefined) {
    applyDecision(setting, idle, index, { attempt, choice: 'it-happened', emit });
    return;
  }
  if (deciding.answer !== 'none') {
    emit(index, `the decision is not taken: ${deciding.answer}`, idle, null);
    return;
  }
  const world = spend(state.world, 'loss');
  if (world !== null) emit(index, 'the tail does not answer in time', { ...idle, world }, null);
}

interface Deciding extends Unclear {
  readonly choice: Exclude<RecoveryChoice, 'undo-then-send'>;
}

function applyDecision(setting: Setting, state: State, index: number, { attempt, choice, emit }: Deciding): void {
  const device = deviceAt(state, index);
  const binding = { attemptToken: attemptOf(0, attempt.token).attemptToken, inputDigest: DIGEST, epoch: 0 };
  const facts = factsFor(setting, device, attempt);
  const verdict = setting.rules.checkDecision(choice, binding, { ...binding, facts });
  if (verdict.kind !== 'applies') {
    emit(index, `a person decides about ${attempt.token}: ${verdict.kind}`, state, null);
    return;
  }
  const broken =
    attempt.decision === 'none' ? null : 'I1: a decision about one attempt was taken twice on the same device';
  const decided = withDevice(state, index, replaceAttempt(device, attempt.token, { decision: choice }));
  const text = `a person decides about ${attempt.token}: ${choice}`;
  if (choice === 'send-again') {
    const ready = { ...deviceAt(decided, index), phase: readyAgain(device) };
    emit(index, text, approve(withDevice(decided, index, ready), attempt), broken);
  } else if (choice === 'it-happened') {
    const settled = settleStep(setting, decided, index, { effect: attempt.effect, token: attempt.token });
    emit(index, text, settled.state, broken ?? settled.broken);
  } else {
    const ended = releaseStep(setting, decided, index, { effect: attempt.effect, token: attempt.token, isLast: true });
    emit(index, text, ended.state, broken ?? ended.broken);
  }
}
