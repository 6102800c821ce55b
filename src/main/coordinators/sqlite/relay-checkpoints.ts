import type { Database } from 'better-sqlite3';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { coversFrontier } from '../../../shared/core/sync/sealed.ts';
import type { CheckpointHeader } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { truncatedProblem, unfitProblem } from '../../hub/relay/relay-problem.ts';
import type { CheckpointPart } from '../../hub/relay/relay-storage.ts';
import { raiseToCheckpoint } from './relay-journals.ts';
import { readFrontier } from './relay-members.ts';

/** How many checkpoints one device can be handing over at once; the oldest makes room. */
const ARRIVING_PER_DEVICE = 2;
/** A checkpoint that is not whole by then will never be, ms. */
const ARRIVING_LIMIT_MS = 24 * 3_600_000;

interface Row {
  readonly checkpointId: string;
  readonly deviceId: DeviceId;
  readonly frontier: string;
  readonly partCount: number;
}

const SELECT_HEADER = `SELECT checkpoint_id AS checkpointId, device_id AS deviceId, frontier, part_count AS partCount
  FROM relay_checkpoint`;

/** The newest checkpoint that is whole. */
export function readNewest(db: Database): CheckpointHeader | null {
  const row = db.prepare(`${SELECT_HEADER} WHERE state = 'newest'`).get() as Row | undefined;
  return row === undefined ? null : { ...row, frontier: readFrontier(row.frontier) };
}

/** Whether a checkpoint is held already, or knows less than the newest one in any part. */
export function isPassedOver(db: Database, header: CheckpointHeader): boolean {
  const newest = readNewest(db);
  if (newest === null) return false;
  return newest.checkpointId === header.checkpointId || !coversFrontier(header.frontier, newest.frontier);
}

/** Writes down that a checkpoint is on its way in; nobody is shown it yet. */
export function beginArriving(
  db: Database,
  header: CheckpointHeader,
  of: { readonly uploadId: string; readonly uploader: DeviceId; readonly atMs: number },
): void {
  dropArriving(db, { uploader: of.uploader, keep: ARRIVING_PER_DEVICE - 1 });
  const insert = db.prepare(`INSERT INTO relay_checkpoint
    (upload_id, state, uploader, began_at_ms, checkpoint_id, device_id, frontier, part_count)
    VALUES (?, 'arriving', ?, ?, ?, ?, ?, ?)`);
  const { checkpointId, deviceId, frontier, partCount } = header;
  const atMs = Math.round(of.atMs);
  insert.run(of.uploadId, of.uploader, atMs, checkpointId, deviceId, JSON.stringify(frontier), partCount);
}

/** Keeps a part of a checkpoint on its way in. */
export function addPart(db: Database, { uploadId, deviceId, index, part }: CheckpointPart): Result<null, Problem> {
  const arriving = findArriving(db, { uploadId, deviceId });
  if (arriving === null) return err(notArrivingProblem());
  if (index >= arriving.partCount) return err(unfitProblem('The summary has one part too many.'));
  const keep = db.prepare('INSERT OR REPLACE INTO relay_part (upload_id, part, box) VALUES (?, ?, ?)');
  keep.run(uploadId, index, part);
  return ok(null);
}

/** Makes a checkpoint the newest if it is whole; one that was overtaken meanwhile is passed over. */
export function endArriving(db: Database, of: Pick<CheckpointPart, 'uploadId' | 'deviceId'>): Result<null, Problem> {
  const header = findArriving(db, of);
  if (header === null) return err(notArrivingProblem());
  const counted = db.prepare('SELECT count(*) AS count FROM relay_part WHERE upload_id = ?').get(of.uploadId);
  if ((counted as { count: number }).count !== header.partCount) {
    return err(unfitProblem('A part of the summary is missing.'));
  }
  const become = db.prepare('UPDATE relay_checkpoint SET state = ? WHERE upload_id = ?');
  if (isPassedOver(db, header)) {
    become.run('dropped', of.uploadId);
    return ok(null);
  }
  db.prepare(`UPDATE relay_checkpoint SET state = 'dropped' WHERE state = 'newest'`).run();
  become.run('newest', of.uploadId);
  raiseToCheckpoint(db, header.frontier);
  return ok(null);
}

/** One part of the newest checkpoint, as it was handed over. */
export function readPart(db: Database, checkpointId: string, index: number): Result<string, Problem> {
  const newest = `SELECT upload_id AS uploadId FROM relay_checkpoint WHERE state = 'newest' AND checkpoint_id = ?`;
  const found = db.prepare(newest).get(checkpointId) as { uploadId: string } | undefined;
  if (found === undefined) return err(truncatedProblem());
  const part = db.prepare('SELECT box FROM relay_part WHERE upload_id = ? AND part = ?').get(found.uploadId, index);
  return part === undefined ? err(unfitProblem('The summary has no such part.')) : ok((part as { box: string }).box);
}

/** Gives up what a device has begun to hand over, except the last `keep` of it. */
export function dropArriving(db: Database, of: { readonly uploader: DeviceId; readonly keep: number }): void {
  const drop = `UPDATE relay_checkpoint SET state = 'dropped' WHERE state = 'arriving' AND uploader = ? AND upload_id NOT IN (
    SELECT upload_id FROM relay_checkpoint WHERE state = 'arriving' AND uploader = ? ORDER BY rowid DESC LIMIT ?)`;
  db.prepare(drop).run(of.uploader, of.uploader, of.keep);
}

/** Gives up what was begun long ago and never became whole. */
export function dropStale(db: Database, nowMs: number): void {
  const drop = `UPDATE relay_checkpoint SET state = 'dropped' WHERE state = 'arriving' AND began_at_ms < ?`;
  db.prepare(drop).run(Math.round(nowMs - ARRIVING_LIMIT_MS));
}

/** Removes at most `limit` parts of checkpoints that were given up; answers how many. Less means that there are no more. */
export function removeDropped(db: Database, limit: number): number {
  const remove = db.prepare(`DELETE FROM relay_part WHERE rowid IN (SELECT relay_part.rowid FROM relay_part
    JOIN relay_checkpoint USING (upload_id) WHERE state = 'dropped' LIMIT ?)`);
  const removed = remove.run(limit).changes;
  if (removed < limit) db.prepare(`DELETE FROM relay_checkpoint WHERE state = 'dropped'`).run();
  return removed;
}

function findArriving(db: Database, of: Pick<CheckpointPart, 'uploadId' | 'deviceId'>): CheckpointHeader | null {
  const find = db.prepare(`${SELECT_HEADER} WHERE state = 'arriving' AND upload_id = ? AND uploader = ?`);
  const row = find.get(of.uploadId, of.deviceId) as Row | undefined;
  return row === undefined ? null : { ...row, frontier: readFrontier(row.frontier) };
}

function notArrivingProblem(): Problem {
  return unfitProblem('It is not expecting this part of a summary, or not any more.');
}
