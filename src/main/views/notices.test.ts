import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunId } from '../../shared/contract/identifiers.ts';
import type { RunEnding } from '../../shared/core/run/run-state.ts';
import { noticeSource } from '../bridge/notices.ts';
import type { SyncStatus } from '../host/sync/sync-control.ts';
import { noticeFacts } from './notices.ts';
import { DAY_MS } from './needs-you.ts';
import { openOtherDevice } from './testing/other-device.ts';
import { AGENT, OTHER_DEVICE, RUN, createViewBench } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

const ALONE = { circle: null, status: null, memory: null };
const SYNCED = { syncedAtMs: 1, isCatchingUp: false, catchUp: null, spaceId: 'space' } as SyncStatus;
let bench: ViewBench;
beforeEach(() => (bench = createViewBench()));
afterEach(() => bench.remove());

function end(ending: RunEnding, runId: RunId = RUN): void {
  bench.append('run.ended', { agentId: AGENT, runId, ending, summary: 'Pay ana@example.org' });
}

describe('what there is to tell of', () => {
  it.each<[RunEnding, boolean]>([
    ['failed-was-sent', true],
    ['failed-nothing-sent', false],
    ['done', false],
    ['stopped', false],
  ])('a run that ended as %s', (ending, isTold) => {
    bench.startRun();
    end(ending);
    const { items, sequence } = noticeFacts(bench.source, ALONE);
    expect(items).toEqual(
      isTold
        ? [{ kind: 'failed', id: RUN, runId: RUN, runNumber: 1, deviceName: bench.source.device.name, seq: sequence }]
        : [],
    );
    expect(JSON.stringify(items)).not.toContain('ana@');
  });

  it('a failure of the day before yesterday, to a device that was away', () => {
    bench.startRun();
    end('failed-was-sent');
    bench.nowMs += 2 * DAY_MS;
    expect(noticeFacts(bench.source, ALONE).items).toEqual([]);
  });

  it('a device of the hub by its name, and never this one', () => {
    const listed = { name: 'iPad', pairedAtMs: 1, lastSeenAtMs: null };
    const devices = [
      { ...listed, deviceId: 'ipad', revokedAtMs: null },
      { ...listed, deviceId: 'old', name: 'Old phone', revokedAtMs: 5 },
      { ...listed, deviceId: bench.source.device.deviceId, revokedAtMs: null },
    ];
    const facts = noticeFacts(bench.source, { ...ALONE, circle: { circleId: 'attic', devices } });
    expect(facts.circles).toEqual(['hub attic']);
    expect(facts.items.map(({ kind, deviceName }) => [kind, deviceName])).toEqual([
      ['paired', 'iPad'],
      ['removed', 'Old phone'],
    ]);
  });

  it('those who shared the record all along, as long as it is still being taken in', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'fencepost-notices-'));
    const other = openOtherDevice(folder, OTHER_DEVICE, () => bench.nowMs);
    const keys = { publicKey: 'k', wrapPublicKey: 'w', version: '1' };
    await other.write('sync.device-joined', { deviceId: OTHER_DEVICE, name: 'Work-PC', ...keys });
    other.handOver(bench.connection);
    const facts = (status: Partial<SyncStatus>) =>
      noticeFacts(bench.source, { ...ALONE, status: { ...SYNCED, ...status } });
    for (const early of [{ syncedAtMs: null }, { isCatchingUp: true }, { catchUp: { done: 1, total: 2 } }])
      expect(facts(early)).toMatchObject({ items: [], circles: [] });
    expect(facts({})).toMatchObject({ circles: ['record space'], items: [{ kind: 'paired', deviceName: 'Work-PC' }] });
    bench.append('sync.device-let-go', { deviceId: OTHER_DEVICE, by: 'You', upToSeq: 1 });
    expect(facts({}).items).toMatchObject([{ kind: 'removed', deviceName: 'Work-PC', shares: 'record' }]);
    other.close();
    rmSync(folder, { recursive: true });
  });

  it('is remembered over a restart, and what cannot be read stops nobody from being told', async () => {
    const source = noticeSource(bench.control);
    expect(await source.read()).toMatchObject({ value: { memory: null } });
    const memory = { upToSeq: 3, known: ['approve question'], circles: [] };
    await source.remember(memory);
    expect(await noticeSource(bench.control).read()).toMatchObject({ value: { memory } });
    await bench.control.writeSetting('desktop-told', '{"of another version"');
    expect(await source.read()).toMatchObject({ value: { memory: null } });
  });
});
