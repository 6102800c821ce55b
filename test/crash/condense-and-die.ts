// Condenses the record in a folder, one run with each write, and is gone at the place that is named.
import { createHostClock } from '../../src/main/host/clock.ts';
import { createHostTimers } from '../../src/main/host/timers.ts';
import { Store } from '../../src/main/store/store.ts';
import { must } from '../../src/main/store/testing/temporary-folder.ts';
import { condenseRuns, FIRST_PLACE } from '../../src/main/store/transactions/condense-runs.ts';

const [folder = '', place = '', write = ''] = process.argv.slice(2);
const die = (): void => void process.kill(process.pid, 'SIGKILL');
const store = must(
  Store.open(folder, { clock: createHostClock(), timers: createHostTimers(), newId: () => 'a new device' }),
);
let after = FIRST_PLACE;
for (let count = 1; ; count += 1) {
  const from = after;
  const done = must(
    await store.write((connection) => {
      const { journal } = connection;
      const cut = { [journal.deviceId]: journal.head.journalSeq };
      const nowMs = journal.nowMs();
      const condensed = condenseRuns(connection, {
        cut,
        nowMs,
        retentionMs: 0,
        awaited: [],
        agentIds: null,
        after: from,
        limit: 1,
      });
      if (place === 'before-commit' && count === Number(write)) die();
      return condensed;
    }),
  );
  if (place === 'after-commit' && count === Number(write)) die();
  if (done.next === null) break;
  after = done.next;
}
store.close();
