import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { twoSteps } from '../../src/main/host/testing/host-bench.ts';
import { must, useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import type { DeviceId, RunId } from '../../src/shared/contract/identifiers.ts';
import type { RelayChoice } from '../../src/shared/contract/sync-requests.ts';
import { Receiver } from '../harness/receiver.ts';
import { JournalDevice, settle } from './journals-bench.ts';

describe('devices of which one is let go', { timeout: 180_000 }, () => {
  const newFolder = useTemporaryFolders();
  let receiver: Receiver;
  let folder: string;
  let relay: RelayChoice;
  let words: string;
  let devices = new Map<string, JournalDevice>();

  beforeEach(async () => {
    receiver = await Receiver.start();
    folder = newFolder();
    relay = { kind: 'folder', folder: join(folder, 'shared') };
    devices = new Map();
  });
  afterEach(async () => {
    for (const device of devices.values()) await device.close();
    await receiver.close();
  });

  async function start(name: string): Promise<JournalDevice> {
    const device = await JournalDevice.start(folder, name);
    devices.set(name, device);
    return device;
  }

  /** They share, know each other, and none of them has the recovery words any more: those would open everything. */
  async function share<const Names extends readonly string[]>(
    ...names: Names
  ): Promise<{ [Index in keyof Names]: JournalDevice }> {
    for (const name of names) {
      const device = await start(name);
      if (devices.size === 1) words = await device.create(relay);
      else await device.join(relay, words);
    }
    const all = [...devices.values()];
    await settle(all);
    for (const { sync } of all) must(await sync.forgetWords());
    return all as { [Index in keyof Names]: JournalDevice };
  }

  async function runOn({ bench }: JournalDevice, agentId: string): Promise<RunId> {
    const runId = await bench.run(await bench.agent(twoSteps(agentId, receiver.origin)));
    expect(await bench.ended(runId)).toBe('done');
    return runId;
  }

  /** Looks so often that what can be opened has been. */
  async function lookAgain(device: JournalDevice): Promise<void> {
    for (let times = 0; times < 3; times += 1) must(await device.sync.now());
  }

  function knows({ bench }: JournalDevice, runId: RunId): boolean {
    return bench.look(runId)?.ending === 'done';
  }

  function asideOn({ bench }: JournalDevice): { device_id: string; reason: string }[] {
    return bench.rows('SELECT device_id, reason FROM quarantines');
  }

  async function letGo(by: JournalDevice, gone: JournalDevice): Promise<void> {
    must(await by.sync.letGo(gone.deviceId as DeviceId, 'Anna'));
  }

  it('what it writes afterwards is folded, or it reads what the others write', async () => {
    const [anna, ben, cleo] = await share('anna', 'ben', 'cleo');
    const before = await runOn(anna, 'before');
    await settle([anna, ben, cleo]);
    expect(knows(cleo, before)).toBe(true);
    await letGo(anna, cleo);
    await lookAgain(ben);
    const ofCleo = await runOn(cleo, 'of-cleo');
    const [ofAnna, ofBen] = [await runOn(anna, 'of-anna'), await runOn(ben, 'of-ben')];
    await lookAgain(cleo);
    await settle([anna, ben]);
    await lookAgain(cleo);
    for (const device of [anna, ben]) {
      expect([ofAnna, ofBen, ofCleo].map((runId) => knows(device, runId))).toEqual([true, true, false]);
      expect(asideOn(device)).toEqual([{ device_id: cleo.deviceId, reason: 'let-go' }]);
    }
    expect([ofAnna, ofBen, ofCleo].map((runId) => knows(cleo, runId))).toEqual([false, false, true]);
    // That it cannot read on is no fault of the others.
    expect(asideOn(cleo)).toEqual([]);
  });

  it('a device that joins with the words afterwards cannot read on where the key changed, even twice', async () => {
    const [anna, ben, cleo, dora] = await share('anna', 'ben', 'cleo', 'dora');
    const first = await runOn(anna, 'first');
    await letGo(anna, cleo);
    await settle([anna, ben, dora]);
    const second = await runOn(ben, 'second');
    await letGo(ben, dora);
    await settle([anna, ben]);
    const third = await runOn(anna, 'third');
    const emil = await start('emil');
    await emil.join(relay, words);
    await settle([anna, ben, emil]);
    for (const runId of [first, second, third]) expect(knows(emil, runId)).toBe(true);
    // And the others read what it writes, which those that are gone do not.
    const fourth = await runOn(emil, 'fourth');
    await settle([anna, ben, emil]);
    for (const device of [cleo, dora]) {
      await lookAgain(device);
      expect([third, fourth].map((runId) => knows(device, runId))).toEqual([false, false]);
    }
  });

  it('two that let a device go at the same time cannot read each other, or a device that is gone reads them', async () => {
    const [anna, ben, cleo, dora] = await share('anna', 'ben', 'cleo', 'dora');
    await Promise.all([letGo(anna, cleo), letGo(ben, dora)]);
    await settle([anna, ben]);
    const runs = [await runOn(anna, 'of-anna'), await runOn(ben, 'of-ben')];
    await settle([anna, ben]);
    for (const device of [anna, ben]) expect(runs.map((runId) => knows(device, runId))).toEqual([true, true]);
    for (const device of [cleo, dora]) {
      await lookAgain(device);
      expect(runs.map((runId) => knows(device, runId))).toEqual([false, false]);
    }
  });

  /** A crash before the new key reached the store of secrets: what stood there before stands there now. */
  async function withKeysOf(device: JournalDevice, act: () => Promise<void>): Promise<void> {
    const isKeys = (name: string): boolean => name.startsWith('device-keys') || name.startsWith('secrets');
    const files = readdirSync(device.profileFolder).filter(isKeys);
    expect(files).not.toEqual([]);
    const copy = newFolder();
    for (const name of files) cpSync(join(device.profileFolder, name), join(copy, name), { recursive: true });
    await act();
    await device.vanish();
    for (const name of files) {
      rmSync(join(device.profileFolder, name), { recursive: true });
      cpSync(join(copy, name), join(device.profileFolder, name), { recursive: true });
    }
  }

  it('a crash before the new key is kept makes a device that cannot read itself', async () => {
    const [first, ben, cleo] = await share('anna', 'ben', 'cleo');
    await withKeysOf(first, () => letGo(first, cleo));
    const anna = await first.again();
    devices.set('anna', anna);
    await settle([anna, ben]);
    const runs = [await runOn(anna, 'of-anna'), await runOn(ben, 'of-ben')];
    await settle([anna, ben]);
    for (const device of [anna, ben]) expect(runs.map((runId) => knows(device, runId))).toEqual([true, true]);
    await lookAgain(cleo);
    expect(runs.map((runId) => knows(cleo, runId))).toEqual([false, false]);
  });

  it.each([0, 1, 2, 3, 5, 8, 13, 40])('a crash %i turns later leaves half of it', async (turns) => {
    const [first, ben, cleo] = await share('anna', 'ben', 'cleo');
    const letting = first.sync.letGo(cleo.deviceId as DeviceId, 'Anna').catch(() => null);
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    await first.vanish();
    await letting;
    const anna = await first.again();
    devices.set('anna', anna);
    const count = anna.bench.count('sync.device-let-go');
    expect(anna.bench.count('sync.keys-rotated')).toBe(count);
    if (count === 0) await letGo(anna, cleo);
    await settle([anna, ben]);
    const runs = [await runOn(anna, 'of-anna'), await runOn(ben, 'of-ben')];
    await settle([anna, ben]);
    for (const device of [anna, ben]) expect(runs.map((runId) => knows(device, runId))).toEqual([true, true]);
    await lookAgain(cleo);
    expect(runs.map((runId) => knows(cleo, runId))).toEqual([false, false]);
  });
});
