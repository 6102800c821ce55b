import { mkdirSync, openSync, closeSync, writeSync, ftruncateSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DiskOperation } from './disk-log.ts';
import type { Random } from '../harness/random.ts';

/**
 * What a power cut leaves of what was not synced.
 * `synced`: nothing of it. `everything`: all of it. `subset`: some of the operations. `torn`: some of the 512-byte sectors of
 * each, in any order, and now and then noise in place of one.
 */
export const IMAGE_STYLES = ['synced', 'everything', 'subset', 'torn'] as const;
export type ImageStyle = (typeof IMAGE_STYLES)[number];

/** What a disk writes at once, or not at all. */
const SECTOR_BYTES = 512;
/** How often a sector that was being written holds noise afterwards. */
const NOISE_SHARE = 0.02;

type Change =
  | { readonly kind: 'write'; readonly offset: number; readonly data: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number };

/** A change of the names in one folder. A move is one step: it happened or it did not. */
type NameChange =
  | { readonly kind: 'add'; readonly name: string; readonly node: Node }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'move'; readonly name: string; readonly to: string; readonly node: Node };

class FileNode {
  readonly id: number;
  bytes = Buffer.alloc(0);
  size = 0;
  version = 0;
  pending: Change[] = [];

  constructor(id: number) {
    this.id = id;
  }

  sync(): void {
    if (this.pending.length === 0) return;
    for (const change of this.pending) this.#apply(change);
    this.pending = [];
    this.version += 1;
  }

  #apply(change: Change): void {
    const end = change.kind === 'write' ? change.offset + change.data.length : change.size;
    if (end > this.bytes.length) {
      const larger = Buffer.alloc(Math.max(end, this.bytes.length * 2));
      this.bytes.copy(larger, 0, 0, this.size);
      this.bytes = larger;
    }
    if (change.kind === 'write') {
      this.bytes.set(change.data, change.offset);
      this.size = Math.max(this.size, end);
      return;
    }
    this.bytes.fill(0, Math.min(end, this.size), Math.max(end, this.size));
    this.size = end;
  }
}

class FolderNode {
  readonly id: number;
  readonly durable = new Map<string, Node>();
  readonly now = new Map<string, Node>();
  version = 0;
  pending: NameChange[] = [];

  constructor(id: number) {
    this.id = id;
  }

  change(change: NameChange): void {
    this.pending.push(change);
    applyName(this.now, change);
  }

  sync(): void {
    if (this.pending.length === 0) return;
    for (const change of this.pending) applyName(this.durable, change);
    this.pending = [];
    this.version += 1;
  }
}

type Node = FileNode | FolderNode;

function applyName(names: Map<string, Node>, change: NameChange): void {
  if (change.kind === 'add') names.set(change.name, change.node);
  else names.delete(change.name);
  if (change.kind === 'move') names.set(change.to, change.node);
}

/** One file of an image: what the disk holds for certain, and which of the later changes reached it as well. */
interface ImageFile {
  readonly path: string;
  readonly base: Uint8Array;
  readonly changes: readonly Change[];
}

/** A disk after a power cut. */
export interface DiskImage {
  /** Two images with the same one are the same. */
  readonly signature: string;
  /** Puts it into an empty folder. */
  write(folder: string): void;
}

/**
 * A disk under a file system that promises what POSIX does and no more: what a file holds is certain after its own sync, and
 * a name is certain after the sync of its folder. Everything since then may be there, in part, or not.
 */
export class DiskModel {
  readonly #root = new FolderNode(0);
  readonly #byInode = new Map<number, Node>();
  readonly #isWanted: (path: string) => boolean;
  #lastId = 0;

  /** `isWanted`: files that are left out are no durable state, such as an index in shared memory. */
  constructor(isWanted: (path: string) => boolean) {
    this.#isWanted = isWanted;
  }

  apply(operation: DiskOperation): void {
    if (operation.kind === 'mark' || (operation.path !== '' && !this.#isWanted(operation.path))) return;
    const { path } = operation;
    const folder = this.#folder(path === '' ? '' : dirname(path));
    const name = basename(path);
    switch (operation.kind) {
      case 'create':
      case 'make-folder': {
        this.#lastId += 1;
        const node = operation.kind === 'create' ? new FileNode(this.#lastId) : new FolderNode(this.#lastId);
        this.#byInode.set(operation.inode, node);
        folder.change({ kind: 'add', name, node });
        return;
      }
      case 'write':
        this.#file(operation).pending.push({ kind: 'write', offset: operation.offset, data: operation.data });
        return;
      case 'truncate':
        this.#file(operation).pending.push({ kind: 'truncate', size: operation.size });
        return;
      case 'sync':
        (path === '' ? this.#root : this.#byInode.get(operation.inode))?.sync();
        return;
      case 'rename': {
        const node = folder.now.get(name);
        if (node === undefined || dirname(operation.to) !== dirname(path)) throw new Error(`Not to be moved: ${path}`);
        folder.change({ kind: 'move', name, to: basename(operation.to), node });
        return;
      }
      default:
        folder.change({ kind: 'remove', name });
    }
  }

  image(style: ImageStyle, random: Random): DiskImage {
    // One share for the whole image: some cuts come just before the sync and some just after it began.
    const share = [0.05, 0.5, 0.95][random.below(3)] ?? 0.5;
    const files: ImageFile[] = [];
    const folders: string[] = [];
    const parts: string[] = [];
    const visit = (folder: FolderNode, path: string): void => {
      const changes = folder.pending.filter(() => isKept(style, share, random));
      const names = new Map(folder.durable);
      for (const change of changes) applyName(names, change);
      parts.push(`${path}/${folder.version}:${[...names].map(([name, node]) => `${name}=${node.id}`).join(',')}`);
      for (const [name, node] of names) {
        const below = path === '' ? name : `${path}/${name}`;
        if (node instanceof FolderNode) {
          folders.push(below);
          visit(node, below);
          continue;
        }
        const kept = keptChanges(node.pending, { style, share, random });
        parts.push(`${node.id}.${node.version}:${kept.signature}`);
        files.push({ path: below, base: node.bytes.subarray(0, node.size), changes: kept.changes });
      }
    };
    visit(this.#root, '');
    return { signature: parts.join('|'), write: (folder) => writeImage(folder, folders, files) };
  }

  #folder(path: string): FolderNode {
    let node: Node | undefined = this.#root;
    for (const name of path === '' || path === '.' ? [] : path.split('/')) {
      node = node instanceof FolderNode ? node.now.get(name) : undefined;
    }
    if (!(node instanceof FolderNode)) throw new Error(`There is no folder ${path}.`);
    return node;
  }

  #file({ inode, path }: { readonly inode: number; readonly path: string }): FileNode {
    const node = this.#byInode.get(inode);
    if (!(node instanceof FileNode)) throw new Error(`Nobody made the file ${path}.`);
    return node;
  }
}

function isKept(style: ImageStyle, share: number, random: Random): boolean {
  if (style === 'synced') return false;
  return style === 'everything' || random.chance(share);
}

function keptChanges(
  pending: readonly Change[],
  of: { readonly style: ImageStyle; readonly share: number; readonly random: Random },
): { readonly signature: string; readonly changes: readonly Change[] } {
  const { style, share, random } = of;
  if (style === 'synced' || pending.length === 0) return { signature: '', changes: [] };
  if (style !== 'torn') {
    const flags = pending.map(() => isKept(style, share, random));
    return {
      signature: flags.map((isIn) => (isIn ? '1' : '0')).join(''),
      changes: pending.filter((_, index) => flags[index]),
    };
  }
  const changes: Change[] = [];
  const marks: string[] = [];
  for (const { change, index } of random.shuffled(pending.map((each, place) => ({ change: each, index: place })))) {
    if (change.kind === 'truncate') {
      if (random.chance(share)) changes.push(change);
      continue;
    }
    for (const sector of sectorsOf(change)) {
      if (!random.chance(share)) continue;
      const isNoise = random.chance(NOISE_SHARE);
      changes.push(isNoise ? { ...sector, data: noise(sector.data.length, random) } : sector);
      marks.push(`${index}@${sector.offset}${isNoise ? `~${random.below(1_000_000)}` : ''}`);
    }
  }
  return { signature: marks.join(','), changes };
}

/** The pieces of a write that reach the disk each on its own. */
function* sectorsOf(change: Extract<Change, { kind: 'write' }>): Generator<Extract<Change, { kind: 'write' }>> {
  const end = change.offset + change.data.length;
  for (let from = change.offset; from < end;) {
    const to = Math.min(end, (Math.floor(from / SECTOR_BYTES) + 1) * SECTOR_BYTES);
    yield { kind: 'write', offset: from, data: change.data.subarray(from - change.offset, to - change.offset) };
    from = to;
  }
}

function noise(bytes: number, random: Random): Uint8Array {
  return Uint8Array.from({ length: bytes }, () => random.below(256));
}

function writeImage(folder: string, folders: readonly string[], files: readonly ImageFile[]): void {
  for (const each of folders) mkdirSync(join(folder, each), { recursive: true });
  for (const { path, base, changes } of files) {
    const file = openSync(join(folder, path), 'w');
    try {
      if (base.length > 0) writeSync(file, base, 0, base.length, 0);
      for (const change of changes) {
        if (change.kind === 'write') writeSync(file, change.data, 0, change.data.length, change.offset);
        else ftruncateSync(file, change.size);
      }
    } finally {
      closeSync(file);
    }
  }
}
