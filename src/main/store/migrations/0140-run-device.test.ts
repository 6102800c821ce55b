import path from 'node:path';
import { expect, it } from 'vitest';
import { readAll } from '../connection.ts';
import { openDatabase } from '../database.ts';
import { must, useTemporaryFolders } from '../testing/temporary-folder.ts';
import { MIGRATIONS } from './migrations.ts';

const newFolder = useTemporaryFolders();

it('forgets which device took a run on that was written before the update', () => {
  const file = path.join(newFolder(), 'fencepost.sqlite');
  const older = must(openDatabase(file, { migrations: MIGRATIONS.filter(({ version }) => version < 140) }));
  const addOp =
    older.prepare(`INSERT INTO ops (seq, op_id, prev_hash, device_id, wall_ms, counter, kind, run_id, payload)
    VALUES (?, 'o' || ?, '', ?, 0, 0, ?, ?, '{}')`);
  const addRun =
    older.prepare(`INSERT INTO runs (run_id, agent_id, revision_digest, request_digest, title, started_by, input,
    phase, state_id, state_visit, started_at_ms, last_event) VALUES (?, 'a', '', '', '', '', '', 'ready', 's', 1, 1, '')`);
  for (const runId of ['began', 'sent', 'ended', 'entries are gone']) addRun.run(runId);
  const ops = [
    ['laptop', 'trigger.fired', 'began'],
    ['phone', 'approval.requested', 'began'],
    ['laptop', 'trigger.fired', 'sent'],
    ['desktop', 'effect.started', 'sent'],
    ['desktop', 'effect.started', 'ended'],
    ['server', 'run.ended', 'ended'],
  ];
  for (const [index, op] of ops.entries()) addOp.run(index + 1, String(index), ...op);
  older.close();
  const db = must(openDatabase(file, { migrations: MIGRATIONS }));
  expect(readAll(db, 'SELECT run_id, device_id FROM runs ORDER BY run_number')).toEqual([
    { run_id: 'began', device_id: 'laptop' },
    { run_id: 'sent', device_id: 'desktop' },
    { run_id: 'ended', device_id: 'server' },
    { run_id: 'entries are gone', device_id: '' },
  ]);
  db.close();
});
