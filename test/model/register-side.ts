import { blockingEntry } from './tail.ts';
import type { RegisterReply, RegisterVerb } from '../../src/shared/core/lease/register.ts';
import { deviceIndex } from './names.ts';
import type { AnnounceAnswer, Register } from './state.ts';
import type { Setting } from './time.ts';

/** What the register decided, and the invariant that broke in doing so. */
export interface Asked {
  readonly register: Register;
  readonly reply: RegisterReply;
  readonly broken: string | null;
}

/** The storage's part: it brings the record and its own clock, and keeps what `applyVerb` decided. */
export function ask(setting: Setting, register: Register, verb: RegisterVerb): Asked {
  const step = setting.rules.applyVerb(register.record, verb, register.left > 0);
  const { record, reply } = step;
  const term = Math.ceil(setting.scenario.ttlMs / setting.scenario.tickMs);
  const left = step.leaseClock === 'keep' ? register.left : step.leaseClock === 'restart' ? term : 0;
  if (record === register.record && left === register.left) return { register, reply, broken: null };
  return { register: { ...register, record, left }, reply, broken: brokenBy(register, record.epoch, left) };
}

function brokenBy(before: Register, epoch: number, left: number): string | null {
  if (epoch < before.record.epoch) return 'I2: an epoch went down';
  const isRevived = before.record.holder !== null && before.left === 0 && left > 0 && epoch === before.record.epoch;
  return isRevived ? 'I3: a lease that had run out was renewed' : null;
}

/** An announce as its sender sees it: the answer, and the view that comes with it. */
export function announceAnswer(
  setting: Setting,
  asked: Pick<Asked, 'register' | 'reply'>,
  of: { effect: number; token: string },
): AnnounceAnswer {
  const { reply } = asked;
  const { record } = asked.register;
  const isNo = reply.kind === 'still-open' || reply.kind === 'already-committed' || reply.kind === 'settled-otherwise';
  const kind = isNo || reply.kind === 'announced' || reply.kind === 'lost' ? reply.kind : 'other';
  return {
    reply: kind,
    named: isNo ? reply.entry : null,
    holder: record.holder === null ? null : deviceIndex(record.holder),
    epoch: record.epoch,
    frontier: record.frontier,
    blocking: blockingEntry(setting, record.tail, of),
  };
}
