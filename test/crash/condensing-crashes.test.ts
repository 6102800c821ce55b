import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { HostBench, twoSteps } from '../../src/main/host/testing/host-bench.ts';
import { readAll } from '../../src/main/store/connection.ts';
import { foldHash } from '../../src/main/store/fold-hash.ts';
import { verifyJournal } from '../../src/main/store/journal-rows.ts';
import { connectionOf, deviceIdOf, openStore } from '../../src/main/store/testing/store-bench.ts';
import { useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import { Receiver } from '../harness/receiver.ts';

const RUNS = 3;
const PROGRAM = fileURLToPath(new URL('condense-and-die.ts', import.meta.url));

/** What must be the same before, between and after. */
function look(folder: string) {
  const store = openStore(folder);
  const { db, journal } = connectionOf(store);
  const kept = {
    hash: foldHash(db),
    oracle: readAll(db, 'SELECT * FROM oracle ORDER BY agent_id, run_id, effect_key'),
    flaw: verifyJournal(db, deviceIdOf(store)),
    journalSeq: journal.head.journalSeq,
  };
  const condensed = readAll(db, 'SELECT 1 FROM compacted_runs').length;
  store.close();
  return { kept, condensed };
}

describe('a process that is gone while it condenses', { timeout: 120_000 }, () => {
  const newFolder = useTemporaryFolders();

  it('leaves a record that lost something, or that cannot be condensed any further', async () => {
    const profile = newFolder();
    const receiver = await Receiver.start();
    const host = await HostBench.start(profile);
    const agentId = await host.agent(twoSteps('report', receiver.origin));
    for (let press = 0; press < RUNS; press += 1) await host.ended(await host.run(agentId, `press ${press}`));
    await host.close();
    await receiver.close();
    const before = look(profile);
    expect(before).toMatchObject({ condensed: 0, kept: { flaw: null } });
    for (const place of ['before-commit', 'after-commit']) {
      for (let write = 1; write <= RUNS; write += 1) {
        const folder = join(newFolder(), 'copy');
        cpSync(profile, folder, { recursive: true });
        const run = (...args: readonly string[]) => spawnSync(process.execPath, [PROGRAM, folder, ...args]);
        expect(run(place, String(write)).signal, `${place} ${write}`).toBe('SIGKILL');
        const condensed = place === 'before-commit' ? write - 1 : write;
        expect(look(folder), `${place} ${write}`).toEqual({ kept: before.kept, condensed });
        expect(run().status).toBe(0);
        expect(look(folder), `${place} ${write}, gone on with`).toEqual({ kept: before.kept, condensed: RUNS });
      }
    }
  });
});
