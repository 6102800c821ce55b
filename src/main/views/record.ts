import { statSync } from 'node:fs';
import path from 'node:path';
import type { RecordCheckView, RecordView } from '../../shared/contract/record-views.ts';
import type { HostControl } from '../host/control.ts';
import { readRetention, RETENTION_SETTING } from '../host/sync/retention.ts';
import { readOne } from '../store/connection.ts';
import { backupFolderOf, listBackups } from '../store/list-backups.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** How large the record of this profile is, how long it is kept, what was copied of it, and whether it is whole. */
export function recordView(
  source: ViewSource,
  control: Pick<HostControl, 'readSetting'>,
  of: { readonly profileFolder: string; readonly check: RecordCheckView | null },
): RecordView {
  const { db } = source.connection;
  const file = path.join(of.profileFolder, 'fencepost.sqlite');
  const count = (table: string): number =>
    readOne<{ count: number }>(db, `SELECT count(*) AS count FROM ${table}`)?.count ?? 0;
  return {
    sequence: sequenceOf(source),
    databaseBytes: Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true })),
    logBytes: sizeOf(`${file}-wal`),
    journalEntries: count('ops'),
    condensedRuns: count('compacted_runs'),
    backups: backupsOf(file),
    retention: readRetention(control.readSetting(RETENTION_SETTING)),
    check: of.check,
  };
}

function backupsOf(file: string): RecordView['backups'] {
  const copies = listBackups(file).map((copy) => statSync(copy, { throwIfNoEntry: false }));
  return {
    folder: backupFolderOf(file),
    count: copies.length,
    bytes: copies.reduce((sum, copy) => sum + (copy?.size ?? 0), 0),
    newestAtMs: copies[0]?.mtimeMs ?? null,
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
