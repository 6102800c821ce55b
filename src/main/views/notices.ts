import { z } from 'zod';
import type { NeedsYouItem } from '../../shared/contract/decision-views.ts';
import type { DeviceCircle } from '../coordinators/choice/device-list.ts';
import type { SyncStatus } from '../host/sync/sync-control.ts';
import { readSyncDevices } from '../host/sync/roster.ts';
import { readAll, readOne } from '../store/connection.ts';
import { DAY_MS, needsYouView } from './needs-you.ts';
import { sharedNameOf } from './sync-names.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** The most failures that are looked at, the newest first. */
const FAILURES_LIMIT = 20;
/** The most items that are remembered: many more than there can be at a time. */
export const KNOWN_MAX = 4_000;

/** One item that needs a person. */
type NeedsNotice = Pick<NeedsYouItem, 'kind' | 'id' | 'runId' | 'runNumber' | 'deviceName'>;

/** A run that failed after something of it was sent. */
interface FailureNotice {
  readonly kind: 'failed';
  readonly id: string;
  readonly runId: string;
  readonly runNumber: number;
  /** The one that wrote its end down. */
  readonly deviceName: string;
  /** The place of its end in this device's record. */
  readonly seq: number;
}

/** Another device that is there, or no longer. */
interface DeviceNotice {
  readonly kind: 'paired' | 'removed';
  readonly id: string;
  readonly deviceName: string;
  /** What it shares: the right to act over a hub, or the record. */
  readonly shares: 'right-to-act' | 'record';
  /** Which hub, or which shared record. */
  readonly circleId: string;
}

/** What the system may be told of, as far as it may be told. It never holds what an agent or a target says. */
export type NoticeItem = NeedsNotice | FailureNotice | DeviceNotice;

/** What was told before. It is kept with the record, so that nothing is told twice over a restart. */
export const noticeMemorySchema = z.strictObject({
  /** Ends of runs up to this place of the record have had their chance. */
  upToSeq: z.int().min(0),
  /** Items that have had their chance, and are still so. */
  known: z.array(z.string().max(1_000)).max(KNOWN_MAX),
  /** Hubs and shared records whose devices are known. */
  circles: z.array(z.string().max(1_000)),
});
export type NoticeMemory = z.output<typeof noticeMemorySchema>;

/** Everything that is looked at for notifications. */
export interface NoticeFacts {
  readonly items: readonly NoticeItem[];
  /** Whose devices are among the items. */
  readonly circles: readonly string[];
  /** Up to where the record is contained in it. */
  readonly sequence: number;
  /** `null` before anything was remembered. */
  readonly memory: NoticeMemory | null;
}

/** What there is to tell of. `circle` are the devices of the hub; `status` says whether those of the record are all known. */
export function noticeFacts(
  source: ViewSource,
  of: {
    readonly circle: DeviceCircle | null;
    readonly status: SyncStatus | null;
    readonly memory: NoticeMemory | null;
  },
): NoticeFacts {
  const { unclear, approvals } = needsYouView(source);
  const circles = [hubDevices(source, of.circle), recordDevices(source, of.status)].filter((each) => each !== null);
  return {
    items: [...unclear, ...approvals, ...failures(source), ...circles.flatMap((each) => each.items)],
    circles: circles.map(({ circleId }) => circleId),
    sequence: sequenceOf(source),
    memory: of.memory,
  };
}

/** Of the last day: what is older is no news any more, also to a device that was away. A branch is told with its run. */
function failures(source: ViewSource): FailureNotice[] {
  const { db } = source.connection;
  const runs = readAll<{ run_id: string; run_number: number }>(
    db,
    `SELECT run_id, run_number FROM runs WHERE ended_at_ms >= ? AND ending = 'failed-was-sent' AND parent_run_id IS NULL
       ORDER BY ended_at_ms DESC LIMIT ?`,
    source.nowMs - DAY_MS,
    FAILURES_LIMIT,
  );
  return runs.flatMap(({ run_id: runId, run_number: runNumber }) => {
    const end = readOne<{ seq: number; device_id: string }>(
      db,
      `SELECT seq, device_id FROM ops WHERE run_id = ? AND kind = 'run.ended' ORDER BY seq DESC LIMIT 1`,
      runId,
    );
    if (end === null) return [];
    const deviceName = sharedNameOf(source, end.device_id);
    return [{ kind: 'failed', id: runId, runId, runNumber, deviceName, seq: end.seq }];
  });
}

interface CircleItems {
  readonly circleId: string;
  readonly items: readonly DeviceNotice[];
}

function hubDevices(source: ViewSource, circle: DeviceCircle | null): CircleItems | null {
  if (circle === null) return null;
  const circleId = `hub ${circle.circleId}`;
  const others = circle.devices.filter(({ deviceId }) => deviceId !== source.device.deviceId);
  const items = others.map(({ deviceId, name, revokedAtMs }): DeviceNotice => ({
    kind: revokedAtMs === null ? 'paired' : 'removed',
    id: deviceId,
    deviceName: name,
    shares: 'right-to-act',
    circleId,
  }));
  return { circleId, items };
}

/** Before the first exchange is over nobody knows who was there already. */
function recordDevices(source: ViewSource, status: SyncStatus | null): CircleItems | null {
  if (status === null || status.syncedAtMs === null || status.isCatchingUp || status.catchUp !== null) return null;
  const circleId = `record ${status.spaceId}`;
  const others = readSyncDevices(source.connection).filter((each) => each.device_id !== source.device.deviceId);
  const items = others.map(({ device_id: id, let_go_at_ms: letGoAtMs }): DeviceNotice => ({
    kind: letGoAtMs === null ? 'paired' : 'removed',
    id,
    deviceName: sharedNameOf(source, id),
    shares: 'record',
    circleId,
  }));
  return { circleId, items };
}
