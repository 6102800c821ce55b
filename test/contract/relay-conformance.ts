import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Relay } from '../../src/main/relays/relay.ts';
import { BOX_LIMIT_CHARACTERS } from '../../src/shared/core/sync/sealed.ts';
import { describeRelayAgainstTheModel } from './relay-model.ts';
import { describeKeeping } from './relay-keeping.ts';
import { describeRelayMembers } from './relay-members.ts';
import { ANNA, BEN, CLEO, codeOf, deviceId, inOrder, must, pullAll, pushAll } from './relay-samples.ts';
import { sampleOperation, sampleOperations, stateOf } from './relay-samples.ts';
import type { RelayBench } from './relay-samples.ts';

/** The tests' one bench at a time. */
export type CurrentBench = () => RelayBench;

/** What every relay has to do alike, whatever carries it (protocol section 7). `make` gives an empty relay for each test. */
export function describeRelay(name: string, make: () => Promise<RelayBench>): void {
  describe(name, () => {
    let current: RelayBench | null = null;
    const bench: CurrentBench = () => {
      if (current === null) throw new Error('There is no bench.');
      return current;
    };
    beforeEach(async () => {
      current = await make();
    });
    afterEach(async () => {
      await current?.close();
      current = null;
    });
    describeCarrying(bench);
    describeRefusals(bench);
    describePages(bench);
    describeAtOnce(bench);
    describeNames(bench);
    describeLife(bench);
    describeKeeping(bench);
    describeRelayMembers(bench);
    describeRelayAgainstTheModel(bench);
  });
}

function describeCarrying(bench: CurrentBench): void {
  describe('carrying', () => {
    it('brings every operation of three devices to each of them, its own included, with nothing changed', async () => {
      const devices = [ANNA, BEN, CLEO];
      const relays = await Promise.all(devices.map((device) => bench().open(device)));
      const sent = devices.flatMap((device, index) => sampleOperations(device, [1, 3 + index]));
      for (const [index, relay] of relays.entries()) {
        const own = sent.filter((operation) => operation.deviceId === devices[index]);
        expect(await pushAll(relay, own)).toBe(3 + index);
      }
      for (const relay of relays) {
        expect(inOrder((await pullAll(relay)).operations)).toEqual(inOrder(sent));
        expect((await stateOf(relay)).heads).toEqual({ anna: 3, ben: 4, cleo: 5 });
      }
    });

    it('gives nothing where there is nothing, and takes an empty push for none', async () => {
      const relay = await bench().open(ANNA);
      expect(must(await relay.pull({}))).toEqual({ operations: [], isMore: false });
      expect(must(await relay.push([])).head).toBe(0);
      expect(await stateOf(relay)).toMatchObject({ heads: {}, checkpoint: null });
    });

    it('gives only what comes after what was asked for, in the middle of a batch as well', async () => {
      const anna = await bench().open(ANNA);
      const ben = await bench().open(BEN);
      await pushAll(anna, sampleOperations(ANNA, [1, 10]));
      await pushAll(ben, sampleOperations(BEN, [1, 4]));
      const have = { anna: 6, ben: 4, unknown: 3 };
      expect((await pullAll(ben, have)).operations).toEqual(sampleOperations(ANNA, [7, 10]));
      expect((await pullAll(ben, { anna: 10, ben: 99 })).operations).toEqual([]);
    });

    it('does not keep a repeated or overlapping push twice', async () => {
      const anna = await bench().open(ANNA);
      const all = sampleOperations(ANNA, [1, 8]);
      await pushAll(anna, all.slice(0, 5));
      expect(must(await anna.push(all.slice(0, 5))).head).toBe(5);
      expect(must(await anna.push(all.slice(1, 3))).head).toBe(5);
      expect(must(await anna.push(all.slice(2))).head).toBe(8);
      expect((await pullAll(anna)).operations).toEqual(all);
    });

    it('tells a listener that another device has pushed, and nobody who stopped listening', async () => {
      const anna = await bench().open(ANNA);
      const ben = await bench().open(BEN);
      expect(ben.onChange !== undefined).toBe(bench().tellsChanges);
      if (ben.onChange === undefined) return;
      let heard = 0;
      let heardByOther = 0;
      const stop = ben.onChange(() => (heard += 1));
      ben.onChange(() => (heardByOther += 1))();
      await stateOf(ben);
      const before = heard;
      await pushAll(anna, sampleOperations(ANNA, [1, 1]));
      await expect.poll(() => heard, { timeout: 10_000 }).toBeGreaterThan(before);
      expect(heardByOther).toBe(0);
      stop();
    });
  });
}

function describeRefusals(bench: CurrentBench): void {
  describe('refusals', () => {
    it('reports a fork by box, wall clock or counter, and keeps nothing from there on', async () => {
      const anna = await bench().open(ANNA);
      const all = sampleOperations(ANNA, [1, 3]);
      await pushAll(anna, all);
      const plain = sampleOperation(ANNA, 2);
      const others = [
        sampleOperation(ANNA, 2, { variant: 'other' }),
        { ...plain, wallMs: plain.wallMs + 1 },
        { ...plain, counter: plain.counter + 1 },
      ];
      for (const other of others) {
        const batch = [sampleOperation(ANNA, 1), other, sampleOperation(ANNA, 3), sampleOperation(ANNA, 4)];
        expect(codeOf(await anna.push(batch))).toBe('relay-fork');
        expect((await pullAll(await bench().open(BEN))).operations).toEqual(all);
        expect((await stateOf(anna)).heads).toEqual({ anna: 3 });
      }
      expect(await pushAll(anna, sampleOperations(ANNA, [4, 4]))).toBe(4);
    });

    it('reports a gap before the first and between two, and holds nothing beyond it', async () => {
      const anna = await bench().open(ANNA);
      expect(codeOf(await anna.push(sampleOperations(ANNA, [2, 3])))).toBe('relay-gap');
      expect((await pullAll(anna)).operations).toEqual([]);
      await pushAll(anna, sampleOperations(ANNA, [1, 2]));
      expect(codeOf(await anna.push([sampleOperation(ANNA, 4)]))).toBe('relay-gap');
      const holed = [sampleOperation(ANNA, 2), sampleOperation(ANNA, 4)];
      expect(codeOf(await anna.push(holed))).toBe('relay-gap');
      expect((await stateOf(anna)).heads).toEqual({ anna: 2 });
      expect(await pushAll(anna, sampleOperations(ANNA, [3, 4]))).toBe(4);
    });

    it('does not take operations in the name of another device', async () => {
      const ben = await bench().open(BEN);
      expect(codeOf(await ben.push(sampleOperations(ANNA, [1, 2])))).toBe('relay-foreign');
      const mixed = [...sampleOperations(ANNA, [1, 1]), ...sampleOperations(BEN, [1, 1])];
      expect(codeOf(await ben.push(mixed))).toBe('relay-foreign');
      expect((await pullAll(ben)).operations.filter((operation) => operation.deviceId === ANNA)).toEqual([]);
    });

    it('does not take a box that is longer than the limit', async () => {
      const anna = await bench().open(ANNA);
      const tooLong = sampleOperation(ANNA, 1, { characters: BOX_LIMIT_CHARACTERS + 1 });
      expect(codeOf(await anna.push([tooLong]))).not.toBeNull();
      expect((await pullAll(anna)).operations).toEqual([]);
    });
  });
}

function describePages(bench: CurrentBench): void {
  describe('pages', () => {
    it('bounds a page by number, also with several devices, and resumes without loss or repetition', async () => {
      const anna = await bench().open(ANNA);
      const ben = await bench().open(BEN);
      const annas = sampleOperations(ANNA, [1, 1_300]);
      const bens = sampleOperations(BEN, [1, 1_100]);
      expect(await pushAll(anna, annas)).toBe(1_300);
      expect(await pushAll(ben, bens)).toBe(1_100);
      const { operations, pages } = await pullAll(anna);
      expect(pages).toBeGreaterThanOrEqual(3);
      expect(inOrder(operations)).toEqual([...annas, ...bens]);
      expect(inOrder((await pullAll(ben, { anna: 1_000, ben: 700 })).operations)).toEqual([
        ...annas.slice(1_000),
        ...bens.slice(700),
      ]);
    });

    it('bounds a page by characters', async () => {
      const anna = await bench().open(ANNA);
      const all = sampleOperations(ANNA, [1, 6], { characters: 1_500_000 });
      await pushAll(anna, all);
      const { operations, pages } = await pullAll(await bench().open(BEN));
      expect(operations).toEqual(all);
      expect(pages).toBeGreaterThanOrEqual(3);
    });

    it('carries the longest box there may be, and what stands around it', async () => {
      const anna = await bench().open(ANNA);
      const longest = sampleOperation(ANNA, 2, { characters: BOX_LIMIT_CHARACTERS });
      const all = [sampleOperation(ANNA, 1), longest, sampleOperation(ANNA, 3)];
      expect(await pushAll(anna, all)).toBe(3);
      expect((await pullAll(await bench().open(BEN))).operations).toEqual(all);
    });
  });
}

function describeAtOnce(bench: CurrentBench): void {
  describe('at once', () => {
    it('loses nothing when several devices push and pull at the same time', async () => {
      const devices = [ANNA, BEN, CLEO];
      await Promise.all(
        devices.map(async (device) => {
          const relay = await bench().open(device);
          for (let batch = 0; batch < 8; batch++) {
            const operations = sampleOperations(device, [batch * 5 + 1, batch * 5 + 5]);
            expect(must(await relay.push(operations)).head).toBe(batch * 5 + 5);
            await pullAll(relay);
          }
        }),
      );
      const { operations } = await pullAll(await bench().open(ANNA));
      expect(inOrder(operations)).toEqual(devices.flatMap((device) => sampleOperations(device, [1, 40])));
    });

    it('holds each operation once when a device is open twice and both push the same', async () => {
      const [first, second] = await Promise.all([bench().open(ANNA), bench().open(ANNA)]);
      const all = sampleOperations(ANNA, [1, 30]);
      for (let from = 0; from < 30; from += 10) {
        const batch = all.slice(from, from + 10);
        const heads = await Promise.all([first.push(batch), second.push(batch), first.push(batch)]);
        expect(heads.map((head) => must(head).head)).toEqual([from + 10, from + 10, from + 10]);
      }
      expect((await pullAll(await bench().open(BEN))).operations).toEqual(all);
    });

    it('never serves both sides of a fork that two openings make at once', async () => {
      const [first, second] = await Promise.all([bench().open(ANNA), bench().open(ANNA)]);
      const one = sampleOperation(ANNA, 1);
      const other = sampleOperation(ANNA, 1, { variant: 'other' });
      await Promise.all([first.push([one]), second.push([other])]);
      const again = [await first.push([one]), await second.push([other])];
      expect(again.map(codeOf)).toContain('relay-fork');
      const { operations } = await pullAll(await bench().open(BEN));
      expect(operations.length).toBeLessThanOrEqual(1);
      for (const operation of operations) expect([one, other]).toContainEqual(operation);
    });
  });
}

/** Ids that the contract takes and that a file system, a path or a database could stumble over. */
const HOSTILE_NAMES = [
  '.',
  '..',
  '../../etc/passwd',
  'a/b\\c:d',
  'CON',
  'nul.txt',
  'Anna',
  'anna',
  'anna.',
  'a%2Fb?c=d&e#f',
  `'; DROP TABLE relay_operations; --`,
  'é',
  'e\u0301',
  '\u{1F980}\u202Eedoc',
  'x'.repeat(160),
  'ä'.repeat(80),
  'constructor',
  '__proto__',
];

function describeNames(bench: CurrentBench): void {
  it('keeps devices apart whatever they are called', async () => {
    const relays = new Map<string, Relay>();
    for (const name of HOSTILE_NAMES) relays.set(name, await bench().open(deviceId(name)));
    for (const [name, relay] of relays) {
      must(await relay.contact());
      expect(await pushAll(relay, sampleOperations(deviceId(name), [1, 2])), name).toBe(2);
    }
    const reader = await bench().open(CLEO);
    const expected = HOSTILE_NAMES.flatMap((name) => sampleOperations(deviceId(name), [1, 2]));
    expect(inOrder((await pullAll(reader)).operations)).toEqual(inOrder(expected));
    const state = await stateOf(reader);
    expect(state.heads).toEqual(Object.fromEntries(HOSTILE_NAMES.map((name) => [name, 2])));
    const members = state.members.map((member) => member.deviceId).filter((member) => member !== CLEO);
    expect(members.toSorted()).toEqual(HOSTILE_NAMES.map(deviceId).toSorted());
  });
}

function describeLife(bench: CurrentBench): void {
  it('answers every question with a problem once it is closed, and closes twice', async () => {
    const relay = await bench().open(ANNA);
    await pushAll(relay, sampleOperations(ANNA, [1, 1]));
    await relay.close();
    await relay.close();
    const answers = [
      await relay.contact(),
      await relay.push(sampleOperations(ANNA, [2, 2])),
      await relay.pull({}),
      await relay.acknowledge({ anna: 1 }),
      await relay.checkpointPart('0'.repeat(64), 0),
      await relay.collect(),
      await relay.letGo(BEN),
    ];
    expect(answers.map(codeOf)).not.toContain(null);
    expect((await stateOf(await bench().open(ANNA))).heads).toEqual({ anna: 1 });
  });
}
