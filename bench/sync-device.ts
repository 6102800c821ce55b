// A new device in a process of its own, so that the memory it takes is its own: joins, catches up, and says how it went.
import { HostBench } from '../src/main/host/testing/host-bench.ts';
import { staleCount } from '../src/main/store/stale-groups.ts';
import type { RelayChoice } from '../src/shared/contract/sync-requests.ts';
import { must } from './coordinators-hub.ts';

const LOOK_MS = 20;
/** How long it may take before the benchmark gives up, ms. */
const LIMIT_MS = 600_000;

/** What the device is to do. */
export interface CatchUpOrder {
  readonly profileFolder: string;
  readonly relay: RelayChoice;
  readonly words: string;
  /** Entries to come. */
  readonly entries: number;
  /** To be paired with the hub first. */
  readonly link: string | null;
}

/** How it went. */
export interface CatchUpReport {
  readonly seconds: number;
  /** Until the last entry was in the record; what is left is projecting. */
  readonly takenInSeconds: number;
  readonly restingMegabytes: number;
  readonly peakMegabytes: number;
  readonly runs: number;
}

async function until(isSo: () => boolean): Promise<void> {
  const limitMs = performance.now() + LIMIT_MS;
  while (!isSo()) {
    if (performance.now() > limitMs) throw new Error('The new device did not catch up.');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function catchUp({ profileFolder, relay, words, entries, link }: CatchUpOrder): Promise<CatchUpReport> {
  const bench = await HostBench.start(profileFolder);
  const { control } = bench.host;
  const { sync, sharing } = control;
  if (sync === null || sharing === null) throw new Error('This host shares nothing.');
  if (link !== null) {
    sharing.pairing.join(link);
    await until(() => sharing.pairing.joining()?.state === 'paired');
  }
  const restingMegabytes = process.memoryUsage.rss() / 1_048_576;
  const startedAtMs = performance.now();
  must(await sync.join(relay, { words, secrets: { password: '', privateKeyPem: '' } }));
  const known = (): number =>
    bench.rows<{ known: number }>('SELECT coalesce(sum(journal_seq), 0) AS known FROM journals')[0]?.known ?? 0;
  await until(() => known() >= entries);
  const takenInSeconds = (performance.now() - startedAtMs) / 1_000;
  await until(() => {
    const connection = control.connection();
    return connection !== null && staleCount(connection.db) === 0 && sync.status()?.isCatchingUp === false;
  });
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const peakMegabytes = process.resourceUsage().maxRSS / 1_024;
  const runs = bench.rows(`SELECT 1 FROM runs WHERE ending = 'done'`).length;
  await bench.close();
  return { seconds, takenInSeconds, restingMegabytes, peakMegabytes, runs };
}

process.once('message', (order: CatchUpOrder) => {
  void catchUp(order).then((report) => {
    process.send?.(report);
    process.disconnect();
  });
});
