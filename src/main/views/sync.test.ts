import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import { problem } from '../../shared/contract/errors.ts';
import type { SyncStatus } from '../host/sync/sync-control.ts';
import { quarantine } from '../host/sync/take-in.ts';
import type { QuarantineReason } from '../host/sync/take-in.ts';
import { useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { syncChip, syncView } from './sync.ts';
import { openOtherDevice } from './testing/other-device.ts';
import type { OtherDevice } from './testing/other-device.ts';
import { createViewBench } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const OTHER = 'work-pc';

describe('the state of sync', () => {
  const newFolder = useTemporaryFolders();
  let bench: ViewBench;
  let other: OtherDevice;
  let otherNowMs: number;

  beforeEach(async () => {
    bench = createViewBench();
    otherNowMs = bench.nowMs;
    other = openOtherDevice(newFolder(), OTHER, () => otherNowMs);
    await join();
    bench.startRun();
  });
  afterEach(() => {
    other.close();
    bench.remove();
  });

  async function join(): Promise<void> {
    const keys = { publicKey: 'key', wrapPublicKey: 'wrap' };
    await other.write('sync.device-joined', { deviceId: OTHER as DeviceId, name: 'Work-PC', version: '1.2', ...keys });
    other.handOver(bench.connection);
  }
  function statusOf(change: Partial<SyncStatus> = {}, lastSeenAtMs = bench.nowMs, acknowledged = 0): SyncStatus {
    const member = {
      deviceId: OTHER as DeviceId,
      lastSeenAtMs,
      acknowledged: { laptop: acknowledged },
      isLetGo: false,
    };
    return {
      choice: { kind: 'hub' },
      relayName: 'Attic',
      spaceId: 'abcdef01'.repeat(8),
      hasWords: false,
      isCatchingUp: false,
      syncedAtMs: bench.nowMs,
      problem: null,
      pushedSeq: bench.connection.journal.head.journalSeq,
      relay: { heads: { laptop: 4, [OTHER]: 3 }, members: [member], checkpoint: null },
      catchUp: null,
      ...change,
    };
  }
  const rowOf = (status: SyncStatus) =>
    syncView(bench.source, status).devices.find((device) => device.deviceId === OTHER);
  const own = (status: SyncStatus) => syncView(bench.source, status).devices[0];

  test('a device that shares nothing looks broken', () => {
    const view = syncView(bench.source, null);
    expect(view).toMatchObject({ state: 'off', relay: null, devices: [], problem: null, spaceName: '' });
    expect(view.sentence).toBe('Laptop shares its record with no other device.');
    expect(syncChip(bench.source, null)).toBeNull();
  });

  test('what waits for another device is not counted, or counted for one that has it', () => {
    const written = bench.connection.journal.head.journalSeq;
    expect(written).toBeGreaterThan(2);
    expect(rowOf(statusOf({}, bench.nowMs, written - 2))).toMatchObject({ lacksOfOurs: 2, knownSeq: 1, relaySeq: 3 });
    const behind = syncView(bench.source, statusOf({}, bench.nowMs, written - 2));
    expect(behind.sentence).toContain('has reached 0 of 1 other device. 2 entries wait for Work-PC.');
    const inStep = statusOf({}, bench.nowMs, written);
    expect(syncView(bench.source, inStep).sentence).toBe('Everything that Laptop did has reached Work-PC.');
    expect(syncChip(bench.source, inStep)).toMatchObject({ state: 'ready', others: 1, othersInStep: 1 });
    expect(syncView(bench.source, inStep)).toMatchObject({ spaceName: 'ABCD-EF01', relay: { name: 'Attic' } });
  });

  test('the age of what was not handed over is that of the newest entry, or of another device’s', async () => {
    const sent = bench.connection.journal.head.journalSeq;
    otherNowMs += 1_000;
    await other.write('agent.resumed', { agentId: null, by: 'you' });
    other.handOver(bench.connection);
    bench.nowMs += 5_000;
    const unsent = bench.append('agent.resumed', { agentId: null, by: 'you' });
    bench.nowMs += 60_000;
    bench.append('agent.resumed', { agentId: null, by: 'you' });
    const row = own(statusOf({ pushedSeq: sent }));
    expect(row).toMatchObject({
      isThisDevice: true,
      oldestUnsentAtMs: unsent.atMs,
      knownSeq: sent + 2,
      relaySeq: sent,
    });
    expect(own(statusOf())?.oldestUnsentAtMs).toBeNull();
  });

  test('not to be reached is called an error, or trouble is called offline', () => {
    const away = problem('relay-unreachable', 'Attic does not answer.');
    const offline = syncView(bench.source, statusOf({ problem: away }));
    expect(offline).toMatchObject({ state: 'offline' });
    expect(offline.sentence).toContain('Nothing is lost');
    const fork = problem('relay-fork', 'Its record is an older copy.', 'Give it a new identity.');
    const view = syncView(bench.source, statusOf({ problem: fork }));
    expect(view).toMatchObject({ state: 'trouble', sentence: 'Its record is an older copy.', problem: fork });
    const catchUp = { done: 400, total: 1_000 };
    expect(syncView(bench.source, statusOf({ catchUp }))).toMatchObject({ state: 'catching-up', catchUp });
    expect(syncView(bench.source, statusOf({ isCatchingUp: true })).state).toBe('catching-up');
  });

  test('a device that is silent for two weeks is not pointed out, or one the relay never told of is', () => {
    expect(rowOf(statusOf({}, bench.nowMs - 14 * DAY))?.isSilent).toBe(true);
    expect(rowOf(statusOf({}, bench.nowMs - 14 * DAY + 1))?.isSilent).toBe(false);
    expect(rowOf(statusOf({ relay: null }))).toMatchObject({ isSilent: false, lastSeenAtMs: null, name: 'Work-PC' });
  });

  test('an old entry is read as a clock that is behind, or a future one as nothing', async () => {
    expect(rowOf(statusOf({}, bench.nowMs + HOUR))?.clockOffsetMs).toBeNull();
    expect(rowOf(statusOf({}, bench.nowMs + 2_000))?.clockOffsetMs).toBe(-2_000);
    otherNowMs += HOUR;
    await other.write('agent.resumed', { agentId: null, by: 'you' });
    other.handOver(bench.connection);
    expect(rowOf(statusOf())?.clockOffsetMs).toBe(HOUR);
    // A burst: the stamp is counted on from the one before and says nothing of the clock.
    otherNowMs -= 2 * HOUR;
    await other.write('agent.resumed', { agentId: null, by: 'you' });
    other.handOver(bench.connection);
    expect(rowOf(statusOf())?.clockOffsetMs).toBeNull();
  });

  test('a journal that was put aside is passed over, or names no way out', () => {
    const reason: QuarantineReason = { kind: 'clock-ahead', seq: 2, aheadMs: 30 * HOUR };
    quarantine(bench.connection, OTHER as DeviceId, { reason, nowMs: bench.nowMs });
    const view = syncView(bench.source, statusOf());
    expect(view.state).toBe('trouble');
    expect(view.sentence).toContain('What Work-PC wrote is put aside');
    const row = rowOf(statusOf());
    expect(row).toMatchObject({
      clockOffsetMs: 30 * HOUR,
      quarantine: { reason: 'clock-ahead', sinceMs: bench.nowMs },
    });
    expect(row?.quarantine?.sentence).toBe('The clock of Work-PC is 30 hours ahead of this one.');
  });

  test('a device that was let go still waits for entries, or turns the state into trouble', () => {
    bench.append('sync.device-let-go', { deviceId: OTHER as DeviceId, by: 'you', upToSeq: 1_000 });
    const reason: QuarantineReason = { kind: 'let-go', seq: 2 };
    quarantine(bench.connection, OTHER as DeviceId, { reason, nowMs: bench.nowMs });
    const view = syncView(bench.source, statusOf());
    expect(view.state).toBe('ready');
    expect(rowOf(statusOf())).toMatchObject({ letGoAtMs: bench.nowMs, lacksOfOurs: 0, isSilent: false });
    expect(syncChip(bench.source, statusOf())).toMatchObject({ others: 0, othersInStep: 0 });
  });

  test('the agents that another device may act for are shown as nobody’s', () => {
    const lease = { holder: OTHER, epoch: 3, ttlMs: 60_000 };
    bench.lease = { ...bench.lease, view: { lease, remainingMs: 5_000 } as never };
    expect(rowOf(statusOf())?.leases).toEqual(['Poster']);
    bench.lease = { ...bench.lease, view: { lease, remainingMs: 0 } as never };
    expect(rowOf(statusOf())?.leases).toEqual([]);
  });
});
