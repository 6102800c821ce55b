import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newSpaceSecret } from '../../src/main/relays/seal/space-secret.ts';
import { newKeyRing, rotateKeys } from '../../src/main/relays/seal/key-ring.ts';
import { useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import { verifyJournal } from '../../src/main/store/journal-rows.ts';
import { problem } from '../../src/shared/contract/errors.ts';
import { ok } from '../../src/shared/lib/result.ts';
import { Random } from '../harness/random.ts';
import { HostileStorage } from './hostile-relay.ts';
import { forged, PumpDevice } from './pump-bench.ts';

const newFolder = useTemporaryFolders();
let storage: HostileStorage;
let folder: string;
const devices: PumpDevice[] = [];

beforeEach(() => {
  storage = new HostileStorage();
  folder = newFolder();
});
afterEach(async () => {
  for (const device of devices.splice(0)) await device.close();
});

function start(name: string): PumpDevice {
  const device = new PumpDevice(folder, name, { storage });
  devices.push(device);
  return device;
}

const saved = (name: string) => ({ agentId: name, revisionDigest: name, name, description: '', source: '' });
const FULL = problem('relay-full', 'The shared folder is full.', 'Free some space.');

describe('an entry that this version cannot work in', () => {
  it('nonsense of a known kind harms the record, hides what came before it, or stops the others', async () => {
    const [anna, ben, cleo] = [start('anna'), start('ben'), start('cleo')];
    await ben.write('of ben');
    await cleo.write('of cleo');
    await cleo.pass();
    const { privateKey } = anna;
    const entries = [
      { kind: 'agent.saved', payload: saved('before') },
      { kind: 'agent.saved', payload: { agentId: 'before' } },
      { kind: 'agent.saved', payload: saved('after') },
    ];
    storage.journals.set(anna.deviceId, forged(anna.deviceId, entries, { privateKey }));
    await ben.pass();
    expect(ben.aside()).toMatchObject({ anna: { kind: 'not-understood', seq: 2 } });
    const agents = ben.rows<{ agent_id: string }>('SELECT agent_id FROM agents ORDER BY agent_id');
    expect(agents.map((row) => row.agent_id)).toEqual(['before', 'of ben', 'of cleo']);
    expect(ben.rows('SELECT 1 FROM runs')).toEqual([]);
    for (const deviceId of ['anna', 'ben', 'cleo']) expect(verifyJournal(ben.connection.db, deviceId)).toBe(null);
    // The place in the record that was given back is given to the next one.
    await ben.write('later');
    const places = ben.rows<{ seq: number }>('SELECT seq FROM ops ORDER BY seq').map((row) => row.seq);
    expect(places).toEqual([1, 2, 3, 4]);
    await ben.tryAgain();
    expect(ben.aside()).toMatchObject({ anna: { kind: 'not-understood', seq: 2 } });
    expect(ben.known('anna')).toBe(1);
  });

  it('an entry of a later version is dropped, or is called a fault', async () => {
    const [anna, ben] = [start('anna'), start('ben')];
    await anna.write('one');
    await anna.writeAny('moon.landed', { agentId: 'one', crew: ['Ada', 'Grace'] });
    await anna.write('two');
    await anna.pass();
    await ben.pass();
    expect(ben.aside()).toEqual({});
    const sql = 'SELECT op_id, payload FROM ops WHERE kind = ?';
    expect(ben.rows(sql, 'moon.landed')).toEqual(anna.rows(sql, 'moon.landed'));
    expect(ben.rows(sql, 'moon.landed')).toHaveLength(1);
    expect(ben.hash()).toBe(anna.hash());
  });

  it('nonsense among very many entries stops the device without a word', async () => {
    const [anna, ben] = [start('anna'), start('ben')];
    const { privateKey } = anna;
    const many = Array.from({ length: 2_100 }, (_, index) => ({
      kind: 'agent.saved',
      payload: saved(`agent ${index}`),
    }));
    const nonsense = { kind: 'agent.saved', payload: { agentId: 'agent 1' } };
    const entries = [...many.slice(0, 50), nonsense, ...many.slice(50)];
    storage.journals.set(anna.deviceId, forged(anna.deviceId, entries, { privateKey }));
    expect(await ben.pump.passNow()).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(ben.pump.status().problem).toMatchObject({ message: expect.stringContaining('worked in') });
    expect(ben.pump.status().problem?.wayOut).toContain('Update');
    // Half of a record is nothing to act on.
    expect(ben.pump.isCatchingUp()).toBe(true);
  });
});

describe('a relay or a disk in trouble', () => {
  it('a full relay keeps what the others wrote from this device, or loses what this one wrote', async () => {
    const [anna, ben] = [start('anna'), start('ben')];
    await anna.write('one');
    await anna.pass();
    await ben.write('two', 'three');
    storage.pushProblem = FULL;
    expect(await ben.pump.passNow()).toMatchObject({ ok: false, error: { code: 'relay-full' } });
    expect(ben.pump.status().problem).toEqual(FULL);
    expect(ben.known('anna')).toBe(1);
    expect(storage.heads()).toEqual({ anna: 1 });
    storage.pushProblem = null;
    await ben.pass();
    await anna.pass();
    expect(ben.pump.status().problem).toBe(null);
    expect(anna.known('ben')).toBe(2);
    expect(anna.hash()).toBe(ben.hash());
  });

  it('entries that were dropped below a checkpoint are passed over in silence', async () => {
    const [anna, ben] = [start('anna'), start('ben')];
    await anna.write('one');
    await anna.pass();
    storage.pullProblem = problem('relay-truncated', 'Only in a checkpoint.', 'Read that first.');
    expect(await ben.pump.passNow()).toMatchObject({ ok: false, error: { code: 'relay-truncated' } });
    expect(storage.acknowledged.has(ben.deviceId)).toBe(false);
    expect(ben.aside()).toEqual({});
    storage.pullProblem = null;
    await ben.pass();
    expect(ben.known('anna')).toBe(1);
  });

  it('a disk that fills in the middle of a fold is called a fault of the other device, or loses a part', async () => {
    const [anna, ben] = [start('anna'), start('ben')];
    await ben.write('of ben');
    const long = Array.from({ length: 600 }, (_, index) => `agent ${index} ${'long '.repeat(100)}`);
    await anna.write(...long);
    await anna.pass();
    const { db } = ben.connection;
    const pages = db.pragma('page_count', { simple: true }) as number;
    db.pragma(`max_page_count = ${pages + 150}`);
    expect(await ben.pump.passNow()).toMatchObject({ ok: false, error: { code: 'store-full' } });
    await ben.store.reopened();
    expect(ben.aside()).toEqual({});
    const known = ben.known('anna');
    expect(known).toBeLessThan(600);
    expect(storage.acknowledged.has(ben.deviceId)).toBe(false);
    expect(verifyJournal(ben.connection.db, 'anna')).toBe(null);
    // The room is there again with the next connection.
    await ben.pass();
    await anna.pass();
    expect(ben.known('anna')).toBe(600);
    expect(ben.hash()).toBe(anna.hash());
  });
});

describe('pages that are not as they should be', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'cut short, doubled or empty pages lose or repeat an entry (seed %i)',
    async (seed) => {
      const random = new Random(seed, 'pages');
      const [anna, ben, cleo] = [start('anna'), start('ben'), start('cleo')];
      storage.pageOperations = 7;
      for (const device of [anna, cleo]) {
        for (let round = 0; round < 6; round += 1) {
          await device.write(...Array.from({ length: 1 + random.below(6) }, (_, index) => `${round} ${index}`));
          await device.pass();
        }
      }
      let odd = 0;
      storage.page = ({ operations, isMore }) => {
        const deed = random.below(4);
        if (deed > 0) odd += 1;
        if (deed === 1) return { operations: operations.slice(0, random.below(operations.length + 1)), isMore };
        if (deed === 2) return { operations: operations.flatMap((operation) => [operation, operation]), isMore };
        if (deed === 3) return { operations: [], isMore: true };
        return { operations, isMore };
      };
      for (let pass = 0; pass < 200 && ben.known('anna') + ben.known('cleo') < total(); pass += 1) await ben.pass();
      storage.page = (page) => page;
      for (const device of [anna, ben, cleo]) await device.pass();
      expect(odd).toBeGreaterThan(3);
      expect(ben.aside()).toEqual({});
      expect(new Set([anna.hash(), ben.hash(), cleo.hash()]).size).toBe(1);
    },
  );

  function total(): number {
    return Object.values(storage.heads()).reduce((sum, seq) => sum + seq, 0);
  }
});

describe('pages without an end', () => {
  it('what waits for a key fills every page, so that the key never comes', async () => {
    const ring = newKeyRing(newSpaceSecret());
    const rotated = rotateKeys(ring, []);
    if (!rotated.ok) throw new Error(rotated.error.kind);
    const [anna, ben, cleo] = [start('anna'), start('ben'), start('cleo')];
    for (const device of [anna, ben, cleo]) device.ring = ring;
    anna.ring = rotated.value.ring;
    anna.keyEpoch = 2;
    ben.acceptKeys = () => {
      ben.ring = rotated.value.ring;
      return ok(null);
    };
    for (let index = 0; index < 20; index += 1) {
      await anna.write(`agent ${index}`);
      await anna.pump.passNow();
    }
    await cleo.write('of cleo');
    await cleo.writeAny('sync.keys-rotated', { rotation: rotated.value.wrapped });
    await cleo.pump.passNow();
    storage.pageOperations = 5;
    await ben.pass();
    expect(ben.known('cleo')).toBe(2);
    expect(ben.aside()).toEqual({});
    await ben.pass();
    expect(ben.known('anna')).toBe(20);
  });

  it('a relay that always says that there is more keeps a pass from ending', async () => {
    const [anna, ben] = [start('anna'), start('ben')];
    await anna.write('one');
    await anna.pass();
    storage.page = ({ operations }) => ({ operations, isMore: true });
    const before = storage.pulls;
    await ben.pass();
    expect(ben.known('anna')).toBe(1);
    expect(storage.pulls - before).toBeLessThan(5);
  });
});
