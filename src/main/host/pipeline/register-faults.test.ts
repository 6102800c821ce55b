import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../../test/harness/receiver.ts';
import { openSqlite } from '../../store/open-sqlite.ts';
import { useTemporaryFolders } from '../../store/testing/temporary-folder.ts';
import { HostBench, twoSteps } from '../testing/host-bench.ts';

const newFolder = useTemporaryFolders();
/** Longer than several tries of the loop, ms. */
const QUIET_MS = 1_200;

/**
 * What can happen to a register on a file while a run is under way. Nonsense written over a file that is open is not among
 * them: SQLite answers from its own copy of the pages as long as nobody else writes, which is still one register.
 */
const FAULTS: Readonly<Record<string, (file: string) => void>> = {
  'is deleted'(file) {
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  },
  'is moved away'(file) {
    renameSync(file, `${file}.away`);
  },
  // A folder in its place cannot be read as a file, whoever asks: tests may run as root, for whom no mode is a bar.
  'cannot be read'(file) {
    renameSync(file, `${file}.away`);
    mkdirSync(file);
  },
  'has a row that does not read back'(file) {
    const db = openSqlite(file);
    db.exec(`UPDATE register SET record = '{"epoch":1}'`);
    db.close();
  },
};

describe('a register in mid-run', { timeout: 30_000 }, () => {
  let receiver: Receiver;
  let bench: HostBench;
  let registerFile: string;
  beforeEach(async () => {
    receiver = await Receiver.start();
    registerFile = join(newFolder(), 'register.sqlite');
    bench = await HostBench.start(newFolder(), registerFile);
  });
  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  for (const [fault, happen] of Object.entries(FAULTS)) {
    it(`that ${fault} lets no effect leave`, async () => {
      const agentId = await bench.agent(twoSteps('lost', receiver.origin));
      bench.at('after-settle-tail', () => happen(registerFile));
      const runId = await bench.run(agentId);
      await bench.until('the first effect is settled', () => bench.count('settle.recorded') === 1);
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      expect(receiver.hits('/lost/first')).toBe(1);
      expect(receiver.hits('/lost/second')).toBe(0);
      expect(bench.count('effect.started')).toBe(1);
      expect(bench.look(runId)).toMatchObject({ ending: null, state_id: 'second' });
    });
  }

  it('that comes back unharmed lets the same run go on, each effect once', async () => {
    const agentId = await bench.agent(twoSteps('back', receiver.origin));
    bench.at('after-settle-tail', () => renameSync(registerFile, `${registerFile}.away`));
    const runId = await bench.run(agentId);
    await bench.until('the first effect is settled', () => bench.count('settle.recorded') === 1);
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    expect(receiver.hits('/back/second')).toBe(0);
    renameSync(`${registerFile}.away`, registerFile);
    expect(await bench.ended(runId)).toBe('done');
    expect(receiver.hits('/back/first')).toBe(1);
    expect(receiver.hits('/back/second')).toBe(1);
  });
});
