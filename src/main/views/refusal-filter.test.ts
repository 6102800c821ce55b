import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { requestSchemas } from '../../shared/contract/api.ts';
import type { RequestOf } from '../../shared/contract/api.ts';
import { readAll } from '../store/connection.ts';
import { rebuildProjections } from '../store/projections/rebuild.ts';
import { refusalsView } from './refusals.ts';
import { openOtherDevice } from './testing/other-device.ts';
import type { OtherDevice } from './testing/other-device.ts';
import { AGENT, OTHER_DEVICE, createViewBench, identity, OPEN_GATE } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

const HOUR = 3_600_000;
let bench: ViewBench;
let other: OtherDevice;
let folder: string;
beforeEach(() => {
  bench = createViewBench();
  bench.startRun();
  folder = mkdtempSync(path.join(tmpdir(), 'fencepost-refusals-'));
  other = openOtherDevice(folder, OTHER_DEVICE, () => bench.nowMs);
});
afterEach(() => {
  other.close();
  bench.remove();
  rmSync(folder, { recursive: true });
});

const list = (request: RequestOf<'refusals.list'> = {}) =>
  refusalsView(bench.source, requestSchemas['refusals.list'].parse(request));
const own = () => bench.source.device.deviceId;

function refusal(reason: 'authority-missing' | 'superseded') {
  return { ...identity(), decision: { kind: 'refuse', reason }, facts: OPEN_GATE } as const;
}

/** Two times here, an hour apart, and later the same no on the other device. */
async function refuseOnBoth(): Promise<number> {
  const firstMs = bench.nowMs;
  bench.append('gate.decided', refusal('superseded'));
  bench.nowMs += HOUR;
  bench.append('gate.decided', refusal('superseded'));
  bench.nowMs += HOUR;
  await other.write('gate.decided', refusal('superseded'));
  other.handOver(bench.connection);
  return firstMs;
}

describe('refusals of a device', () => {
  it('are told as if this device had held back, or as one with those of another', async () => {
    await refuseOnBoth();
    expect(list().groups).toMatchObject([
      { deviceName: 'Another device', count: 1 },
      { deviceName: bench.source.device.name, count: 2 },
    ]);
    const asked = list().groups.map((group) => group.facts.find((fact) => fact.name === 'Asked by')?.value);
    expect(asked[0]).toMatch(/^Another device, /u);
    expect(list().devices.map((device) => device.deviceId)).toEqual([own(), OTHER_DEVICE]);
    expect(list({ deviceId: OTHER_DEVICE })).toMatchObject({ heldBack: 1, total: 3, groups: [{ count: 1 }] });
    expect(list({ deviceId: own() }).reasons).toEqual([{ word: 'gate', reason: 'superseded', count: 2 }]);
  });

  it('lose their device when the projections are made again', async () => {
    await refuseOnBoth();
    const stored = () => readAll(bench.connection.db, 'SELECT device_id FROM refusals ORDER BY at_ms');
    const devices = [own(), own(), OTHER_DEVICE].map((deviceId) => ({ device_id: deviceId }));
    expect(stored()).toEqual(devices);
    rebuildProjections(bench.connection.db);
    expect(stored()).toEqual(devices);
  });

  it('name a device that no entry names any more, or cannot be found without one', () => {
    bench.append('gate.decided', refusal('superseded'));
    bench.connection.db.exec(`UPDATE refusals SET device_id = ''`);
    expect(list({ sinceMs: 0 })).toMatchObject({ heldBack: 1, devices: [], groups: [{ deviceName: null }] });
  });
});

describe('refusals of a time and of an agent', () => {
  it('leave the first moment out, take the first one after it in, or count what lies outside', async () => {
    const firstMs = await refuseOnBoth();
    expect(list({ sinceMs: firstMs + HOUR, beforeMs: firstMs + 2 * HOUR })).toMatchObject({
      heldBack: 1,
      total: 3,
      groups: [{ count: 1, firstAtMs: firstMs + HOUR, lastAtMs: firstMs + HOUR }],
    });
    expect(list({ sinceMs: firstMs + 9 * HOUR })).toMatchObject({ heldBack: 0, total: 3, groups: [] });
    expect(list({ sinceMs: firstMs + 2 * HOUR, deviceId: own() }).groups).toEqual([]);
  });

  it('let another agent through', async () => {
    await refuseOnBoth();
    expect(list({ agentId: AGENT }).heldBack).toBe(3);
    expect(list({ agentId: 'nobody' }).groups).toEqual([]);
    expect(list({ agentId: 'nobody', sinceMs: 0 }).groups).toEqual([]);
    expect(list().agents).toEqual([{ agentId: AGENT, name: 'Poster' }]);
  });
});

describe('a record of 100,000 refusals', () => {
  it('passes for one of as many as fit the screen', () => {
    bench.connection.db.exec(`INSERT INTO refusals (seq, agent_id, run_id, word, reason, facts, at_ms)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 301)
      SELECT 1000 + i, 'poster', 'run ' || i, 'gate', 'superseded', '{}', i FROM n`);
    const view = list();
    expect(view.groups).toHaveLength(300);
    expect(view).toMatchObject({ isCut: true, heldBack: 301, total: 301, reasons: [{ count: 301 }] });
    expect(list({ beforeMs: 301 })).toMatchObject({ isCut: false, heldBack: 300 });
  });

  it.each<[RequestOf<'refusals.list'>, RegExp]>([
    [{}, /^SCAN refusals USING COVERING INDEX refusals_grouped$/u],
    [{ agentId: AGENT }, /^SEARCH refusals USING COVERING INDEX refusals_grouped \(agent_id=\?\)$/u],
    [{ deviceId: 'other' }, /^SEARCH refusals USING COVERING INDEX refusals_of_device \(device_id=\?\)$/u],
    [{ sinceMs: 1 }, /^SEARCH refusals USING COVERING INDEX refusals_of_device \(device_id=\? AND at_ms>\?\)$/u],
    [
      { deviceId: 'other', sinceMs: 1, beforeMs: 9, agentId: AGENT },
      /^SEARCH refusals USING COVERING INDEX refusals_of_device \(device_id=\? AND at_ms>\? AND at_ms<\?\)$/u,
    ],
  ])('is read with all that it says for the sake of %j', (request, expected) => {
    const { db } = bench.connection;
    const prepare = vi.spyOn(db, 'prepare');
    list(request);
    const asked = prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('GROUP BY'));
    prepare.mockRestore();
    // The groups, and the reasons.
    expect(asked).toHaveLength(2);
    for (const sql of asked) expect(plan(sql)).toEqual(expect.arrayContaining([expect.stringMatching(expected)]));
  });

  /** How SQLite finds what a statement asks for. */
  function plan(sql: string): readonly string[] {
    const unbound = Array.from({ length: sql.split('?').length - 1 }, () => null);
    return bench.connection.db
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...unbound)
      .map((row) => row.detail);
  }
});
