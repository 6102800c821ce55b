import { expect, it } from 'vitest';
import path from 'node:path';
import { readAll } from '../connection.ts';
import { openDatabase } from '../database.ts';
import { useTemporaryFolders } from '../testing/temporary-folder.ts';
import { MIGRATIONS } from './migrations.ts';

const newFolder = useTemporaryFolders();
const ADD = `INSERT INTO ops (seq, op_id, prev_hash, device_id, wall_ms, counter, kind, run_id, payload)
  VALUES (?, 'o' || ?, '', 'd', 0, 0, ?, ?, ?)`;

it('leaves what was written before the update out of every search', () => {
  const file = path.join(newFolder(), 'fencepost.sqlite');
  const older = openDatabase(file, { migrations: MIGRATIONS.filter(({ version }) => version < 120) });
  if (!older.ok) throw new Error(older.error.message);
  const add = (seq: number, kind: string, payload: string) =>
    older.value.prepare(ADD).run(seq, String(seq), kind, 'run-1', payload);
  add(1, 'trigger.fired', '{"title":"Weekly numbers"}');
  add(2, 'intent.recorded', '{"title":"Email ana@example.com","target":"ana@example.com"}');
  add(3, 'run.ended', '{"summary":"Accepted"}');
  add(4, 'run.ended', '{"summary":""}');
  add(5, 'run.entered', '{"title":"Weekly numbers"}');
  older.value.close();
  const newer = openDatabase(file, { migrations: MIGRATIONS });
  if (!newer.ok) throw new Error(newer.error.message);
  const db = newer.value;
  expect(readAll(db, 'SELECT seq, kind, text FROM search_texts ORDER BY seq')).toEqual([
    { seq: 1, kind: 'run', text: 'Weekly numbers' },
    { seq: 2, kind: 'target', text: 'Email ana@example.com' },
    { seq: 3, kind: 'summary', text: 'Accepted' },
  ]);
  expect(readAll(db, `SELECT rowid AS seq FROM search_target WHERE search_target MATCH '"ana@exa"'`)).toEqual([
    { seq: 2 },
  ]);
  expect(readAll(db, 'SELECT * FROM search_waiting')).toEqual([]);
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  db.close();
});
