import type { Database } from 'better-sqlite3';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import type { WaitEnd } from '../../shared/core/recovery/await-answer.ts';
import { change, readAll, readOne } from './connection.ts';

/** An unclear attempt that a person waits for, or waited for until something ended it. Wall ms. */
export interface AwaitedAnswer {
  readonly attemptToken: string;
  /** The device that made the attempt. */
  readonly deviceId: DeviceId;
  readonly sinceMs: number;
  readonly endedAtMs: number | null;
  readonly endedBecause: WaitEnd | null;
}

const COLUMNS = `attempt_token AS attemptToken, device_id AS deviceId, since_ms AS sinceMs, ended_at_ms AS endedAtMs,
  ended_because AS endedBecause`;

/** All of them, those that are over as well. */
export function readAwaited(db: Database): readonly AwaitedAnswer[] {
  return readAll<AwaitedAnswer>(db, `SELECT ${COLUMNS} FROM awaited_answers ORDER BY since_ms, attempt_token`);
}

/** What is remembered about one attempt; `null` for nothing. */
export function findAwaited(db: Database, attemptToken: string): AwaitedAnswer | null {
  return readOne<AwaitedAnswer>(db, `SELECT ${COLUMNS} FROM awaited_answers WHERE attempt_token = ?`, attemptToken);
}

/** Begins to wait, or begins again. Inside a write of the store, like the two below. */
export function writeAwaited(db: Database, of: Pick<AwaitedAnswer, 'attemptToken' | 'deviceId' | 'sinceMs'>): void {
  change(
    db,
    'INSERT OR REPLACE INTO awaited_answers (attempt_token, device_id, since_ms) VALUES (?,?,?)',
    of.attemptToken,
    of.deviceId,
    of.sinceMs,
  );
}

/** The question is asked again, and this is why. One that is over stays as it ended. */
export function endAwaited(
  db: Database,
  attemptToken: string,
  of: { readonly because: WaitEnd; readonly atMs: number },
): void {
  change(
    db,
    'UPDATE awaited_answers SET ended_at_ms = ?, ended_because = ? WHERE attempt_token = ? AND ended_at_ms IS NULL',
    of.atMs,
    of.because,
    attemptToken,
  );
}

/** Nothing is remembered about it any more. */
export function forgetAwaited(db: Database, attemptToken: string): void {
  change(db, 'DELETE FROM awaited_answers WHERE attempt_token = ?', attemptToken);
}
