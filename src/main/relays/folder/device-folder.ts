import path from 'node:path';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { assertNever } from '../../../shared/lib/assert-never.ts';
import type { IndexedSegment } from './journal.ts';
import { RECORD_LIMIT_BYTES, sha256 } from './record-file.ts';
import type { RelayFiles } from './relay-files.ts';
import { PART_NAME_LENGTH, partName, printOf, readRecord } from './relay-records.ts';
import type { CheckpointRecord, MemberRecord, PartRecord, SegmentRecord } from './relay-records.ts';

/** The most files of one device that are looked at. */
const FILE_LIMIT = 16_384;
/** So many files are looked at together. */
const AT_ONCE = 16;
/** Longer files are read one after the other: opened, each takes several times its length in memory. */
const LARGE_BYTES = 256 * 1_024;
/** A file that is not whole is read again after 1, 2, 4 … looks, and at the latest after so many. */
const LONGEST_PAUSE_LOOKS = 64;

/** What is remembered of one file. */
type Known =
  | { readonly kind: 'segment'; readonly segment: IndexedSegment; readonly deviceId: DeviceId }
  | { readonly kind: 'member'; readonly member: MemberRecord; readonly deviceId: DeviceId }
  | { readonly kind: 'checkpoint'; readonly checkpoint: CheckpointRecord; readonly deviceId: DeviceId }
  /** A whole file that belongs somewhere else. */
  | { readonly kind: 'misplaced' }
  /** Not whole, or not a file of a relay. */
  | { readonly kind: 'unread'; readonly pauseLooks: number; readonly nextLook: number };

interface Seen {
  readonly stamp: string;
  readonly known: Known;
}

/** The file of operations that was read last, of any device: the next page mostly begins in it. */
export interface LastRead {
  segment: { readonly digest: string; readonly record: SegmentRecord } | null;
}

/** The name of a device's folder: the same on every file system, whatever the device is called. */
export function deviceFolderName(deviceId: DeviceId): string {
  return sha256(`fencepost-relay-device-v1\n${deviceId}`).slice(0, 32);
}

/** The files of one device as they are here now. Files are known by what is in them; names only say where to look. */
export class DeviceFolder {
  readonly folder: string;
  readonly #name: string;
  readonly #lastRead: LastRead;
  readonly #files: RelayFiles;
  #seen = new Map<string, Seen>();
  readonly #parts = new Map<string, { readonly stamp: string; readonly isWhole: boolean }>();
  #partFiles = new Map<string, string[]>();
  #looks = 0;
  #lastLarge: Promise<unknown> = Promise.resolve();

  constructor(folder: string, of: { readonly files: RelayFiles; readonly lastRead: LastRead }) {
    this.folder = folder;
    this.#files = of.files;
    this.#lastRead = of.lastRead;
    this.#name = path.basename(folder);
  }

  /** Looks at what has changed. Rejects with the system's error; a folder that is not there is empty. */
  async look(): Promise<void> {
    this.#looks += 1;
    const names = (await this.#fileNames()).slice(0, FILE_LIMIT);
    const before = this.#seen;
    const seen = new Map<string, Seen>();
    this.#partFiles = Map.groupBy(
      names.filter((name) => name.startsWith('part-')),
      (name) => name.slice(0, PART_NAME_LENGTH),
    );
    const records = names.filter((name) => !name.startsWith('part-'));
    for (let from = 0; from < records.length; from += AT_ONCE) {
      const batch = records.slice(from, from + AT_ONCE);
      const found = await Promise.all(batch.map((name) => this.#lookAt(name, before.get(name))));
      for (const [index, name] of batch.entries()) {
        const each = found[index];
        if (each !== null && each !== undefined) seen.set(name, each);
      }
    }
    this.#seen = seen;
  }

  get segments(): IndexedSegment[] {
    return [...this.#seen.values()].flatMap(({ known }) => (known.kind === 'segment' ? [known.segment] : []));
  }

  get members(): { readonly file: string; readonly member: MemberRecord }[] {
    return [...this.#seen].flatMap(([file, { known }]) =>
      known.kind === 'member' ? [{ file, member: known.member }] : [],
    );
  }

  get checkpoints(): { readonly file: string; readonly checkpoint: CheckpointRecord }[] {
    return [...this.#seen].flatMap(([file, { known }]) =>
      known.kind === 'checkpoint' ? [{ file, checkpoint: known.checkpoint }] : [],
    );
  }

  /** Files with a part of a checkpoint, whole or not. */
  get partFiles(): readonly string[] {
    return [...this.#partFiles.values()].flat();
  }

  /** Whose folder it is; `null` as long as no whole file says so. */
  get deviceId(): DeviceId | null {
    for (const { known } of this.#seen.values()) if ('deviceId' in known) return known.deviceId;
    return null;
  }

  /** Files that cannot be used: not whole yet, damaged, or not from this device. */
  get unusable(): string[] {
    return [...this.#seen].flatMap(([file, { known }]) =>
      known.kind === 'unread' || known.kind === 'misplaced' ? [file] : [],
    );
  }

  /** Files that were not whole at so many looks that they never will be. */
  get hopeless(): string[] {
    return [...this.#seen].flatMap(([file, { known }]) =>
      known.kind === 'unread' && known.pauseLooks === LONGEST_PAUSE_LOOKS ? [file] : [],
    );
  }

  /** The operations of a file as they are there now; `null` where it is gone or no longer what it was. */
  async readSegment(segment: IndexedSegment): Promise<SegmentRecord | null> {
    if (this.#lastRead.segment?.digest === segment.digest) return this.#lastRead.segment.record;
    const content = await this.#read(segment.file);
    const read = content === null ? null : readRecord(content);
    if (read?.record.kind === 'segment' && read.digest === segment.digest) {
      const { record, digest } = read;
      this.#lastRead.segment = { record, digest };
      return record;
    }
    this.#seen.delete(segment.file);
    return null;
  }

  /** A part of a checkpoint by its place; `null` where no whole copy of it is here. */
  async readPart(checkpoint: CheckpointRecord, index: number): Promise<PartRecord | null> {
    const digest = checkpoint.parts[index];
    if (digest === undefined) return null;
    for (const name of this.#partFiles.get(partName(digest)) ?? []) {
      const content = await this.#read(name);
      const read = content === null ? null : readRecord(content);
      if (read?.record.kind !== 'part' || read.digest !== digest) continue;
      const { record } = read;
      const isThis = record.checkpointId === checkpoint.checkpointId && record.index === index;
      if (isThis && record.deviceId === checkpoint.deviceId) return record;
    }
    return null;
  }

  /** Whether every part of a checkpoint is here and whole. Each file is read once, until it changes. */
  async isWhole(checkpoint: CheckpointRecord): Promise<boolean> {
    for (const [index, digest] of checkpoint.parts.entries()) {
      const names = this.#partFiles.get(partName(digest)) ?? [];
      const stamps = await Promise.all(names.map((name) => this.#files.stampOf(path.join(this.folder, name))));
      const stamp = JSON.stringify([checkpoint.checkpointId, index, stamps]);
      const known = this.#parts.get(digest);
      if (known?.stamp === stamp && known.isWhole) continue;
      const isWhole = (await this.readPart(checkpoint, index)) !== null;
      this.#parts.set(digest, { stamp, isWhole });
      if (!isWhole) return false;
    }
    return true;
  }

  /** Forgets parts that no checkpoint names any more. */
  forgetParts(): void {
    const named = new Set(this.checkpoints.flatMap(({ checkpoint }) => checkpoint.parts));
    for (const digest of this.#parts.keys()) if (!named.has(digest)) this.#parts.delete(digest);
  }

  #read(name: string): Promise<Buffer | null> {
    return this.#files.readBounded(path.join(this.folder, name), RECORD_LIMIT_BYTES);
  }

  /** Without those that some program is still writing. In an order that does not change. */
  async #fileNames(): Promise<string[]> {
    const names = await this.#files.fileNames(this.folder);
    return names.filter((name) => !/^[.~]/u.test(name)).toSorted((one, other) => (one < other ? -1 : 1));
  }

  async #lookAt(name: string, before: Seen | undefined): Promise<Seen | null> {
    const found = await this.#files.stampOf(path.join(this.folder, name));
    if (found === null) return null;
    const { stamp, bytes } = found;
    const isSame = before?.stamp === stamp;
    if (isSame && (before.known.kind !== 'unread' || before.known.nextLook > this.#looks)) return before;
    const known = await this.#known(name, bytes);
    if (known !== null) return { stamp, known };
    // Some programs set size and time first and the content last, so a file that has not changed is read again, too.
    const lastPause = isSame && before.known.kind === 'unread' ? before.known.pauseLooks : 0;
    const pauseLooks = Math.min(LONGEST_PAUSE_LOOKS, Math.max(1, lastPause * 2));
    return { stamp, known: { kind: 'unread', pauseLooks, nextLook: this.#looks + pauseLooks } };
  }

  /** What a file says, as far as it is remembered; `null` where it is not whole. */
  async #known(name: string, bytes: number): Promise<Known | null> {
    const readNow = async (): Promise<Known | null> => {
      const content = await this.#read(name);
      const read = content === null ? null : readRecord(content);
      return read === null ? null : this.#knownOf(name, read);
    };
    if (bytes <= LARGE_BYTES) return await readNow();
    const known = this.#lastLarge.then(readNow);
    this.#lastLarge = known.catch(() => undefined);
    return await known;
  }

  #knownOf(file: string, { record, digest }: NonNullable<ReturnType<typeof readRecord>>): Known {
    const { deviceId } = record;
    if (deviceFolderName(deviceId) !== this.#name) return { kind: 'misplaced' };
    switch (record.kind) {
      case 'segment':
        return { kind: 'segment', deviceId, segment: indexSegment(record, { file, digest }) };
      case 'member':
        return { kind: 'member', deviceId, member: record };
      case 'checkpoint':
        return { kind: 'checkpoint', deviceId, checkpoint: record };
      case 'part':
        return { kind: 'misplaced' };
      default:
        return assertNever(record);
    }
  }
}

function indexSegment(record: SegmentRecord, of: { readonly file: string; readonly digest: string }): IndexedSegment {
  const { operations } = record;
  const first = operations[0]?.seq ?? 1;
  return {
    ...of,
    first,
    last: first + operations.length - 1,
    characters: operations.reduce((sum, operation) => sum + operation.box.length, 0),
    prints: Buffer.concat(operations.map(printOf)),
  };
}
