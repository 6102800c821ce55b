import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { twoSteps } from '../../src/main/host/testing/host-bench.ts';
import type { HostBench } from '../../src/main/host/testing/host-bench.ts';
import { useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import { Random } from '../harness/random.ts';
import { Receiver } from '../harness/receiver.ts';
import { JournalDevice, settle } from './journals-bench.ts';

const newFolder = useTemporaryFolders();
let receiver: Receiver;
let shared: string;
let anna: JournalDevice;
let ben: JournalDevice;
let agentId: AgentId;

beforeEach(async () => {
  receiver = await Receiver.start();
  const folder = newFolder();
  shared = join(folder, 'shared');
  anna = await JournalDevice.start(folder, 'anna');
  ben = await JournalDevice.start(folder, 'ben');
  const relay = { kind: 'folder', folder: shared } as const;
  const words = await anna.create(relay);
  await ben.join(relay, words);
  agentId = await anna.bench.agent(twoSteps('report', receiver.origin));
  expect(await anna.bench.ended(await anna.bench.run(agentId, 'first'))).toBe('done');
  await settle([anna, ben]);
});
afterEach(async () => {
  await anna.close();
  await ben.close();
  await receiver.close();
});

/** Every file below the shared folder. */
function filesIn(): string[] {
  return readdirSync(shared, { recursive: true, encoding: 'utf8' })
    .map((name) => join(shared, name))
    .filter((file) => statSync(file).isFile())
    .toSorted();
}

/** What programs that keep folders in step have done to files, each to one of them. */
const DEEDS: Readonly<Record<string, (file: string) => void>> = {
  lost: (file) => rmSync(file),
  'cut in half': (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
  emptied: (file) => truncateSync(file, 0),
  doubled: (file) => cpSync(file, file.replace(/(\.[^.]*)?$/u, ' (conflicted copy)$1')),
  overwritten: (file) => writeFileSync(file, readFileSync(file).toReversed()),
};

describe('a folder whose files are', { timeout: 120_000 }, () => {
  it.each(Object.keys(DEEDS))('%s is believed, or stops everybody for good', async (deed) => {
    const random = new Random(deed.length, deed);
    // What names the folder is not among them: without it nobody takes it for the shared folder.
    const harmed = filesIn().filter((file) => /(?:segment|member)-/u.test(file));
    expect(harmed.length).toBeGreaterThan(3);
    const before = { anna: countsOf(anna.bench), ben: countsOf(ben.bench) };
    for (let times = 0; times < 3; times += 1) {
      const file = harmed[random.below(harmed.length)];
      if (file !== undefined && filesIn().includes(file)) DEEDS[deed]?.(file);
    }
    for (const device of [anna, ben]) await device.sync.now();
    // Nothing that was folded is lost, and nothing is put aside by what only happened on the way.
    expect({ anna: countsOf(anna.bench), ben: countsOf(ben.bench) }).toEqual(before);
    for (const { bench } of [anna, ben]) expect(bench.rows('SELECT * FROM quarantines')).toEqual([]);
    expect(await anna.bench.ended(await anna.bench.run(agentId, 'second'))).toBe('done');
    await settle([anna, ben]);
    expect(ben.bench.rows(`SELECT 1 FROM runs WHERE ending = 'done'`)).toHaveLength(2);
    expect(receiver.received).toHaveLength(4);
  });

  it('all gone stop the work, or another folder is filled in its place', async () => {
    for (const name of readdirSync(shared)) rmSync(join(shared, name), { recursive: true });
    expect(await anna.sync.now()).toMatchObject({ ok: false, error: { code: 'relay-unreachable' } });
    expect(anna.sync.status()?.problem).toMatchObject({ wayOut: expect.stringMatching(/\.$/u) });
    // Work goes on, nothing is put aside, and nobody is filed into a folder that may be another one.
    expect(await anna.bench.ended(await anna.bench.run(agentId, 'second'))).toBe('done');
    expect(await ben.sync.now()).toMatchObject({ ok: false });
    // An exchange that was under way while the folder emptied may still have placed its file; none after it does.
    for (const file of filesIn()) rmSync(file);
    for (const { sync } of [anna, ben]) expect(await sync.now()).toMatchObject({ ok: false });
    for (const { bench } of [anna, ben]) expect(bench.rows('SELECT * FROM quarantines')).toEqual([]);
    expect(filesIn()).toEqual([]);
  });

  function countsOf(bench: HostBench): unknown {
    return bench.rows('SELECT device_id, count(*) AS count FROM ops GROUP BY device_id ORDER BY device_id');
  }
});
