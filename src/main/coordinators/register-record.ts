import type { RegisterRecord } from '../../shared/core/lease/register.ts';
import { TAIL_LENGTH_LIMIT } from '../../shared/core/lease/tail.ts';

/** A row of a register that is not what a register writes. Nothing may be decided on it. */
export class CorruptRegisterError extends Error {
  override readonly name = 'CorruptRegisterError';
}

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string' && value !== '';
const count: Check = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const flag: Check = (value) => typeof value === 'boolean';
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

/** Exactly these members: one more means that a newer program wrote it, and its meaning is not known here. */
function shape(members: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>> = {}): Check {
  const checks = Object.entries(members);
  const mayBe = Object.entries(optional);
  return (value) => {
    if (!isObject(value)) return false;
    const extra = mayBe.filter(([name]) => Object.hasOwn(value, name));
    if (Object.keys(value).length !== checks.length + extra.length) return false;
    return [...checks, ...extra].every(([name, check]) => Object.hasOwn(value, name) && check(value[name]));
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isEntry = shape({
  effect: shape({ agentId: text, runId: text, effectKey: text }),
  attemptToken: text,
  deviceId: text,
  epoch: count,
  status: (value) => value === 'open' || value === 'committed' || value === 'failed',
  opId: orNull(text),
  seq: orNull(count),
  digest: text,
});

const isShapedRecord = shape(
  {
    epoch: count,
    holder: orNull(text),
    nonce: orNull(text),
    ttlMs: count,
    isUnclean: flag,
    tail: (value) => Array.isArray(value) && value.every(isEntry),
    frontier: (value) => isObject(value) && Object.values(value).every(count),
  },
  {
    takeover: (value) => value === 'by-person',
    movedTo: shape({ coordinatorId: text, incarnation: text, name: text }),
    adopted: (value) =>
      Array.isArray(value) && value.every(shape({ coordinatorId: text, incarnation: text, epoch: count })),
  },
);

/** What holds between the members of every record that `applyVerb` can make. */
function isConsistent({ epoch, holder, nonce, ttlMs, tail, movedTo }: RegisterRecord): boolean {
  if ((holder === null) !== (nonce === null)) return false;
  if (holder !== null && (epoch === 0 || ttlMs === 0)) return false;
  if (holder !== null && movedTo !== undefined) return false;
  if (tail.length > TAIL_LENGTH_LIMIT) return false;
  return tail.every((entry) => {
    const isOpen = entry.status === 'open';
    return entry.epoch <= epoch && isOpen === (entry.opId === null) && isOpen === (entry.seq === null);
  });
}

function isRecord(value: unknown): value is RegisterRecord {
  return isShapedRecord(value) && isConsistent(value as RegisterRecord);
}

/**
 * The text a register keeps of one agent. Checked before it is written, so that a wrong number is a fault of the verb that
 * brought it and never a row that nobody can read again.
 * @throws TypeError for a record that would not read back; that is a bug in the caller.
 */
export function encodeRecord(record: RegisterRecord): string {
  if (!isRecord(record)) throw new TypeError('This record would not read back as it is.');
  return JSON.stringify(record);
}

/**
 * Reads it back, strictly: a row is trusted as a whole or not at all.
 * @throws CorruptRegisterError
 */
export function decodeRecord(stored: string): RegisterRecord {
  let value: unknown;
  try {
    value = JSON.parse(stored);
  } catch {
    throw new CorruptRegisterError('A row of the register is not readable.');
  }
  if (!isRecord(value)) throw new CorruptRegisterError('A row of the register does not read back as it was written.');
  return value;
}
