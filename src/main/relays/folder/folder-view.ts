import path from 'node:path';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { coversFrontier, knownUpTo, stableFrontier } from '../../../shared/core/sync/sealed.ts';
import type { CheckpointHeader, Frontier } from '../../../shared/core/sync/sealed.ts';
import { DeviceFolder, deviceFolderName } from './device-folder.ts';
import type { LastRead } from './device-folder.ts';
import { Journal } from './journal.ts';
import { devicesFolder } from './marker.ts';
import { joinMembers, membersOf } from './membership.ts';
import type { RelayFiles } from './relay-files.ts';
import { DEVICE_LIMIT } from './relay-records.ts';
import type { CheckpointRecord, MemberRecord } from './relay-records.ts';

/** One device as the folder shows it now. */
export interface DeviceView {
  readonly deviceId: DeviceId;
  readonly files: DeviceFolder;
  readonly journal: Journal;
  /** Everything it says about itself; `null` as long as none of that is here. */
  readonly member: MemberRecord | null;
}

/** The newest checkpoint that is here as a whole. */
interface CheckpointView {
  readonly record: CheckpointRecord;
  readonly files: DeviceFolder;
}

/** The folder as it is now. */
export interface FolderView {
  readonly devices: ReadonlyMap<DeviceId, DeviceView>;
  readonly checkpoint: CheckpointView | null;
}

/** Remembers what it has read of a folder, so that each file is read once. */
export class FolderLooker {
  readonly #files: RelayFiles;
  readonly #folder: string;
  readonly #ownName: string;
  readonly #lastRead: LastRead = { segment: null };
  readonly own: DeviceFolder;
  #known = new Map<string, DeviceFolder>();

  constructor(folder: string, of: { readonly files: RelayFiles; readonly deviceId: DeviceId }) {
    const { files, deviceId } = of;
    this.#files = files;
    this.#folder = devicesFolder(folder);
    this.#ownName = deviceFolderName(deviceId);
    this.own = this.#folderOf(this.#ownName);
  }

  /** Rejects with the system's error. Whatever is odd in the folder is passed over, and told by `findings`. */
  async look(): Promise<FolderView> {
    const known = new Map<string, DeviceFolder>([[this.#ownName, this.own]]);
    for (const name of await this.#folderNames()) {
      if (known.size >= DEVICE_LIMIT) break;
      if (!known.has(name)) known.set(name, this.#known.get(name) ?? this.#folderOf(name));
    }
    this.#known = known;
    const devices = new Map<DeviceId, DeviceView>();
    for (const files of known.values()) {
      await files.look();
      files.forgetParts();
      const { deviceId } = files;
      if (deviceId !== null) devices.set(deviceId, viewOf(deviceId, files));
    }
    return { devices, checkpoint: await newestCheckpoint([...devices.values()]) };
  }

  /** Files that cannot be used, each with its folder's name before it. */
  get unusable(): string[] {
    return [...this.#known].flatMap(([name, files]) => files.unusable.map((file) => path.join(name, file)));
  }

  #folderOf(name: string): DeviceFolder {
    return new DeviceFolder(path.join(this.#folder, name), { files: this.#files, lastRead: this.#lastRead });
  }

  /** The marker can be here before the rest is. */
  async #folderNames(): Promise<string[]> {
    const names = await this.#files.folderNames(this.#folder);
    return names.filter((name) => /^[0-9a-f]{32}$/u.test(name)).toSorted((one, other) => (one < other ? -1 : 1));
  }
}

function viewOf(deviceId: DeviceId, files: DeviceFolder): DeviceView {
  const [first, ...rest] = files.members.map(({ member }) => member);
  const member = first === undefined ? null : rest.reduce(joinMembers, first);
  return { deviceId, files, journal: new Journal(files.segments), member };
}

/** What a relay tells about a checkpoint. */
export function headerOf({ checkpointId, deviceId, frontier, parts }: CheckpointRecord): CheckpointHeader {
  return { checkpointId, deviceId, frontier, partCount: parts.length };
}

/**
 * Two devices may have written one at the same time, and neither knows what the other one's does. One that lacks what was
 * dropped already would leave a hole, so it comes last; then the order is the same for everybody.
 */
async function newestCheckpoint(devices: readonly DeviceView[]): Promise<CheckpointView | null> {
  const dropped = Object.fromEntries(devices.map(({ deviceId, member }) => [deviceId, member?.droppedUpTo ?? 0]));
  const candidates = devices
    .flatMap(({ files }) => files.checkpoints.map(({ checkpoint }) => ({ record: checkpoint, files })))
    .map((candidate) => ({ candidate, isSafe: coversFrontier(candidate.record.frontier, dropped) }))
    .toSorted((one, other) => {
      if (one.isSafe !== other.isSafe) return one.isSafe ? -1 : 1;
      return compareCheckpoints(other.candidate.record, one.candidate.record);
    });
  for (const { candidate } of candidates) if (await candidate.files.isWhole(candidate.record)) return candidate;
  return null;
}

function compareCheckpoints(one: CheckpointRecord, other: CheckpointRecord): number {
  if (one.rank !== other.rank) return one.rank - other.rank;
  const sums = [one, other].map(({ frontier }) => Object.values(frontier).reduce((sum, seq) => sum + seq, 0));
  const difference = (sums[0] ?? 0) - (sums[1] ?? 0);
  return difference === 0 ? (one.checkpointId < other.checkpointId ? -1 : 1) : difference;
}

/** Up to where a device is known without any of its operations. */
export function baseOf(view: FolderView, deviceId: DeviceId): number {
  return knownUpTo(view.checkpoint?.record.frontier ?? {}, deviceId);
}

/** The last operation held of each device; what is below the checkpoint counts as held. */
export function headsOf(view: FolderView): Frontier {
  const names = new Set<string>(Object.keys(view.checkpoint?.record.frontier ?? {}));
  for (const deviceId of view.devices.keys()) names.add(deviceId);
  const heads = [...names].map((name) => [name, headOf(view, name as DeviceId)] as const);
  return Object.fromEntries(heads.filter(([, seq]) => seq > 0));
}

/** The last operation held of one device. */
export function headOf(view: FolderView, deviceId: DeviceId): number {
  const base = baseOf(view, deviceId);
  return view.devices.get(deviceId)?.journal.reach(base) ?? base;
}

/** What all devices say about themselves. */
export function recordsOf(view: FolderView): MemberRecord[] {
  return [...view.devices.values()].flatMap(({ member }) => (member === null ? [] : [member]));
}

/** What nobody will ask for one by one again. */
export function collectableOf(view: FolderView): Frontier {
  if (view.checkpoint === null) return {};
  const asked = membersOf(recordsOf(view)).filter((member) => !member.isLetGo);
  return stableFrontier([view.checkpoint.record.frontier, ...asked.map((member) => member.acknowledged)]);
}
