import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deviceFolderName } from '../../src/main/relays/folder/device-folder.ts';
import { openFolderRelay } from '../../src/main/relays/folder/folder-relay.ts';
import { sealSegment } from '../../src/main/relays/folder/relay-records.ts';
import type { Relay } from '../../src/main/relays/relay.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import { describeRelay } from './relay-conformance.ts';
import { makeRoot, NOW_MS, openAt, SPACE } from './relay-folder-copier.ts';
import {
  ANNA,
  BEN,
  codeOf,
  must,
  pullAll,
  pushAll,
  sampleOperation,
  sampleOperations,
  stateOf,
} from './relay-samples.ts';

describeRelay('the folder relay', () => {
  const folder = makeRoot();
  const opened: Relay[] = [];
  let nowMs = NOW_MS;
  return Promise.resolve({
    async open(deviceId: DeviceId) {
      const relay = must(await openFolderRelay({ folder, spaceId: SPACE, deviceId, isNew: true, wallMs: () => nowMs }));
      opened.push(relay);
      return relay;
    },
    async pass(ms: number) {
      nowMs += ms;
      await Promise.resolve();
    },
    tellsChanges: true,
    async close() {
      for (const relay of opened) await relay.close();
      await rm(folder, { recursive: true, force: true });
    },
  });
});

describe('a folder that is not what it was', () => {
  let root: string;
  beforeEach(() => {
    root = makeRoot();
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });
  const wallMs = (): number => NOW_MS;

  it('is not made anew when its drive is unplugged: not at an opening, and not under a relay that is open', async () => {
    const folder = path.join(root, 'drive', 'journals');
    await mkdir(path.dirname(folder));
    const relay = await openAt(folder, ANNA);
    await pushAll(relay, sampleOperations(ANNA, [1, 2]));
    await rename(path.dirname(folder), path.join(root, 'unplugged'));
    for (const again of [1, 2]) {
      expect(codeOf(await relay.contact()), `${again}`).toBe('relay-unreachable');
      expect(codeOf(await relay.push(sampleOperations(ANNA, [3, 3])))).toBe('relay-unreachable');
      expect(codeOf(await relay.acknowledge({ anna: 1 }))).toBe('relay-unreachable');
      expect(codeOf(await openFolderRelay({ folder, spaceId: SPACE, deviceId: ANNA, wallMs }))).toBe(
        'relay-unreachable',
      );
    }
    // The place where a drive would be is often there as an empty folder.
    await mkdir(folder, { recursive: true });
    expect(codeOf(await relay.push(sampleOperations(ANNA, [3, 3])))).toBe('relay-unreachable');
    expect(await readdir(folder)).toEqual([]);
    await rm(path.dirname(folder), { recursive: true });
    await rename(path.join(root, 'unplugged'), path.dirname(folder));
    expect(await pushAll(relay, sampleOperations(ANNA, [3, 3]))).toBe(3);
  });

  it('is not taken for the right one if it belongs to other devices, or its first file is cut, or from a newer version', async () => {
    await openAt(root, ANNA);
    const marker = path.join(root, 'fencepost-relay.json');
    const whole = readFileSync(marker, 'utf8');
    const open = (spaceId: string): ReturnType<typeof openFolderRelay> =>
      openFolderRelay({ folder: root, spaceId, deviceId: BEN, isNew: true, wallMs });
    expect(codeOf(await open('space-2'))).toBe('relay-foreign');
    for (const text of [whole.slice(0, 20), '', '[]', 'x'.repeat(5_000), whole.replace('"version":1', '"version":2')]) {
      writeFileSync(marker, text);
      expect(codeOf(await open(SPACE))).toBe('relay-unreachable');
      expect(readFileSync(marker, 'utf8')).toBe(text);
    }
    writeFileSync(marker, whole);
    expect(codeOf(await open(SPACE))).toBeNull();
  });

  it('does not fill up with files: a journal of many small pushes is in few files, and every entry is there once', async () => {
    const relay = await openAt(root, ANNA);
    const own = path.join(root, 'devices', deviceFolderName(ANNA));
    let most = 0;
    for (let seq = 1; seq <= 200; seq++) {
      must(await relay.push([sampleOperation(ANNA, seq)]));
      must(await relay.acknowledge({ anna: seq }));
      most = Math.max(most, readdirSync(own).length);
    }
    expect(most).toBeLessThan(40);
    expect((await pullAll(await openAt(root, BEN))).operations).toEqual(sampleOperations(ANNA, [1, 200]));
  });

  it('is readable for nobody else', async () => {
    const relay = await openAt(root, ANNA);
    await stateOf(relay);
    await pushAll(relay, sampleOperations(ANNA, [1, 1]));
    const own = path.join(root, 'devices', deviceFolderName(ANNA));
    const modes = [own, ...readdirSync(own).map((name) => path.join(own, name))].map(
      (file) => statSync(file).mode & 0o777,
    );
    // Windows keeps permissions in lists that a person's own folders inherit.
    expect(modes).toEqual(process.platform === 'win32' ? expect.anything() : [0o700, 0o600, 0o600]);
  });

  it('does not carry what a crash left half written, and clears it away once it is old', async () => {
    const relay = await openAt(root, ANNA);
    await pushAll(relay, sampleOperations(ANNA, [1, 1]));
    const own = path.join(root, 'devices', deviceFolderName(ANNA));
    const { content } = sealSegment(sampleOperations(ANNA, [2, 2]));
    const left = path.join(own, '.fencepost-left.tmp');
    writeFileSync(left, content);
    utimesSync(left, (NOW_MS - 60_000) / 1_000, (NOW_MS - 60_000) / 1_000);
    expect((await stateOf(await openAt(root, ANNA))).heads).toEqual({ anna: 1 });
    expect(existsSync(left), 'another opening may be writing it').toBe(true);
    utimesSync(left, (NOW_MS - 7_200_000) / 1_000, (NOW_MS - 7_200_000) / 1_000);
    await openAt(root, ANNA);
    expect(existsSync(left)).toBe(false);
  });

  it('follows no link out of the folder', async () => {
    const relay = await openAt(root, ANNA);
    await pushAll(relay, sampleOperations(ANNA, [1, 1]));
    const secret = path.join(root, 'elsewhere');
    writeFileSync(secret, sealSegment(sampleOperations(ANNA, [2, 2])).content);
    await symlink(secret, path.join(root, 'devices', deviceFolderName(ANNA), 'segment-2-2.fencepost'), 'file');
    expect((await stateOf(await openAt(root, BEN))).heads).toEqual({ anna: 1 });
  });

  it('is not written again with every contact: each time is a file that all others have to fetch', async () => {
    let nowMs = NOW_MS;
    const opened = await openFolderRelay({
      folder: root,
      spaceId: SPACE,
      deviceId: ANNA,
      isNew: true,
      wallMs: () => nowMs,
    });
    const relay = must(opened);
    const own = path.join(root, 'devices', deviceFolderName(ANNA));
    const seen = new Set<string>();
    for (let contact = 0; contact < 60; contact++) {
      await stateOf(relay);
      for (const name of readdirSync(own)) seen.add(name);
      nowMs += 20_000;
    }
    expect(seen.size).toBeGreaterThan(1);
    expect(seen.size).toBeLessThan(4);
  });

  it('does not wake a device with what it wrote itself', async () => {
    const anna = await openAt(root, ANNA);
    await stateOf(anna);
    await stateOf(await openAt(root, BEN));
    let heard = 0;
    anna.onChange(() => (heard += 1));
    await expect.poll(() => heard).toBeGreaterThan(0);
    // Until the watches stand and what they saw of the beginning is told.
    let quiet = -1;
    while (quiet !== heard) {
      quiet = heard;
      await new Promise((resolve) => setTimeout(resolve, 600));
    }
    await pushAll(anna, sampleOperations(ANNA, [1, 3]));
    must(await anna.acknowledge({ anna: 3 }));
    const ben = await openAt(root, BEN);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(heard).toBe(quiet);
    await pushAll(ben, sampleOperations(BEN, [1, 1]));
    await expect.poll(() => heard, { timeout: 10_000 }).toBeGreaterThan(quiet);
    await anna.close();
  });

  it('is cleared of pieces that never became whole, by their own device and in the end only', async () => {
    const relay = await openAt(root, ANNA);
    await pushAll(relay, sampleOperations(ANNA, [1, 1]));
    const piece = path.join(root, 'devices', deviceFolderName(ANNA), 'segment-2-2-cut.fencepost');
    writeFileSync(piece, sealSegment(sampleOperations(ANNA, [2, 2])).content.subarray(0, 50));
    must(await relay.collect());
    expect(existsSync(piece)).toBe(true);
    expect(relay.findings().map((finding) => finding.message)).toEqual([expect.stringContaining('segment-2-2-cut')]);
    for (let look = 0; look < 140; look++) must(await relay.collect());
    expect(existsSync(piece)).toBe(false);
  });
});
