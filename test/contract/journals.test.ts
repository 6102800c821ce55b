import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { twoSteps } from '../../src/main/host/testing/host-bench.ts';
import { useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import type { RunId } from '../../src/shared/contract/identifiers.ts';
import type { RelayChoice } from '../../src/shared/contract/sync-requests.ts';
import { Receiver } from '../harness/receiver.ts';
import { JournalDevice, settle } from './journals-bench.ts';

describe('three hosts that share their journals through a folder', { timeout: 120_000 }, () => {
  const newFolder = useTemporaryFolders();
  let receiver: Receiver;
  let folder: string;
  let relay: RelayChoice;
  let devices: JournalDevice[] = [];

  beforeEach(async () => {
    receiver = await Receiver.start();
    folder = newFolder();
    relay = { kind: 'folder', folder: join(folder, 'shared') };
    devices = [];
  });
  afterEach(async () => {
    for (const device of devices) await device.close();
    await receiver.close();
  });

  async function start(name: string): Promise<JournalDevice> {
    const device = await JournalDevice.start(folder, name);
    devices.push(device);
    return device;
  }

  async function three(): Promise<[JournalDevice, JournalDevice, JournalDevice]> {
    const anna = await start('anna');
    const words = await anna.create(relay);
    const ben = await start('ben');
    const cleo = await start('cleo');
    await ben.join(relay, words);
    await cleo.join(relay, words);
    return [anna, ben, cleo];
  }

  it('a run of one is not known to the others, or not with its steps, texts and permission', async () => {
    const [anna, ben, cleo] = await three();
    const runId = await anna.bench.run(await anna.bench.agent(twoSteps('report', receiver.origin)));
    expect(await anna.bench.ended(runId)).toBe('done');
    await settle([anna, ben, cleo]);
    for (const device of [ben, cleo]) {
      expect(device.bench.look(runId)).toMatchObject({ ending: 'done' });
      expect(device.bench.rows('SELECT 1 FROM grants WHERE revoked_at_ms IS NULL')).toHaveLength(1);
      expect(device.bench.rows('SELECT 1 FROM oracle WHERE run_id = ?', runId)).toHaveLength(3);
    }
    expect(receiver.received).toHaveLength(2);
  });

  it('a device that joins late lacks what was before, or acts on half of it', async () => {
    const anna = await start('anna');
    const agentId = await anna.bench.agent(twoSteps('report', receiver.origin));
    for (let press = 0; press < 5; press += 1) await anna.bench.ended(await anna.bench.run(agentId, `press ${press}`));
    const words = await anna.create(relay);
    const ben = await start('ben');
    await ben.join(relay, words);
    await settle([anna, ben]);
    expect(ben.bench.rows('SELECT 1 FROM runs')).toHaveLength(5);
    expect(receiver.received).toHaveLength(10);
  });

  it('a run that its device left behind is not gone on with, or a step of it happens twice', async () => {
    const [anna, ben] = await three();
    const agentId = await anna.bench.agent(twoSteps('report', receiver.origin));
    // The first step is done and its end is known; then the device is gone without a word.
    let runId: RunId | null = null;
    anna.bench.at('after-settle', () => anna.bench.host.control.sync?.status());
    const gone = new Promise<void>((resolve) => {
      anna.bench.at('after-successor', resolve);
    }).catch(() => undefined);
    void gone;
    runId = await anna.bench.run(agentId);
    expect(await anna.bench.ended(runId)).toBe('done');
    await settle([anna, ben]);
    expect(ben.bench.look(runId)?.ending).toBe('done');
  });
});
