import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deviceFolderName } from '../../src/main/relays/folder/device-folder.ts';
import type { FolderRelay } from '../../src/main/relays/folder/folder-relay.ts';
import { sealRecord } from '../../src/main/relays/folder/record-file.ts';
import { readRecord, sealSegment } from '../../src/main/relays/folder/relay-records.ts';
import { filesIn, foldersIn, makeRoot, openAt } from './relay-folder-copier.ts';
import { ANNA, BEN, CLEO, must, pushAll, sampleCheckpoint, sampleOperation } from './relay-samples.ts';
import { sampleOperations, stateOf } from './relay-samples.ts';

const OPERATIONS = 7;

let root: string;
beforeEach(() => {
  root = makeRoot();
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** A folder with files of every kind: operations of two devices in several pieces, members, a checkpoint in two parts. */
async function fill(): Promise<void> {
  for (const device of [ANNA, BEN]) {
    const relay = await openAt(root, device);
    await stateOf(relay);
    await pushAll(relay, sampleOperations(device, [1, 4]));
    await pushAll(relay, sampleOperations(device, [5, OPERATIONS]));
    must(await relay.acknowledge({ anna: 3, ben: 3 }));
  }
  const { header, parts } = sampleCheckpoint(ANNA, { anna: 2, ben: 1 });
  must(await (await openAt(root, ANNA)).putCheckpoint(header, parts));
}

function everyFile(): string[] {
  const folders = foldersIn(root).map((folder) => path.join(root, 'devices', folder));
  return folders.flatMap((folder) => filesIn(folder).map((name) => path.join(folder, name)));
}

/** Asks everything there is to ask; nothing may throw, and nothing that was not made may be served. Answers how much was. */
async function askEverything(relay: FolderRelay): Promise<number> {
  const state = must(await relay.contact());
  for (const [device, seq] of Object.entries(state.heads)) {
    if (device === ANNA || device === BEN) expect(seq).toBeLessThanOrEqual(OPERATIONS);
  }
  let have: Record<string, number> = {};
  let served = 0;
  if (state.checkpoint !== null && state.checkpoint.deviceId === ANNA) {
    const { header, parts } = sampleCheckpoint(ANNA, { anna: 2, ben: 1 });
    expect(state.checkpoint).toEqual(header);
    expect(must(await relay.checkpointPart(header.checkpointId, 1))).toBe(parts[1]);
    have = { ...header.frontier };
  }
  const pulled = await relay.pull(have);
  if (!pulled.ok) return served;
  for (const operation of pulled.value.operations) {
    expect(operation).toEqual(sampleOperation(operation.deviceId, operation.seq));
    served += 1;
  }
  must(await relay.acknowledge(have));
  must(await relay.collect());
  expect(relay.findings().every((finding) => finding.message !== '')).toBe(true);
  return served;
}

/** Ways to spoil a file's bytes. */
const spoiled = fc.oneof(
  fc.record({ way: fc.constant('flip' as const), at: fc.nat(), bits: fc.integer({ min: 1, max: 255 }) }),
  fc.record({ way: fc.constant('cut' as const), at: fc.nat(), bits: fc.constant(0) }),
  fc.record({ way: fc.constant('twice' as const), at: fc.nat(), bits: fc.constant(0) }),
  fc.record({ way: fc.constant('insert' as const), at: fc.nat(), bits: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ way: fc.constant('noise' as const), at: fc.nat({ max: 400 }), bits: fc.integer({ min: 0, max: 255 }) }),
);

function spoil(content: Buffer, { way, at, bits }: { way: string; at: number; bits: number }): Buffer {
  const place = at % Math.max(1, content.length);
  const [head, tail] = [content.subarray(0, place), content.subarray(place)];
  if (way === 'cut') return head;
  if (way === 'twice') return Buffer.concat([content, tail]);
  if (way === 'insert') return Buffer.concat([head, Buffer.from([bits]), tail]);
  if (way === 'noise') return Buffer.alloc(at, bits);
  const flipped = Buffer.from(content);
  flipped[place] = (flipped[place] ?? 0) ^ bits;
  return flipped;
}

describe('a folder in which anything may stand', () => {
  it('serves nothing that was not made, whatever becomes of the bytes of any file', async () => {
    await fill();
    const files = everyFile();
    expect(files.length).toBeGreaterThanOrEqual(9);
    let served = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(), spoiled), { minLength: 1, maxLength: 4 }), async (spoils) => {
        const before = files.map((file) => readFileSync(file));
        for (const [index, how] of spoils) {
          const file = files[index % files.length] ?? '';
          writeFileSync(file, spoil(readFileSync(file), how));
        }
        const relay = await openAt(root, CLEO);
        served += await askEverything(relay);
        for (const [index, file] of files.entries()) writeFileSync(file, before[index] ?? '');
        // The same relay finds its way back once the files are whole again.
        for (let look = 0; look < 3; look++) must(await relay.contact());
        expect(must(await relay.pull({ anna: 2, ben: 1 })).operations).toHaveLength(2 * OPERATIONS - 3);
        await relay.close();
      }),
      { numRuns: 150 },
    );
    expect(served).toBeGreaterThan(150);
  });

  it('notices every single byte that is changed or missing at the end', () => {
    const { content } = sealSegment(sampleOperations(ANNA, [1, 3]));
    expect(readRecord(content)?.record.kind).toBe('segment');
    for (let at = 0; at < content.length; at++) {
      expect(readRecord(spoil(content, { way: 'flip', at, bits: 1 })), `byte ${at}`).toBeNull();
      expect(readRecord(spoil(content, { way: 'cut', at, bits: 0 })), `cut at ${at}`).toBeNull();
    }
  });

  it('is not stopped by files with a right checksum that say nonsense', async () => {
    await fill();
    const odd = fc.oneof(fc.constantFrom(ANNA, '__proto__', 'constructor', ' ', ''), fc.string(), fc.jsonValue());
    const number = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, 1, 2 ** 52, -1, 0.5, 1e300), fc.jsonValue());
    const pairs = fc.oneof(fc.array(fc.tuple(odd, number), { maxLength: 4 }), fc.jsonValue());
    const header = fc.oneof(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.record({ kind: fc.constant('segment'), deviceId: odd, first: number, last: number }),
      fc.record({
        kind: fc.constant('member'),
        deviceId: odd,
        contacts: number,
        lastSeenAtMs: number,
        acknowledged: pairs,
        droppedUpTo: number,
        letGo: pairs,
      }),
      fc.record({
        kind: fc.constant('checkpoint'),
        deviceId: odd,
        checkpointId: fc.constant('a'.repeat(64)),
        rank: number,
        frontier: pairs,
        parts: fc.array(fc.constant('b'.repeat(64)), { maxLength: 3 }),
      }),
    );
    const lines = fc.array(fc.oneof(fc.json(), fc.string()), { maxLength: 3 });
    const intruder = path.join(root, 'devices', deviceFolderName(ANNA), 'intruder.fencepost');
    await fc.assert(
      fc.asyncProperty(header, lines, async (top, rest) => {
        writeFileSync(intruder, sealRecord(top, rest).content);
        const relay = await openAt(root, CLEO);
        expect(await askEverything(relay)).toBeGreaterThan(0);
        await relay.close();
      }),
      { numRuns: 200 },
    );
  });
});
