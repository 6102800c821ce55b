import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import { change, readOne, sha256 } from './connection.ts';
import { writeJournalHead } from './foreign-journals.ts';
import type { OpRow } from './journal-rows.ts';
import { readProfile, writeProfile } from './profile-values.ts';

/** The device that a profile is. */
const DEVICE_KEY = 'device-id';
/** Set on a record that must not go on as the device it was; the next start makes it another one. */
const MARK_KEY = 'new-identity';
/** The machine that the record was last used on, as a digest. */
const MACHINE_KEY = 'machine';
/** The device that this profile was last before it became the one it is. */
const BEFORE_KEY = 'device-id-before';
/** Set until the keys of the device before have been forgotten. */
const KEYS_DUE_KEY = 'new-keys-due';

const markSchema = z.strictObject({ reason: z.enum(['restored', 'asked']), by: z.string() });
type Mark = z.infer<typeof markSchema>;

/** Why a profile goes on as another device: a backup was put back, it was copied to another machine, or a person said so. */
export type NewIdentityReason = Mark['reason'] | 'copied';

/** Who a profile is, settled once when a host opens it and the same until it ends. */
export interface SettledIdentity {
  readonly deviceId: DeviceId;
  /** What this profile was until this start; `null` where it is the device that it was. */
  readonly renewed: { readonly reason: NewIdentityReason; readonly before: DeviceId; readonly by: string } | null;
  /** False where the machine does not say which one it is: a copy of the profile is not noticed then. */
  readonly isMachineKnown: boolean;
}

/** Lets the next start make this profile another device. Inside a write of the store, or on a copy that is prepared. */
export function markForNewIdentity(db: Database, mark: Mark): void {
  writeProfile(db, MARK_KEY, JSON.stringify(mark));
}

/** Whether the keys that the profile's secrets hold are those of the device it was before. */
export function areKeysDue(db: Database): boolean {
  return readProfile(db, KEYS_DUE_KEY) !== null;
}

/** The device that this profile was last; `null` where it was always the one it is. */
export function deviceBefore(db: Database): DeviceId | null {
  return readProfile(db, BEFORE_KEY) as DeviceId | null;
}

/** They are forgotten. Inside a write of the store. */
export function noteKeysForgotten(db: Database): void {
  writeProfile(db, KEYS_DUE_KEY, null);
}

/**
 * Answers which device this profile is, and makes it another one where two would be one otherwise: a record that was put back
 * would write a second story under its id, and a copy too. All at once or not at all, before anything else is written.
 * `machineId` is `null` where the machine does not say.
 */
export function settleIdentity(
  db: Database,
  of: { readonly newId: () => string; readonly machineId: string | null },
): SettledIdentity {
  return db.transaction(() => settle(db, of)).immediate();
}

function settle(
  db: Database,
  { newId, machineId }: { readonly newId: () => string; readonly machineId: string | null },
): SettledIdentity {
  const isMachineKnown = machineId !== null;
  const machine = machineId === null ? null : sha256(`fencepost-machine-v1 ${machineId}`);
  const machineBefore = readProfile(db, MACHINE_KEY);
  // Nothing is forgotten when a machine does not say for once which one it is.
  if (machine !== null && machine !== machineBefore) writeProfile(db, MACHINE_KEY, machine);
  const before = readProfile(db, DEVICE_KEY) as DeviceId | null;
  if (before === null) {
    const deviceId = newId() as DeviceId;
    writeProfile(db, DEVICE_KEY, deviceId);
    writeProfile(db, MARK_KEY, null);
    return { deviceId, renewed: null, isMachineKnown };
  }
  const isCopied = machine !== null && machineBefore !== null && machine !== machineBefore;
  const mark = readMark(db);
  if (mark === null && !isCopied) return { deviceId: before, renewed: null, isMachineKnown };
  const { reason, by } = mark ?? { reason: 'copied', by: '' };
  const deviceId = newId() as DeviceId;
  becomeAnother(db, { before, deviceId });
  // The one that was put back has a new life already.
  if (reason !== 'restored') change(db, 'UPDATE register_identity SET incarnation = ?', newId());
  writeProfile(db, MARK_KEY, null);
  return { deviceId, renewed: { reason, before, by }, isMachineKnown };
}

/** What was written so far stays, as the journal of another device; its own begins at 1. */
function becomeAnother(db: Database, { before, deviceId }: { before: DeviceId; deviceId: DeviceId }): void {
  const sql = 'SELECT * FROM ops WHERE device_id = ? ORDER BY journal_seq DESC LIMIT 1';
  const last = readOne<OpRow>(db, sql, before);
  if (last !== null) {
    const time = { wallMs: last.wall_ms, counter: last.counter };
    writeJournalHead(db, { deviceId: before, seq: last.journal_seq, opId: last.op_id, time });
  }
  // Whoever goes on as that device signs with the key that it told of.
  change(
    db,
    'INSERT OR IGNORE INTO journal_keys (device_id, public_key) SELECT device_id, public_key FROM sync_devices WHERE device_id = ?',
    before,
  );
  writeProfile(db, DEVICE_KEY, deviceId);
  writeProfile(db, BEFORE_KEY, before);
  writeProfile(db, KEYS_DUE_KEY, before);
}

/** A mark that does not read back still means that this record must not go on as it was. */
function readMark(db: Database): Mark | null {
  const text = readProfile(db, MARK_KEY);
  if (text === null) return null;
  try {
    return markSchema.parse(JSON.parse(text));
  } catch {
    return { reason: 'restored', by: '' };
  }
}
