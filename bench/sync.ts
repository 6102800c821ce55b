import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONDENSING_TERMS } from '../src/main/host/sync/condensing.ts';
import type { CondensingTerms } from '../src/main/host/sync/condensing.ts';
import { HostBench } from '../src/main/host/testing/host-bench.ts';
import type { RelayChoice } from '../src/shared/contract/sync-requests.ts';
import { forkWithin } from '../test/harness/fork-within.ts';
import { freePort } from '../test/harness/mail-server.ts';
import { must } from './coordinators-hub.ts';
import type { BenchResult } from './effect-cost.ts';
import { figure, middle, noise, summarise, timeEach } from './measure.ts';
import type { Summary } from './measure.ts';
import { createFlushProbe } from './raw-ceiling.ts';
import type { CatchUpOrder, CatchUpReport } from './sync-device.ts';
import { makeRecord } from './sync-record.ts';

const SIZE = { agents: 20, runs: 2_000 };
const PROBES = 200;
const GOAL_SECONDS = 20;
const GOAL_MEGABYTES = 300;
const LOOK_MS = 50;
const NEVER: CondensingTerms = { ...CONDENSING_TERMS, checkpointEntries: Number.MAX_SAFE_INTEGER };
const NO_SECRETS = { password: '', privateKeyPem: '' };
const DEVICE = fileURLToPath(new URL('sync-device.ts', import.meta.url));

/** A new device that takes in what another one wrote in months: through a folder, and through the other one's hub. */
export async function sync(): Promise<BenchResult> {
  const folder = mkdtempSync(join(process.env['FENCEPOST_BENCH_FOLDER'] ?? tmpdir(), 'fencepost-bench-'));
  const probe = createFlushProbe(folder);
  const flushes = async () => summarise(await timeEach('flush', { warmUp: 20, count: PROBES }, () => probe.probe()));
  try {
    const author = join(folder, 'author');
    const entries = await makeRecord(author, SIZE);
    const before = await flushes();
    const byEntries = await throughFolder({ folder, author, name: 'entries', condensing: NEVER });
    const byFolder = await throughFolder({ folder, author, name: 'folder', condensing: CONDENSING_TERMS });
    const between = await flushes();
    const byHub = await throughHub({ folder, author });
    const after = await flushes();
    const rounds = { flush: [before, between, after] };
    const figures = {
      entries,
      ...Object.fromEntries(Object.entries(byEntries).map(([name, value]) => [`entries ${name}`, value])),
      ...Object.fromEntries(Object.entries(byFolder).map(([name, value]) => [`folder ${name}`, value])),
      ...Object.fromEntries(Object.entries(byHub).map(([name, value]) => [`hub ${name}`, value])),
    };
    return { rounds, figures, lines: linesOf(entries, { byEntries, byFolder, byHub, flushes: rounds.flush }) };
  } finally {
    probe.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Measured extends CatchUpReport {
  readonly pushSeconds: number;
}

interface Place {
  readonly folder: string;
  readonly author: string;
}

/** With a checkpoint, as a device alone makes one at once; or entry by entry, as from devices that have not condensed. */
async function throughFolder({
  folder,
  author,
  name,
  condensing,
}: Place & { readonly name: string; readonly condensing: CondensingTerms }): Promise<Measured> {
  const shared = join(folder, `shared-${name}`);
  mkdirSync(shared);
  const relay: RelayChoice = { kind: 'folder', folder: shared };
  const bench = await HostBench.start(author, undefined, { condensing });
  const { sync: shares } = bench.host.control;
  if (shares !== null && shares.status() !== null) must(await shares.leave());
  const { words, pushSeconds, entries } = await handOver(bench, relay);
  // The author is gone, as a device in another house is.
  await bench.close();
  const order = { profileFolder: join(folder, `by-${name}`), relay, words, entries, link: null };
  return { pushSeconds, ...(await caughtUp(order)) };
}

async function throughHub({ folder, author }: Place): Promise<Measured> {
  const bench = await HostBench.start(author);
  const { sync: shares, sharing } = bench.host.control;
  if (shares === null || sharing === null) throw new Error('This host shares nothing.');
  must(await shares.leave());
  must(await sharing.startHub(await freePort()));
  const { words, pushSeconds, entries } = await handOver(bench, { kind: 'this-hub' });
  must(sharing.pairing.invite());
  const link = sharing.pairing.invitation()?.link ?? '';
  const timer = setInterval(() => {
    const invitation = sharing.pairing.invitation();
    if (invitation?.state === 'asks') void sharing.pairing.answer(invitation.invitationId, true);
  }, LOOK_MS);
  const order = { profileFolder: join(folder, 'by-hub'), relay: { kind: 'hub' } as const, words, entries, link };
  const report = await caughtUp(order);
  clearInterval(timer);
  await bench.close();
  return { pushSeconds, ...report };
}

/** Begins to share, and waits until the relay holds everything. */
async function handOver(bench: HostBench, relay: RelayChoice) {
  const { control } = bench.host;
  const { sync: shares } = control;
  if (shares === null) throw new Error('This host shares nothing.');
  const startedAtMs = performance.now();
  const words = must(await shares.create(relay, NO_SECRETS)).join(' ');
  must(await shares.now());
  const entries = control.connection()?.journal.head.journalSeq ?? 0;
  if (shares.status()?.pushedSeq !== entries) throw new Error('Not everything was handed over.');
  return { words, entries, pushSeconds: (performance.now() - startedAtMs) / 1_000 };
}

async function caughtUp(order: CatchUpOrder): Promise<CatchUpReport> {
  mkdirSync(order.profileFolder);
  const device = forkWithin(DEVICE, []);
  const answered = once(device, 'message');
  const exited = once(device, 'exit').then(() => Promise.reject(new Error('The new device ended without a report.')));
  device.send(order);
  const [report] = (await Promise.race([answered, exited])) as [CatchUpReport];
  exited.catch(() => undefined);
  if (report.runs < SIZE.runs) throw new Error(`Only ${report.runs} runs arrived.`);
  return report;
}

function linesOf(
  entries: number,
  {
    byEntries,
    byFolder,
    byHub,
    flushes: probes,
  }: {
    readonly byEntries: Measured;
    readonly byFolder: Measured;
    readonly byHub: Measured;
    readonly flushes: readonly Summary[];
  },
): readonly string[] {
  const line = (name: string, of: Measured): string =>
    `${name}: ${figure(of.seconds)} s (${figure(of.takenInSeconds)} s until all is in the record), ${figure(entries / of.seconds)} entries/s, peak ${figure(of.peakMegabytes)} MB (${figure(of.restingMegabytes)} before); handed over in ${figure(of.pushSeconds)} s`;
  return [
    `a new device takes in ${entries} entries of ${SIZE.agents} agents in ${SIZE.runs} runs (goal: ${GOAL_SECONDS} s, ${GOAL_MEGABYTES} MB)`,
    line('folder, entry by entry', byEntries),
    line('folder, from a checkpoint', byFolder),
    line('hub on loopback, from a checkpoint', byHub),
    `a flush of this disk, before, between and after: p50 ${figure(middle(probes).p50)} ms, the slowest ${figure(noise(probes))} x the fastest`,
  ];
}
