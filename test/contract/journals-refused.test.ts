import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { twoSteps } from '../../src/main/host/testing/host-bench.ts';
import { must, useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import type { AgentId, RunId } from '../../src/shared/contract/identifiers.ts';
import { Receiver } from '../harness/receiver.ts';
import { JournalDevice, settle } from './journals-bench.ts';

/** How often the devices tell each other what they have, after both runs wait. */
const ROUNDS = 8;

describe('runs that wait for a permission on two devices', { timeout: 120_000 }, () => {
  const newFolder = useTemporaryFolders();
  let receiver: Receiver;
  let anna: JournalDevice;
  let ben: JournalDevice;

  beforeEach(async () => {
    receiver = await Receiver.start();
    const folder = newFolder();
    const relay = { kind: 'folder', folder: join(folder, 'shared') } as const;
    anna = await JournalDevice.start(folder, 'anna');
    const words = await anna.create(relay);
    ben = await JournalDevice.start(folder, 'ben');
    await ben.join(relay, words);
  });
  afterEach(async () => {
    for (const device of [anna, ben]) await device.close();
    await receiver.close();
  });

  /** A run whose second step is refused, since its permission was taken back after the first. */
  async function refusedRun({ bench }: JournalDevice, name: string): Promise<{ agentId: AgentId; runId: RunId }> {
    const agentId = await bench.agent(twoSteps(name, receiver.origin));
    bench.at('after-settle', () => void bench.host.control.revoke(agentId, 'Test'));
    const runId = await bench.run(agentId);
    await bench.until('it is refused', () => bench.refusals().includes('gate: authority-missing'));
    return { agentId, runId };
  }

  function refusals(bench: JournalDevice['bench'], runId: RunId): number {
    return bench.rows(`SELECT 1 FROM ops WHERE run_id = ? AND kind = 'gate.decided'`, runId).length;
  }

  it('refuse each other again and again and fill both records, or sleep through the permission', async () => {
    const ours = await refusedRun(anna, 'ours');
    const theirs = await refusedRun(ben, 'theirs');
    await settle([anna, ben]);
    const seen = [refusals(anna.bench, ours.runId), refusals(ben.bench, theirs.runId)];
    for (let round = 0; round < ROUNDS; round += 1) for (const device of [anna, ben]) must(await device.sync.now());
    expect([refusals(anna.bench, ours.runId), refusals(ben.bench, theirs.runId)]).toEqual(seen);
    await ben.bench.authorise(ours.agentId);
    expect(await anna.bench.ended(ours.runId)).toBe('done');
    expect(receiver.hits('/ours/second')).toBe(1);
    expect(receiver.hits('/theirs/second')).toBe(0);
  });
});
