import { describe, expect, it } from 'vitest';
import { useTemporaryFolders, must } from '../../store/testing/temporary-folder.ts';
import { HostBench, twoSteps } from '../testing/host-bench.ts';
import { Receiver } from '../../../../test/harness/receiver.ts';
import { openStore } from '../../store/testing/store-bench.ts';
import { condenseAll } from './condensing.ts';
import { haveOf } from './known-journals.ts';
import { chosenTerms, readRetention, RETENTION_SETTING } from './retention.ts';

const newFolder = useTemporaryFolders();
const DAY_MS = 86_400_000;

describe('how long single steps are kept', { timeout: 30_000 }, () => {
  it('is shortened by a word of another version', () => {
    expect(readRetention(null)).toBe('90-days');
    expect(readRetention('30-days')).toBe('30-days');
    for (const odd of ['', '7-days', 'toString', '__proto__']) expect(readRetention(odd)).toBe('for-ever');
  });

  it('drops something while nobody knows what is on the disk', () => {
    expect(chosenTerms({ connection: () => null }).retentionMs).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('follows the choice only after the next start, or keeps less than was chosen', async () => {
    const folder = newFolder();
    const receiver = await Receiver.start();
    // Two runs that ended 40 days and 100 days ago.
    for (const days of [100, 40]) {
      const past = await HostBench.start(folder, undefined, { wallMs: Date.now() - days * DAY_MS });
      await past.ended(await past.run(await past.agent(twoSteps('report', receiver.origin)), `${days}`));
      await past.close();
    }
    const host = await HostBench.start(folder);
    await host.host.control.writeSetting(RETENTION_SETTING, 'for-ever');
    await host.close();
    await receiver.close();
    const store = openStore(folder);
    const terms = chosenTerms(store);
    const condense = async (): Promise<number> => {
      const connection = store.connection();
      const cut = connection === null ? {} : haveOf(connection);
      return must(await condenseAll({ store, cut, retentionMs: terms.retentionMs, awaited: () => [], agentIds: null }))
        .runs;
    };
    const choose = (value: string) =>
      store.write(({ db }) => db.prepare('UPDATE profile SET value = ? WHERE key = ?').run(value, 'setting:retention'));
    expect(await condense()).toBe(0);
    must(await choose('365-days'));
    expect(await condense()).toBe(0);
    must(await choose('90-days'));
    expect(await condense()).toBe(1);
    must(await choose('30-days'));
    expect(await condense()).toBe(1);
    store.close();
  });
});
