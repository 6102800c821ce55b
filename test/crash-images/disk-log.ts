import { readFileSync } from 'node:fs';

/** One thing that a process did to the watched folder, in the order in which it did it. Paths are relative to that folder. */
export type DiskOperation =
  | { readonly kind: 'create' | 'make-folder'; readonly path: string; readonly inode: number }
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly inode: number;
      /** Where in the file, in bytes. */
      readonly offset: number;
      readonly data: Uint8Array;
    }
  | { readonly kind: 'truncate'; readonly path: string; readonly inode: number; readonly size: number }
  | { readonly kind: 'sync'; readonly path: string; readonly inode: number }
  | { readonly kind: 'unlink' | 'remove-folder'; readonly path: string }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  /** What the process said about itself between two operations. */
  | { readonly kind: 'mark'; readonly text: string };

/** In the order of the shim's own numbers, which begin with 1. */
const KINDS = [
  'create',
  'write',
  'truncate',
  'sync',
  'unlink',
  'rename',
  'make-folder',
  'remove-folder',
  'mark',
] as const;
const HEAD_BYTES = 32;

/** Reads the log that the shim wrote, whole. */
export function readDiskLog(file: string): DiskOperation[] {
  const bytes = readFileSync(file);
  const operations: DiskOperation[] = [];
  for (let at = 0; at < bytes.length;) {
    const kind = KINDS[bytes.readUInt32LE(at) - 1];
    const pathBytes = bytes.readUInt32LE(at + 4);
    const dataBytes = bytes.readUInt32LE(at + 8);
    const inode = Number(bytes.readBigUInt64LE(at + 16));
    const offset = Number(bytes.readBigUInt64LE(at + 24));
    const dataAt = at + HEAD_BYTES + pathBytes;
    const path = bytes.toString('utf8', at + HEAD_BYTES, dataAt);
    const data = bytes.subarray(dataAt, dataAt + dataBytes);
    at = dataAt + dataBytes;
    if (kind === undefined || at > bytes.length) throw new Error(`The log ${file} does not read back.`);
    operations.push(operationOf(kind, { path, inode, offset, data }));
  }
  return operations;
}

function operationOf(
  kind: (typeof KINDS)[number],
  of: { path: string; inode: number; offset: number; data: Buffer },
): DiskOperation {
  const { path, inode, offset, data } = of;
  switch (kind) {
    case 'write':
      return { kind, path, inode, offset, data };
    case 'truncate':
      return { kind, path, inode, size: offset };
    case 'rename':
      return { kind, path, to: data.toString('utf8') };
    case 'mark':
      return { kind, text: data.toString('utf8') };
    default:
      return { kind, path, inode };
  }
}
