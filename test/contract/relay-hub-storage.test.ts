import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteRelay } from '../../src/main/coordinators/sqlite/sqlite-relay.ts';
import { openHub } from '../../src/main/hub/open-hub.ts';
import { RELAY_DEVICE_LIMIT } from '../../src/main/hub/relay/relay-storage.ts';
import type { RelayStorage } from '../../src/main/hub/relay/relay-storage.ts';
import { digestOf, newDeviceKey, newHubSecret } from '../../src/main/hub/proofs.ts';
import { openHubBackend } from '../../src/main/hub/open-hub.ts';
import { ensureHubCertificate } from '../../src/main/hub/certificate.ts';
import { openHubCoordinator } from '../../src/main/coordinators/hub/hub-coordinator.ts';
import { openHubRelay } from '../../src/main/relays/hub/hub-relay.ts';
import { ANNA, BEN, codeOf, deviceId, must, sampleCheckpoint, sampleOperation } from './relay-samples.ts';
import { sampleOperations } from './relay-samples.ts';

const DAY_MS = 86_400_000;
const NOBODY = new Set<never>();

let folder: string;
let storage: RelayStorage;
let disk: { freeBytes: number };
let time: { wallMs: number };

function open(): RelayStorage {
  return must(openSqliteRelay({ folder, wallMs: () => time.wallMs, freeBytes: () => disk.freeBytes }));
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fencepost-relay-'));
  disk = { freeBytes: Number.MAX_SAFE_INTEGER };
  time = { wallMs: 1_800_000_000_000 };
  storage = open();
});

afterEach(async () => {
  await storage.close();
  rmSync(folder, { recursive: true, force: true });
});

async function newest(): Promise<string | null> {
  const state = must(await storage.contact({ deviceId: BEN, removed: NOBODY }));
  return state.checkpoint?.checkpointId ?? null;
}

describe('a checkpoint on its way in', () => {
  const { header, parts } = sampleCheckpoint(ANNA, { anna: 3 }, { parts: 3 });
  const begin = async () => must(await storage.beginCheckpoint(ANNA, header)).uploadId ?? '';
  const add = (uploadId: string, index: number) =>
    storage.addPart({ deviceId: ANNA, uploadId, index, part: parts[index] ?? '' });

  it('is shown before it is whole, or lost by a restart in the middle', async () => {
    const uploadId = await begin();
    must(await add(uploadId, 0));
    must(await add(uploadId, 2));
    expect(codeOf(await storage.endCheckpoint({ deviceId: ANNA, uploadId }))).toBe('input-invalid');
    expect(await newest()).toBeNull();
    await storage.close();
    storage = open();
    expect(codeOf(await storage.checkpointPart(header.checkpointId, 0))).toBe('relay-truncated');
    must(await add(uploadId, 1));
    must(await storage.endCheckpoint({ deviceId: ANNA, uploadId }));
    expect(await newest()).toBe(header.checkpointId);
    for (const [index, part] of parts.entries()) {
      expect(must(await storage.checkpointPart(header.checkpointId, index))).toBe(part);
    }
  });

  it('takes the place of one that came meanwhile and knows more', async () => {
    const slow = await begin();
    for (const index of parts.keys()) must(await add(slow, index));
    const better = sampleCheckpoint(BEN, { anna: 3, ben: 1 }, { parts: 1 });
    const fast = must(await storage.beginCheckpoint(BEN, better.header)).uploadId ?? '';
    must(await storage.addPart({ deviceId: BEN, uploadId: fast, index: 0, part: better.parts[0] ?? '' }));
    must(await storage.endCheckpoint({ deviceId: BEN, uploadId: fast }));
    must(await storage.endCheckpoint({ deviceId: ANNA, uploadId: slow }));
    expect(await newest()).toBe(better.header.checkpointId);
  });

  it('is kept for ever when its device gives up, begins again and again, or is let go', async () => {
    const given = await begin();
    const later = [await begin(), await begin()];
    expect(codeOf(await add(given, 0)), 'the oldest makes room').toBe('input-invalid');
    must(await add(later[0] ?? '', 0));
    time.wallMs += DAY_MS + 1;
    must(await storage.collect({ deviceId: BEN, removed: NOBODY }));
    expect(codeOf(await add(later[0] ?? '', 1)), 'a day later').toBe('input-invalid');
    const last = await begin();
    must(await storage.letGo(ANNA));
    expect(codeOf(await add(last, 0)), 'of a device that was let go').toBe('input-invalid');
  });
});

describe('a push', () => {
  it('is news although it brought nothing, or is none although it stopped at a refusal', async () => {
    const told: string[] = [];
    const stop = storage.onPush((device) => told.push(device));
    must(await storage.push(ANNA, sampleOperations(ANNA, [1, 2])));
    expect(told).toEqual([ANNA]);
    must(await storage.push(ANNA, sampleOperations(ANNA, [1, 2])));
    expect(codeOf(await storage.push(ANNA, [sampleOperation(ANNA, 2, { variant: 'other' })]))).toBe('relay-fork');
    expect(told).toEqual([ANNA]);
    const holed = [sampleOperation(ANNA, 3), sampleOperation(ANNA, 5)];
    expect(codeOf(await storage.push(ANNA, holed))).toBe('relay-gap');
    expect(told).toEqual([ANNA, ANNA]);
    stop();
    must(await storage.push(ANNA, [sampleOperation(ANNA, 4)]));
    expect(told).toHaveLength(2);
  });
});

describe('a disk', () => {
  it('is filled up, so that the register beside the journals cannot write', async () => {
    must(await storage.push(ANNA, sampleOperations(ANNA, [1, 2])));
    const { header, parts } = sampleCheckpoint(ANNA, { anna: 1 });
    const uploadId = must(await storage.beginCheckpoint(ANNA, header)).uploadId ?? '';
    disk.freeBytes = 1_000_000;
    expect(codeOf(await storage.push(ANNA, sampleOperations(ANNA, [3, 3])))).toBe('relay-full');
    const part = { deviceId: ANNA, uploadId, index: 0, part: parts[0] ?? '' };
    expect(codeOf(await storage.addPart(part))).toBe('relay-full');
    expect(must(await storage.pull({})).operations).toHaveLength(2);
    must(await storage.acknowledge(ANNA, { anna: 2 }));
  });

  it('loses the file of the journals while it is open, and what comes then passes for kept', async () => {
    must(await storage.push(ANNA, sampleOperations(ANNA, [1, 2])));
    renameSync(join(folder, 'relay.sqlite'), join(folder, 'elsewhere.sqlite'));
    expect(codeOf(await storage.push(ANNA, sampleOperations(ANNA, [3, 3])))).toBe('relay-unreachable');
    expect(codeOf(await storage.pull({}))).toBe('relay-unreachable');
    expect(statSync(join(folder, 'relay.sqlite'), { throwIfNoEntry: false }), 'made anew').toBeUndefined();
  });
});

describe('numbers', () => {
  it('of devices grow without end', async () => {
    const contact = (name: string) => storage.contact({ deviceId: deviceId(name), removed: NOBODY });
    for (let index = 0; index < RELAY_DEVICE_LIMIT; index += 1) {
      must(await contact(`device-${index}`));
      must(await storage.push(deviceId(`device-${index}`), [sampleOperation(deviceId(`device-${index}`), 1)]));
    }
    expect(codeOf(await contact('one more'))).toBe('relay-full');
    expect(codeOf(await storage.push(deviceId('one more'), [sampleOperation(deviceId('one more'), 1)]))).toBe(
      'relay-full',
    );
    const state = must(await contact('device-0'));
    expect([Object.keys(state.heads).length, state.members.length]).toEqual([RELAY_DEVICE_LIMIT, RELAY_DEVICE_LIMIT]);
  });

  it('of entries to drop hold up the register, or are left behind', async () => {
    for (let first = 1; first <= 2_500; first += 500) {
      must(await storage.push(ANNA, sampleOperations(ANNA, [first, first + 499])));
    }
    must(await storage.acknowledge(ANNA, { anna: 2_450 }));
    const { header, parts } = sampleCheckpoint(ANNA, { anna: 2_500 }, { parts: 9 });
    for (const frontier of [header.frontier, { anna: 2_500, ben: 0 }]) {
      const of = { ...header, frontier, checkpointId: header.checkpointId.replace(/^./u, 'a') };
      const uploadId = must(await storage.beginCheckpoint(ANNA, of)).uploadId;
      if (uploadId === null) continue;
      for (const [index, part] of parts.entries())
        must(await storage.addPart({ deviceId: ANNA, uploadId, index, part }));
      must(await storage.endCheckpoint({ deviceId: ANNA, uploadId }));
    }
    let turns = 0;
    const turn = setInterval(() => (turns += 1), 0);
    expect(must(await storage.collect({ deviceId: ANNA, removed: NOBODY })).dropped).toBe(2_450);
    clearInterval(turn);
    expect(turns, 'nobody else had a turn').toBeGreaterThan(0);
    expect(codeOf(await storage.pull({ anna: 2_449 }))).toBe('relay-truncated');
    expect(must(await storage.pull({ anna: 2_450 })).operations).toEqual(sampleOperations(ANNA, [2_451, 2_500]));
  });
});

describe('journals that are damaged', () => {
  it('keep the hub from giving leases', async () => {
    const hubFolder = join(folder, 'hub');
    const backend = must(await openHubBackend({ folder: hubFolder, version: '0.0.0-test' }));
    const keys = newDeviceKey();
    const token = newHubSecret();
    const pairing = {
      deviceId: ANNA,
      name: 'Anna',
      publicKey: keys.publicKey,
      tokenHash: digestOf(token),
      pairedAtMs: 1,
    };
    must(await backend.devices.pair(pairing));
    must(backend.relay);
    for (const part of [must(backend.relay), backend.devices, backend.coordinator]) await part.close();
    writeFileSync(join(hubFolder, 'relay.sqlite'), 'This is no database at all.'.repeat(400));
    const events: string[] = [];
    const log = { write: ({ event }: { readonly event: string }) => void events.push(event) };
    const place = { folder: hubFolder, host: '127.0.0.1', port: 0, name: 'Test hub', version: '0.0.0-test' };
    const hub = must(await openHub({ ...place, log }));
    expect(events).toContain('hub-journals-not-opened');
    const { certificatePem } = must(ensureHubCertificate(hubFolder));
    const { privateKey } = keys;
    const of = { addresses: ['127.0.0.1'], port: hub.port, certificatePem, name: 'Test hub' };
    const as = { deviceId: ANNA, token, privateKey };
    const relay = must(openHubRelay({ ...of, ...as }));
    expect(codeOf(await relay.contact())).toBe('relay-unreachable');
    const coordinator = must(await openHubCoordinator({ ...of, ...as }));
    must(await coordinator.current('agent' as never));
    for (const each of [relay, coordinator, hub]) await each.close();
  });
});
