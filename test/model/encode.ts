import type { AnnouncePermit, RegisterRecord, TailEntry } from '../../src/shared/core/lease/register.ts';
import { FAULTS } from './state.ts';
import type { Age, Asking, Attempt, Device, Flight, Held, Message, Register, World } from './state.ts';

// Short texts, equal exactly when two parts are equal. Small numbers are written as digits with a mark in between.

function age(of: Age | null): string {
  return of === null ? '-' : `${of.ticks}/${of.slept}`;
}

function held(of: Held | null): string {
  return of === null ? '-' : `${of.epoch}${of.nonce},${age(of.sent)},${age(of.holdOff)}${of.isDoubtful ? '!' : ''}`;
}

function permit(of: AnnouncePermit | null): string {
  return of === null ? '-' : `${of.reason}${of.attemptToken}${of.status}`;
}

function entry(of: TailEntry | null): string {
  if (of === null) return '-';
  return `${of.effect.effectKey}${of.attemptToken}${of.deviceId}${of.epoch}${of.status}${of.seq ?? ''}`;
}

/** Without those of whom nothing has to be folded: the model drops no entries, and no rule in it asks who ever held the agent. */
function frontier(of: RegisterRecord['frontier']): string {
  return Object.entries(of)
    .filter(([, seq]) => seq > 0)
    .join('.');
}

function asking(of: Asking | null): string {
  if (of === null) return '-';
  const { answer } = of;
  const back =
    answer === null
      ? ''
      : `${answer.kind}${answer.epoch}${answer.holdOff ? 'h' : ''}${answer.isReplay ? 'r' : ''}[${answer.tail.map(entry).join(',')}]`;
  return `${of.verb}${of.nonce};${age(of.age)};${held(of.held)};${back}`;
}

function flight(of: Flight | null): string {
  if (of === null) return '-';
  const { answer } = of;
  const back =
    answer === null
      ? ''
      : `${answer.reply}${entry(answer.named)};${answer.holder ?? '-'};${answer.epoch};${entry(answer.blocking)}${frontier(answer.frontier)}`;
  const flags = `${of.isClaimed ? 'c' : ''}${of.isSuspendSeen ? 's' : ''}${of.isCalledBack ? 'x' : ''}`;
  return `${of.effect}${of.token}#${of.number};${permit(of.permit)};${of.epoch};${of.left};${age(of.fence)};${of.stage}${flags};${back}`;
}

function attempt(of: Attempt): string {
  const owner = of.owner === null ? '-' : `${of.owner.device}.${of.owner.host}.${of.owner.epoch}`;
  return `${of.effect}${of.token}#${of.number};${owner};${of.left};${of.progress}${of.isInDoubt ? '?' : ''}${of.decision}${of.outcome}`;
}

export function encodeDevice(of: Device): string {
  const nonce = of.nonce === null ? '-' : `${of.nonce.name}${age(of.nonce.age)}`;
  const deciding = of.deciding === null ? '-' : `${of.deciding.token}${of.deciding.answer}`;
  const flags = `${of.isStopped ? 's' : ''}${of.wentBack ? 'b' : ''}${of.isAsleep ? 'z' : ''}${of.isTouched ? 't' : ''}`;
  const facts = `${of.oracle},${of.mark.incarnation}.${of.mark.epoch},${of.step}${of.phase},${of.released},${of.made},${of.commits.join('')}.${of.pushed}.${of.folded.join('')},${of.host},${of.incarnation}`;
  return `${facts}${flags}|${of.attempts.map(attempt).join('&')}|${held(of.held)}|${nonce}|${asking(of.asking)}|${flight(of.flight)}|${deciding}`;
}

function record(of: RegisterRecord | null): string {
  if (of === null) return '-';
  return `${of.epoch},${of.holder ?? ''},${of.nonce ?? ''}${of.isUnclean ? '!' : ''}[${of.tail.map(entry).join(',')}]${frontier(of.frontier)}`;
}

export function encodeRegister(of: Register): string {
  return `${record(of.record)};${of.left};${of.incarnation};${record(of.backup)}`;
}

export function encodeNet(of: readonly Message[]): string {
  return of.map((message) => message.key).join('|');
}

export function encodeWorld(of: World): string {
  const lists = [...of.sends, ...of.approvals].map((list) => list.join(',')).join('|');
  return `${lists}|${of.committed}|${of.topEpoch}|${FAULTS.map((fault) => of.budget[fault]).join(',')}`;
}
