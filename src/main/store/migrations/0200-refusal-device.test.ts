import path from 'node:path';
import { expect, it } from 'vitest';
import { readAll } from '../connection.ts';
import { openDatabase } from '../database.ts';
import { must, useTemporaryFolders } from '../testing/temporary-folder.ts';
import { MIGRATIONS } from './migrations.ts';

const newFolder = useTemporaryFolders();

it('forgets which device held back before the update, or claims to know it of an entry that is gone', () => {
  const file = path.join(newFolder(), 'fencepost.sqlite');
  const older = must(openDatabase(file, { migrations: MIGRATIONS.filter(({ version }) => version < 200) }));
  older.exec(`INSERT INTO ops (seq, op_id, prev_hash, device_id, wall_ms, counter, kind, run_id, payload)
      VALUES (1, 'a', '', 'laptop', 0, 0, 'lease.lost', NULL, '{}'), (2, 'b', '', 'phone', 0, 0, 'lease.lost', NULL, '{}');
    INSERT INTO refusals (seq, agent_id, word, reason, facts, at_ms)
      VALUES (-1, 'a', 'lease', 'lost', '{}', 0), (1, 'a', 'lease', 'lost', '{}', 0), (2, 'a', 'lease', 'lost', '{}', 0);`);
  older.close();
  const db = must(openDatabase(file, { migrations: MIGRATIONS }));
  expect(readAll(db, 'SELECT seq, device_id FROM refusals ORDER BY seq')).toEqual([
    { seq: -1, device_id: '' },
    { seq: 1, device_id: 'laptop' },
    { seq: 2, device_id: 'phone' },
  ]);
  db.close();
});
