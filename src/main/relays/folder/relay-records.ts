import { z } from 'zod';
import { deviceIdSchema } from '../../../shared/contract/identifiers.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { BOX_LIMIT_CHARACTERS, CHECKPOINT_PART_LIMIT } from '../../../shared/core/sync/sealed.ts';
import type { Frontier, SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { openRecord, sealRecord, sha256 } from './record-file.ts';
import type { RecordFile } from './record-file.ts';

/** The most devices that one folder serves. */
export const DEVICE_LIMIT = 512;
/** The most operations in one file. */
export const SEGMENT_LIMIT_OPERATIONS = 4_000;

/** The highest count that a file may say, so that one more can still be counted exactly. */
export const COUNT_LIMIT = 2 ** 52;

const place = z.int().min(1).max(COUNT_LIMIT);
const counter = z.int().min(0).max(COUNT_LIMIT);
const hexadecimal = z.string().regex(/^[0-9a-f]{64}$/u);
const box = z
  .string()
  .max(BOX_LIMIT_CHARACTERS)
  .regex(/^[A-Za-z0-9_-]+$/u);

/** Pairs, because a record of a person's choice of names would have members that nobody put there. */
const frontierSchema = z
  .array(z.tuple([deviceIdSchema, counter]))
  .max(DEVICE_LIMIT)
  .transform((pairs): Frontier => Object.fromEntries(pairs));

const lineSchema = z.tuple([place, counter, counter, box]);

const segmentSchema = z.strictObject({
  kind: z.literal('segment'),
  deviceId: deviceIdSchema,
  first: place,
  last: place,
});

const memberSchema = z.strictObject({
  kind: z.literal('member'),
  deviceId: deviceIdSchema,
  contacts: counter,
  lastSeenAtMs: counter,
  acknowledged: frontierSchema,
  droppedUpTo: counter,
  letGo: frontierSchema,
});

const checkpointSchema = z.strictObject({
  kind: z.literal('checkpoint'),
  deviceId: deviceIdSchema,
  checkpointId: hexadecimal,
  rank: place,
  frontier: frontierSchema,
  parts: z.array(hexadecimal).min(1).max(CHECKPOINT_PART_LIMIT),
});

const partSchema = z.strictObject({
  kind: z.literal('part'),
  deviceId: deviceIdSchema,
  checkpointId: hexadecimal,
  index: counter,
});

/**
 * What a device says about itself. Every field only grows, so that any number of its files, old ones that came back
 * included, add up to the same.
 */
export interface MemberRecord {
  readonly kind: 'member';
  readonly deviceId: DeviceId;
  /** How often it has come; letting it go is for as many contacts as were known then. */
  readonly contacts: number;
  readonly lastSeenAtMs: number;
  readonly acknowledged: Frontier;
  /** Its own operations up to here are below a checkpoint and no longer kept. */
  readonly droppedUpTo: number;
  /** Whom it let go, each with the contacts known of it then. */
  readonly letGo: Frontier;
}

/** Consecutive operations of one device. */
export interface SegmentRecord {
  readonly kind: 'segment';
  readonly deviceId: DeviceId;
  readonly operations: readonly SealedOperation[];
}

/** The head of a checkpoint, written after its parts. */
export type CheckpointRecord = z.infer<typeof checkpointSchema>;

/** One part of a checkpoint. */
export type PartRecord = z.infer<typeof partSchema> & { readonly box: string };

/** Everything there can be in a device's folder. */
type RelayRecord = MemberRecord | SegmentRecord | CheckpointRecord | PartRecord;

/** Whether a text can be a box at all. */
export function isBox(text: string): boolean {
  return box.safeParse(text).success;
}

/** Names an operation's content: two at one place with different prints are a fork. 16 bytes. */
export function printOf(operation: SealedOperation): Buffer {
  return Buffer.from(sha256(lineOf(operation)).slice(0, 32), 'hex');
}

function lineOf({ seq, wallMs, counter: tick, box: sealed }: SealedOperation): string {
  return JSON.stringify([seq, wallMs, tick, sealed]);
}

/** A file of consecutive operations of one device; at least one. */
export function sealSegment(operations: readonly SealedOperation[]): RecordFile & { readonly name: string } {
  const [first, last] = [operations[0], operations.at(-1)];
  if (first === undefined || last === undefined) throw new Error('A segment has at least one operation.');
  const header = { kind: 'segment', deviceId: first.deviceId, first: first.seq, last: last.seq };
  const sealed = sealRecord(header, operations.map(lineOf));
  return { ...sealed, name: `segment-${first.seq}-${last.seq}-${sealed.digest.slice(0, 32)}` };
}

/** A file of what a device says about itself. */
export function sealMember(member: MemberRecord): RecordFile & { readonly name: string } {
  const { acknowledged, letGo, ...rest } = member;
  const pairs = { acknowledged: pairsOf(acknowledged), letGo: pairsOf(letGo) };
  const sealed = sealRecord({ ...rest, ...pairs });
  return { ...sealed, name: `member-${member.contacts}-${sealed.digest.slice(0, 32)}` };
}

/** A file with a checkpoint's head. */
export function sealCheckpoint(checkpoint: CheckpointRecord): RecordFile & { readonly name: string } {
  const sealed = sealRecord({ ...checkpoint, frontier: pairsOf(checkpoint.frontier) });
  return { ...sealed, name: `checkpoint-${checkpoint.rank}-${sealed.digest.slice(0, 32)}` };
}

/** A file with one part of a checkpoint. */
export function sealPart({ box: sealedBox, ...header }: PartRecord): RecordFile & { readonly name: string } {
  const sealed = sealRecord(header, [sealedBox]);
  return { ...sealed, name: partName(sealed.digest) };
}

/** How the file of a part begins; what follows is what other programs make of it. */
export function partName(digest: string): string {
  return `part-${digest}`;
}

/** Length of `partName`, characters. */
export const PART_NAME_LENGTH = partName('0'.repeat(64)).length;

function pairsOf(frontier: Frontier): [string, number][] {
  return Object.entries(frontier).toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** What a file says, checked; `null` where it is not whole or says what cannot be. */
export function readRecord(content: Buffer): { readonly record: RelayRecord; readonly digest: string } | null {
  const opened = openRecord(content);
  if (opened === null) return null;
  const record = recordOf(opened.header, opened.lines);
  return record === null ? null : { record, digest: opened.digest };
}

function recordOf(header: unknown, lines: readonly string[]): RelayRecord | null {
  const segment = segmentSchema.safeParse(header);
  if (segment.success) return segmentOf(segment.data, lines);
  const part = partSchema.safeParse(header);
  if (part.success) {
    const [sealed = '', ...more] = lines;
    return more.length === 0 && isBox(sealed) ? { ...part.data, box: sealed } : null;
  }
  if (lines.length > 0) return null;
  const member = memberSchema.safeParse(header);
  if (member.success) return member.data;
  const checkpoint = checkpointSchema.safeParse(header);
  return checkpoint.success ? checkpoint.data : null;
}

function segmentOf(header: z.infer<typeof segmentSchema>, lines: readonly string[]): SegmentRecord | null {
  const { deviceId, first, last } = header;
  if (lines.length !== last - first + 1 || lines.length > SEGMENT_LIMIT_OPERATIONS) return null;
  const operations: SealedOperation[] = [];
  for (const [index, line] of lines.entries()) {
    const fields = lineSchema.safeParse(readJson(line));
    if (!fields.success || fields.data[0] !== first + index) return null;
    const [seq, wallMs, tick, sealed] = fields.data;
    operations.push({ deviceId, seq, wallMs, counter: tick, box: sealed });
  }
  return { kind: 'segment', deviceId, operations };
}

function readJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
