import { describe, expect, it } from 'vitest';
import { change, sha256 } from './connection.ts';
import type { Connection } from './connection.ts';
import { findRun } from './rows.ts';
import { templateScope } from './run-scope.ts';
import { connectionOf, openStore } from './testing/store-bench.ts';
import { useTemporaryFolders } from './testing/temporary-folder.ts';

const newFolder = useTemporaryFolders();

function seen({ db }: Connection): unknown {
  const run = findRun(db, 'run-1');
  return run === null ? null : templateScope(db, run).steps;
}

describe('what later steps see of an output', () => {
  it('is nothing where the visit was written before there were digests, or an older visit where the newest is long', () => {
    const store = openStore(newFolder());
    const connection = connectionOf(store);
    const { db } = connection;
    change(
      db,
      `INSERT INTO runs (run_id, agent_id, revision_digest, request_digest, title, started_by, input, phase, state_id, state_visit,
         started_at_ms, last_event) VALUES ('run-1', 'a', 'r', 'q', 'Run', 'Test', '{}', 'ready', 'read', 2, 0, '')`,
    );
    const visit = (number: number, of: { output: string | null; digest: string | null }): void =>
      change(
        db,
        `INSERT INTO visits (run_id, state_id, visit, output, output_digest) VALUES ('run-1', 'read', ?, ?, ?)`,
        number,
        of.output,
        of.digest,
      );
    visit(1, { output: '"old"', digest: null });
    expect(seen(connection)).toEqual({ read: { output: 'old' } });
    const long = JSON.stringify('x'.repeat(400_000));
    change(db, 'INSERT INTO blobs (digest, body) VALUES (?, ?)', sha256(long), long);
    visit(2, { output: null, digest: sha256(long) });
    expect(seen(connection)).toEqual({ read: { output: 'x'.repeat(400_000) } });
    store.close();
  });
});
