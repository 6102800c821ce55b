import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RawData } from 'ws';
import { HubHere } from '../../src/main/coordinators/choice/hub-here.ts';
import { openSqliteDevices } from '../../src/main/coordinators/sqlite/sqlite-devices.ts';
import { openSqliteRelay } from '../../src/main/coordinators/sqlite/sqlite-relay.ts';
import { HUB_PATHS } from '../../src/main/hub/hub-wire.ts';
import { openHostRelay } from '../../src/main/hub/relay/host-relay.ts';
import type { Relay } from '../../src/main/relays/relay.ts';
import { startTestHub } from './hub-benches.ts';
import type { RunningHub } from './hub-benches.ts';
import { openLine, openSession, proof } from './hub-stranger.ts';
import { describeRelay } from './relay-conformance.ts';
import { makeHubRelayBench, openRelayOf } from './relay-hub-bench.ts';
import { ANNA, BEN, CLEO, codeOf, must, pullAll, sampleOperation, sampleOperations } from './relay-samples.ts';
import type { RelayBench } from './relay-samples.ts';

/** How long a device may be left without news, ms. */
const NEWS_LIMIT_MS = 1_000;

/** The hub's journals as the device that runs the hub has them: without the door. */
async function makeHostRelayBench(): Promise<RelayBench> {
  const folder = mkdtempSync(join(tmpdir(), 'fencepost-hub-'));
  const time = { passedMs: 0 };
  const wallMs = () => Date.now() + time.passedMs;
  const open = () => ({ storage: must(openSqliteRelay({ folder, wallMs })), devices: must(openSqliteDevices(folder)) });
  let parts = open();
  const end = async () => {
    await parts.storage.close();
    await parts.devices.close();
  };
  return {
    tellsChanges: true,
    open: async (deviceId) => openHostRelay(parts, { deviceId, name: 'The hub on this device' }),
    pass: async (ms) => void (time.passedMs += ms),
    async restart() {
      await end();
      parts = open();
    },
    async close() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describeRelay('the hub, through its door', makeHubRelayBench);
describeRelay('the hub, on its own machine', makeHostRelayBench);

describe('news', () => {
  let running: RunningHub;
  const relays: Relay[] = [];

  beforeEach(async () => {
    running = await startTestHub();
  });

  afterEach(async () => {
    await Promise.all(relays.splice(0).map((relay) => relay.close()));
    await running.close();
  });

  async function open(name: string): Promise<Relay> {
    const relay = openRelayOf(running, await running.letIn(name));
    relays.push(relay);
    return relay;
  }

  it('that is late, missing, told to the one who made it, or told where there is none', async () => {
    const [anna, ben] = [await open(ANNA), await open(BEN)];
    const heard = { anna: 0, ben: 0 };
    let wake: () => void = () => undefined;
    anna.onChange?.(() => (heard.anna += 1));
    ben.onChange?.(() => {
      heard.ben += 1;
      wake();
    });
    // A line that was just opened says once that there may be something.
    await expect.poll(() => heard).toEqual({ anna: 1, ben: 1 });
    for (let seq = 1; seq <= 5; seq += 1) {
      const told = new Promise<void>((resolve) => (wake = resolve));
      const pushedMs = performance.now();
      must(await anna.push([sampleOperation(ANNA, seq)]));
      await told;
      expect(performance.now() - pushedMs).toBeLessThan(NEWS_LIMIT_MS);
      must(await anna.push([sampleOperation(ANNA, seq)]));
    }
    // The news of this comes after any that a repeated push would have made.
    const told = new Promise<void>((resolve) => (wake = resolve));
    must(await (await open(CLEO)).push([sampleOperation(CLEO, 1)]));
    await told;
    await expect.poll(() => heard).toEqual({ anna: 2, ben: 7 });
  });

  it('that says more than that there is some', async () => {
    const anna = await open(ANNA);
    const session = await openSession(running, await running.letIn(BEN));
    const { line } = await openLine(running, proof(session, { method: 'GET', path: HUB_PATHS.changes, sequence: 1 }));
    const told = once(line, 'message') as Promise<[RawData]>;
    must(await anna.push(sampleOperations(ANNA, [1, 3])));
    const [message] = await told;
    expect(Buffer.from(message as ArrayBuffer).toString('utf8')).toBe('{"journals":true}');
    line.terminate();
  });

  it('that is lost with the line stays unknown after it was made again', async () => {
    const [anna, ben] = [await open(ANNA), await open(BEN)];
    let heard = 0;
    ben.onChange?.(() => (heard += 1));
    await expect.poll(() => heard).toBe(1);
    await running.restart();
    must(await anna.push([sampleOperation(ANNA, 1)]));
    await expect.poll(() => heard, { timeout: 20_000 }).toBeGreaterThan(1);
  });
});

describe('what a hub answers that does not follow', () => {
  it('is taken for entries', async () => {
    const running = await startTestHub();
    const relay = openRelayOf(running, await running.letIn(ANNA));
    const journals = running.journals();
    const wrong = [
      { operations: [sampleOperation(BEN, 2)], isMore: false },
      { operations: [sampleOperation(BEN, 1), sampleOperation(BEN, 1)], isMore: false },
      { operations: [], isMore: true },
      { operations: [{ ...sampleOperation(BEN, 1), box: '<script>' }], isMore: false },
    ];
    for (const page of wrong) {
      journals.pull = async () => ({ ok: true, value: page });
      expect(codeOf(await relay.pull({}))).toBe('relay-unreachable');
    }
    await relay.close();
    expect((await running.register().current('agent' as never)).ok).toBe(true);
    await running.close();
  });
});

describe('the hub on one of the devices', () => {
  it('leaves out the device that runs it, or loses what was exchanged when its door shuts', async () => {
    const profileFolder = mkdtempSync(join(tmpdir(), 'fencepost-hub-here-'));
    const here = new HubHere({ profileFolder, version: '0.0.0-test', device: { deviceId: ANNA, name: 'Anna' } });
    must(await here.start(0));
    const own = must(await here.relay());
    must(await own.push(sampleOperations(ANNA, [1, 3])));
    await own.close();
    expect(codeOf(await own.pull({}))).toBe('relay-unreachable');
    await here.stop();
    const again = must(await here.relay());
    expect((await pullAll(again)).operations).toEqual(sampleOperations(ANNA, [1, 3]));
    await here.close();
    expect(codeOf(await again.pull({}))).toBe('relay-unreachable');
    rmSync(profileFolder, { recursive: true, force: true });
  });
});
