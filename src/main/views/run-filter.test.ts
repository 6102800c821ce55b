import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { requestSchemas } from '../../shared/contract/api.ts';
import type { RequestOf } from '../../shared/contract/api.ts';
import type { RunId } from '../../shared/contract/identifiers.ts';
import { change, readAll } from '../store/connection.ts';
import { rebuildProjections } from '../store/projections/rebuild.ts';
import { runsView } from './runs.ts';
import { openOtherDevice } from './testing/other-device.ts';
import { AGENT, OTHER_DEVICE, RUN, createViewBench } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

const DAY = 86_400_000;
let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench();
});
afterEach(() => bench.remove());

const list = (request: RequestOf<'runs.list'> = {}) =>
  runsView(bench.source, requestSchemas['runs.list'].parse(request));
const ids = (request: RequestOf<'runs.list'> = {}) => list(request).rows.map((row) => row.runId);
const own = () => bench.source.device.deviceId;

function startDaily(...names: string[]): number {
  const firstMs = bench.nowMs;
  for (const name of names) {
    bench.startRun(name as RunId);
    bench.nowMs += DAY;
  }
  return firstMs;
}

/** What a folded journal of another device leaves. */
function takenOnElsewhere(runId: string): void {
  change(bench.connection.db, 'UPDATE runs SET device_id = ? WHERE run_id = ?', OTHER_DEVICE, runId);
}

function holdElsewhere(): void {
  const lease = { agentId: AGENT, holder: OTHER_DEVICE, epoch: 5, nonce: 'n', ttlMs: 15_000 };
  const view = { coordinator: { coordinatorId: 'r', incarnation: 'i' }, lease, epoch: 5, remainingMs: 9_000, tail: [] };
  bench.lease = { agentId: AGENT, held: null, state: 'ready', view: { ...view, frontier: {} } };
}

describe('runs of a time', () => {
  it('leaves the first moment out, or takes the first one after it in', () => {
    const firstMs = startDaily('run-1', 'run-2', 'run-3');
    expect(ids({ sinceMs: firstMs + DAY })).toEqual(['run-3', 'run-2']);
    expect(ids({ beforeMs: firstMs + DAY })).toEqual(['run-1']);
    expect(list({ sinceMs: firstMs + DAY, beforeMs: firstMs + 2 * DAY })).toMatchObject({
      total: 3,
      shown: 1,
      counts: { waiting: 1 },
      rows: [{ runId: 'run-2' }],
    });
    expect(ids({ sinceMs: firstMs + 9 * DAY })).toEqual([]);
    expect(ids({ sinceMs: firstMs + DAY, search: 'poster', statuses: ['waiting'] })).toEqual(['run-3', 'run-2']);
  });
});

describe('runs of a device', () => {
  it('shows another device in the row than the one that the filter finds', () => {
    startDaily('run-1', 'run-2');
    bench.append('run.ended', { agentId: AGENT, runId: 'run-2' as RunId, ending: 'done', summary: 'Done' });
    takenOnElsewhere('run-2');
    expect(ids({ deviceId: own() })).toEqual(['run-1']);
    expect(list({ deviceId: OTHER_DEVICE }).rows).toMatchObject([{ runId: 'run-2', deviceName: 'Another device' }]);
    expect(list().devices.map((device) => device.deviceId)).toEqual([own(), OTHER_DEVICE]);
    // Its open runs are with the one that has the right to act, whoever took them on last.
    holdElsewhere();
    expect(ids({ deviceId: own() })).toEqual([]);
    expect(ids({ deviceId: OTHER_DEVICE })).toEqual(['run-2', 'run-1']);
    expect(ids({ deviceId: OTHER_DEVICE, statuses: ['running-elsewhere'] })).toEqual(['run-1']);
  });

  it('cannot be chosen before it ended a run, although it acts for one', () => {
    startDaily('run-1');
    expect(list().devices).toHaveLength(1);
    holdElsewhere();
    expect(list().devices.map((device) => device.deviceId)).toEqual([own(), OTHER_DEVICE]);
  });

  it('is the one that began it although another one ended it, or this one where the entries came from there', async () => {
    startDaily('run-1', 'run-2');
    const folder = mkdtempSync(path.join(tmpdir(), 'fencepost-runs-'));
    const other = openOtherDevice(folder, OTHER_DEVICE, () => bench.nowMs);
    await other.write('run.ended', { agentId: AGENT, runId: RUN, ending: 'done', summary: 'Done' });
    other.handOver(bench.connection);
    const stored = () => readAll(bench.connection.db, 'SELECT run_id, device_id FROM runs ORDER BY run_id');
    const rows = [
      { run_id: 'run-1', device_id: OTHER_DEVICE },
      { run_id: 'run-2', device_id: own() },
    ];
    expect(stored()).toEqual(rows);
    rebuildProjections(bench.connection.db);
    expect(stored()).toEqual(rows);
    other.close();
    rmSync(folder, { recursive: true });
  });
});

describe('a list of 100,000 runs', () => {
  it.each<[RequestOf<'runs.list'>, RegExp]>([
    [{ sinceMs: 1 }, /^SEARCH runs USING INDEX runs_by_start \(started_at_ms>\?\)$/u],
    [
      { sinceMs: 1, beforeMs: 9e15 },
      /^SEARCH runs USING INDEX runs_by_start \(started_at_ms>\? AND started_at_ms<\?\)$/u,
    ],
    [{ deviceId: 'other' }, /^SEARCH runs USING INDEX runs_by_device \(device_id=\?\)$/u],
    [
      { deviceId: 'other', sinceMs: 1 },
      /^SEARCH runs USING INDEX runs_by_device \(device_id=\? AND started_at_ms>\?\)$/u,
    ],
  ])('is read whole for the sake of %j', (request, expected) => {
    startDaily('run-1');
    takenOnElsewhere('run-1');
    const { db } = bench.connection;
    const prepare = vi.spyOn(db, 'prepare');
    expect(list(request).shown).toBe(1);
    const asked = prepare.mock.calls
      .map(([sql]) => sql)
      .filter((sql) => sql.includes('started_at_ms') || sql.includes('device_id ='));
    prepare.mockRestore();
    // Counting, the branching ones, and the page.
    expect(asked).toHaveLength(3);
    const plans = asked.map((sql) => plan(sql));
    expect(plans[0]).toEqual(expect.arrayContaining([expect.stringMatching(expected)]));
    for (const steps of plans) {
      expect(steps).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^SCAN runs(?! USING (?:COVERING )?INDEX runs_open)/u)]),
      );
    }
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
