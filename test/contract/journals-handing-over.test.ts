import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must, useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import { Random } from '../harness/random.ts';
import { HostileStorage } from './hostile-relay.ts';
import { PumpDevice } from './pump-bench.ts';

const newFolder = useTemporaryFolders();
let storage: HostileStorage;
let folder: string;
let anna: PumpDevice;
let ben: PumpDevice;

beforeEach(() => {
  folder = newFolder();
  storage = new HostileStorage();
  anna = new PumpDevice(folder, 'anna', { storage });
  ben = new PumpDevice(folder, 'ben', { storage });
});
afterEach(async () => {
  await anna.close();
  await ben.close();
});

/** Entries with texts of so many characters, which travel beside them. */
async function writeLong(device: PumpDevice, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    must(
      await device.store.write(({ journal }) =>
        journal.append('moon.landed' as 'agent.saved', { agentId: 'one', text: journal.keep(text) } as never),
      ),
    );
  }
}

describe('what a device hands over', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'looks different when a relay has lost it and gets it again, and passes for a fork (seed %i)',
    async (seed) => {
      const random = new Random(seed, 'handing over');
      for (let round = 0; round < 5; round += 1) {
        const count = 1 + random.below(90);
        await anna.write(...Array.from({ length: count }, (_, index) => `agent ${round} ${index}`));
        await anna.pass();
      }
      const whole = [...(storage.journals.get(anna.deviceId) ?? [])];
      const kept = random.below(whole.length);
      storage.journals.set(anna.deviceId, whole.slice(0, kept));
      await anna.pass();
      expect(storage.journals.get(anna.deviceId)).toEqual(whole);
      expect(whole.length).toBeGreaterThan(kept);
    },
  );

  it('long entries fill page after page without a signature, so that nobody can take them in', async () => {
    const long = Array.from({ length: 30 }, (_, index) => `${index} ${randomBytes(240_000).toString('base64url')}`);
    await anna.write('one');
    await writeLong(anna, long);
    await anna.write(
      ...Array.from({ length: 40 }, (_, index) => `agent ${index} ${randomBytes(90_000).toString('base64url')}`),
    );
    await anna.pass();
    await ben.pass();
    expect(ben.known('anna')).toBe(71);
    expect(ben.aside()).toEqual({});
    expect(ben.rows('SELECT 1 FROM blobs')).toHaveLength(30);
    await anna.pass();
    expect(ben.hash()).toBe(anna.hash());
  });

  it('is asked for again at every pass only to see that it is its own', async () => {
    await anna.write('one');
    await anna.pass();
    const before = storage.pulls;
    for (let pass = 0; pass < 5; pass += 1) await anna.pass();
    expect(storage.pulls - before).toBe(5);
    await anna.close();
    anna = new PumpDevice(folder, 'anna', { storage, privateKey: anna.privateKey });
    // After a start it looks once.
    for (let pass = 0; pass < 5; pass += 1) await anna.pass();
    expect(storage.pulls - before).toBe(11);
  });
});
