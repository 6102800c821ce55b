import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CondensingTerms } from '../../src/main/host/sync/condensing.ts';
import { twoSteps } from '../../src/main/host/testing/host-bench.ts';
import { verifyJournal } from '../../src/main/store/journal-rows.ts';
import { must, useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import type { RelayChoice } from '../../src/shared/contract/sync-requests.ts';
import type { DeviceId, RunId } from '../../src/shared/contract/identifiers.ts';
import { deviceFolderName } from '../../src/main/relays/folder/device-folder.ts';
import { PostgresServer } from '../harness/postgres-server.ts';
import { Receiver } from '../harness/receiver.ts';
import { JournalDevice, settle } from './journals-bench.ts';
import { pairWith, startHubOf } from './journals-hub.ts';

/** Everything that has ended may go at once, and one entry is worth a checkpoint. */
const AT_ONCE: CondensingTerms = { retentionMs: 0, lookEveryMs: 50, checkpointEntries: 1 };
const NEVER: CondensingTerms = { ...AT_ONCE, retentionMs: Number.MAX_SAFE_INTEGER };
const ORACLE = 'SELECT * FROM oracle ORDER BY agent_id, run_id, effect_key';

describe('hosts that condense what everybody has', { timeout: 120_000 }, () => {
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
    // The hub goes last.
    for (const device of devices.toReversed()) await device.close();
    await receiver.close();
  });

  async function open(name: string, condensing = AT_ONCE, registerFile?: null): Promise<JournalDevice> {
    const device = await JournalDevice.start(folder, name, registerFile, { condensing });
    devices.push(device);
    return device;
  }

  async function live(device: JournalDevice, agentId: string, count: number): Promise<string[]> {
    const id = await device.bench.agent(twoSteps(agentId, receiver.origin));
    const runIds: string[] = [];
    for (let press = 0; press < count; press += 1) {
      const runId = await device.bench.run(id, `press ${press}`);
      expect(await device.bench.ended(runId)).toBe('done');
      runIds.push(runId);
    }
    return runIds;
  }

  const condensedRuns = (device: JournalDevice): number => device.bench.rows('SELECT 1 FROM compacted_runs').length;

  async function condensed(device: JournalDevice, count: number): Promise<void> {
    await device.bench.until(`${count} runs are condensed`, () => {
      for (const each of devices) void each.sync.now();
      return condensedRuns(device) === count;
    });
  }

  function expectSound(): void {
    for (const { bench } of devices) {
      const db = bench.host.control.connection()?.db;
      if (db === undefined) throw new Error('The record is not open.');
      for (const device of devices) expect(verifyJournal(db, device.deviceId)).toBeNull();
      expect(bench.rows('SELECT * FROM quarantines')).toEqual([]);
    }
  }

  /** What one did that joins when the entries are gone, and goes on with the others. */
  async function expectToBegin(
    [anna, ben]: readonly [JournalDevice, JournalDevice],
    bring: () => Promise<JournalDevice>,
  ): Promise<void> {
    const runIds = await live(anna, 'report', 3);
    await settle([anna, ben]);
    const before = { hash: anna.hash(), oracle: anna.bench.rows(ORACLE) };
    await condensed(anna, 3);
    await condensed(ben, 3);
    expect(anna.bench.rows(ORACLE)).toEqual(before.oracle);
    expect([anna.hash(), ben.hash()]).toEqual([before.hash, before.hash]);
    // The next checkpoint has what the runs came to instead of their entries.
    await live(anna, 'parcels', 1);
    await condensed(anna, 4);
    await condensed(ben, 4);
    const cleo = await bring();
    await settle(devices);
    expect(cleo.bench.rows(ORACLE)).toEqual(anna.bench.rows(ORACLE));
    const entries = `SELECT 1 FROM ops WHERE kind = 'settle.recorded' AND run_id = ?`;
    for (const runId of runIds) {
      expect(cleo.bench.look(runId as never)).toMatchObject({ ending: 'done' });
      expect(cleo.bench.rows(entries, runId)).toEqual([]);
    }
    const [later = ''] = await live(ben, 'letters', 1);
    await settle(devices);
    expect(cleo.bench.rows(entries, later).length).toBeGreaterThan(0);
    expect(receiver.received).toHaveLength(10);
    expectSound();
  }

  it('one that joins later knows less of what was done, or cannot go on with the others', async () => {
    const anna = await open('anna');
    const words = await anna.create(relay);
    const ben = await open('ben');
    await ben.join(relay, words);
    await expectToBegin([anna, ben], async () => {
      const cleo = await open('cleo', NEVER);
      await cleo.join(relay, words);
      return cleo;
    });
  });

  it('a hub carries no checkpoint', async () => {
    const anna = await open('anna', AT_ONCE, null);
    await startHubOf(anna);
    const words = await anna.create({ kind: 'this-hub' });
    const guest = async (name: string, terms = AT_ONCE): Promise<JournalDevice> => {
      const device = await open(name, terms, null);
      await pairWith(anna, device);
      await device.join({ kind: 'hub' }, words);
      return device;
    };
    await expectToBegin([anna, await guest('ben')], () => guest('cleo', NEVER));
  });

  it('a PostgreSQL server carries no checkpoint', async () => {
    const server = await PostgresServer.start();
    try {
      const { host, port, user } = server;
      const place = {
        host,
        port,
        user,
        database: await server.createDatabase(),
        tls: 'off',
        authorityPem: '',
      } as const;
      const choice = { kind: 'postgres', ...place } as const;
      const secrets = { password: server.password, privateKeyPem: '' };
      const anna = await open('anna');
      const words = await anna.create(choice, secrets);
      const guest = async (name: string, terms = AT_ONCE): Promise<JournalDevice> => {
        const device = await open(name, terms);
        await device.join(choice, words, secrets);
        return device;
      };
      await expectToBegin([anna, await guest('ben')], () => guest('cleo', NEVER));
      for (const device of devices.splice(0).toReversed()) await device.close();
    } finally {
      await server.end();
    }
  });

  it('one that was alone for long cannot share any more, or is not understood by those that share already', async () => {
    const anna = await open('anna', AT_ONCE, null);
    await live(anna, 'report', 2);
    await condensed(anna, 2);
    const words = await anna.create(relay);
    const ben = await open('ben', AT_ONCE, null);
    await ben.join(relay, words);
    await settle([anna, ben]);
    const cleo = await open('cleo', AT_ONCE, null);
    await live(cleo, 'letters', 2);
    await condensed(cleo, 2);
    await cleo.join(relay, words);
    await settle(devices);
    for (const device of devices) expect(device.bench.rows('SELECT 1 FROM runs')).toHaveLength(4);
    await live(ben, 'parcels', 1);
    await settle(devices);
    expectSound();
  });

  /** Counts how often it was looked for runs to condense. */
  function countedLooks(): { readonly count: number; readonly terms: CondensingTerms } {
    const looks = {
      count: 0,
      terms: {
        ...AT_ONCE,
        get lookEveryMs() {
          looks.count += 1;
          return 50;
        },
      },
    };
    return looks;
  }

  it('one that shares the right to act but no record drops steps of runs that others still write about', async () => {
    const looks = countedLooks();
    const anna = await open('anna', looks.terms);
    await live(anna, 'report', 1);
    const before = looks.count;
    await anna.bench.until('it has looked a few times', () => looks.count > before + 3);
    expect(condensedRuns(anna)).toBe(0);
    const words = await anna.create(relay);
    const ben = await open('ben', NEVER);
    await ben.join(relay, words);
    await settle([anna, ben]);
    await condensed(anna, 1);
    expectSound();
  });

  it('those that share drop steps of runs in which one had a part that shares only the right to act', async () => {
    const cleo = await open('cleo', NEVER);
    await live(cleo, 'report', 1);
    const looks = countedLooks();
    const anna = await open('anna', looks.terms);
    const words = await anna.create(relay);
    await live(anna, 'report', 1);
    await live(anna, 'letters', 1);
    // Alone in the space, and then with somebody else.
    await condensed(anna, 1);
    const ben = await open('ben', NEVER);
    await ben.join(relay, words);
    await settle([anna, ben]);
    const before = looks.count;
    await anna.bench.until('it has looked a few times', () => {
      void anna.sync.now();
      return looks.count > before + 3;
    });
    const ofAgents = 'SELECT DISTINCT agent_id FROM runs JOIN compacted_runs USING (run_id)';
    expect(anna.bench.rows(ofAgents)).toEqual([{ agent_id: 'letters' }]);
    await cleo.join(relay, words);
    await settle(devices);
    // Both pressed the same: it is one run, and was done once.
    await condensed(anna, 2);
    await settle(devices);
    expect(receiver.received).toHaveLength(4);
    expectSound();
  });

  it('a process that ends between the checkpoint and the dropping loses anything', async () => {
    const anna = await open('anna', NEVER);
    const words = await anna.create(relay);
    await live(anna, 'report', 2);
    must(await anna.sync.now());
    await anna.bench.until('a checkpoint is held', () => {
      void anna.sync.now();
      return anna.sync.status()?.relay?.checkpoint !== null;
    });
    const before = { hash: anna.hash(), oracle: anna.bench.rows(ORACLE) };
    await anna.vanish();
    devices = [];
    const again = await open('anna');
    await condensed(again, 2);
    expect(again.bench.rows(ORACLE)).toEqual(before.oracle);
    expect(again.hash()).toBe(before.hash);
    const ben = await open('ben');
    await ben.join(relay, words);
    await settle(devices);
    expect(ben.bench.rows(ORACLE)).toEqual(before.oracle);
    expectSound();
    expect(readdirSync(join(folder, 'shared')).length).toBeGreaterThan(0);
  });

  it('what a device that is gone wrote is lost by the folder, and one that comes later never hears of it', async () => {
    // Nothing else makes a checkpoint.
    const few = { ...NEVER, checkpointEntries: Number.MAX_SAFE_INTEGER };
    const anna = await open('anna', few);
    const words = await anna.create(relay);
    const ben = await open('ben', few);
    await ben.join(relay, words);
    const [runId = ''] = await live(ben, 'report', 1);
    await settle([anna, ben]);
    const benId = ben.deviceId as DeviceId;
    await ben.close();
    devices = [anna];
    // As where two devices that did not see each other dropped what only the checkpoint of the other one lacked.
    const place = join(folder, 'shared', 'devices', deviceFolderName(benId));
    const lost = readdirSync(place).filter((name) => name.startsWith('segment-'));
    expect(lost).not.toEqual([]);
    for (const name of lost) rmSync(join(place, name));
    const cleo = await open('cleo', few);
    await cleo.join(relay, words);
    await settle([anna, cleo]);
    expect(cleo.bench.look(runId as RunId)).toMatchObject({ ending: 'done' });
    expectSound();
  });
});
