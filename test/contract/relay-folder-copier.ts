import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openFolderRelay } from '../../src/main/relays/folder/folder-relay.ts';
import type { FolderRelay } from '../../src/main/relays/folder/folder-relay.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import { must } from './relay-samples.ts';

/** Whose folder the tests' folders are. */
export const SPACE = 'space-1';
/** The wall clock of the tests, ms. */
export const NOW_MS = 1_800_000_000_000;

/** A fresh folder for copies of the shared one. */
export function makeRoot(): string {
  return mkdtempSync(path.join(tmpdir(), 'fencepost-folder-'));
}

/** Opens the relay on one copy of the folder; fails the test if it cannot. */
export async function openAt(folder: string, deviceId: DeviceId): Promise<FolderRelay> {
  return must(await openFolderRelay({ folder, spaceId: SPACE, deviceId, isNew: true, wallMs: () => NOW_MS }));
}

/** Numbers that a seed decides. */
export type Random = (below: number) => number;

/** The same seed gives the same numbers. */
export function randomOf(seed: number): Random {
  let state = (seed + 1) * 0x9e3779b9;
  return (below) => {
    state = Math.imul(state ^ (state >>> 15), 0x85ebca6b);
    state = (state ^ (state >>> 13)) + 0x6d2b79f5;
    return ((Math.imul(state, 0xc2b2ae35) >>> 0) % 1_000_003) % below;
  };
}

/** What some programs call a file of which they have two. */
const CONFLICTED: readonly ((stem: string, extension: string) => string)[] = [
  (stem, extension) => `${stem} (Anna's conflicted copy 2026-11-30)${extension}`,
  (stem, extension) => `${stem}.sync-conflict-20261130-101500-ABCDEFG${extension}`,
  (stem, extension) => `${stem} (1)${extension}`,
  (stem, extension) => `${stem} - Copy${extension}`,
  (stem, extension) => `${stem}${extension}.orig`,
  (stem, extension) => `Copy of ${stem}${extension}`,
];

/** What the copier has done so far. */
type CopierDeed = keyof typeof DEEDS;

/** How often each deed comes, in parts of all. */
const DEEDS = {
  whole: 30,
  cut: 6,
  conflicted: 6,
  hollow: 3,
  damaged: 3,
  misplaced: 2,
  gone: 8,
  lost: 3,
  lostAtHome: 1,
};

/** One file on its way. */
interface Way {
  readonly source: string;
  readonly target: string;
  readonly name: string;
}

/** Keeps copies of a folder in step, as badly as a program may: late, in any order, in pieces, and with losses. */
export class Copier {
  readonly #copies: readonly string[];
  readonly #random: Random;
  readonly done = new Map<CopierDeed, number>();

  constructor(copies: readonly string[], random: Random) {
    this.#copies = copies;
    this.#random = random;
  }

  /** Does something to one file, for better or worse. */
  step(): void {
    const from = this.#pick(this.#copies);
    const to = this.#pick(this.#copies);
    const device = this.#pick(foldersIn(from));
    if (from === to || device === undefined || from === undefined || to === undefined) return;
    const [source, target] = [path.join(from, 'devices', device), path.join(to, 'devices', device)];
    mkdirSync(target, { recursive: true });
    const deed = this.#pickDeed();
    const isRemoval = deed === 'gone' || deed === 'lost' || deed === 'lostAtHome';
    const name = this.#pick(isRemoval ? this.#removable(deed, { source, target }) : filesIn(source));
    if (name === undefined) return;
    this.done.set(deed, (this.done.get(deed) ?? 0) + 1);
    if (isRemoval) rmSync(path.join(deed === 'lostAtHome' ? source : target, name), { force: true });
    else this.#bring(deed, { source, target, name });
  }

  /** All is well again: what one copy has, every copy has, and each is complete. */
  settle(home: ReadonlyMap<string, string>): void {
    for (const [device, copy] of home) {
      const source = path.join(copy, 'devices', device);
      for (const other of this.#copies.filter((each) => each !== copy)) {
        const target = path.join(other, 'devices', device);
        rmSync(target, { recursive: true, force: true });
        mkdirSync(target, { recursive: true });
        for (const name of filesIn(source))
          writeFileSync(path.join(target, name), readFileSync(path.join(source, name)));
      }
    }
  }

  #bring(deed: CopierDeed, { source, target, name }: Way): void {
    const content = readFileSync(path.join(source, name));
    const there = path.join(target, name);
    if (deed === 'whole') writeFileSync(there, content);
    else if (deed === 'cut') writeFileSync(there, content.subarray(0, this.#random(content.length)));
    else if (deed === 'hollow') {
      // Size and time are right from the beginning, as some programs do it.
      const { mtime } = statSync(path.join(source, name));
      writeFileSync(there, Buffer.alloc(content.length));
      utimesSync(there, mtime, mtime);
    } else if (deed === 'damaged') {
      const at = this.#random(content.length);
      content[at] = (content[at] ?? 0) ^ (1 + this.#random(255));
      writeFileSync(there, content);
    } else if (deed === 'misplaced') {
      const elsewhere = this.#pick(foldersIn(path.dirname(path.dirname(target)))) ?? '';
      if (elsewhere !== path.basename(target)) writeFileSync(path.join(target, '..', elsewhere, name), content);
    } else {
      const { name: stem, ext } = path.parse(name);
      const conflicted = this.#pick(CONFLICTED)?.(stem, ext) ?? name;
      const isCut = this.#random(3) === 0;
      writeFileSync(path.join(target, conflicted), isCut ? content.subarray(0, this.#random(content.length)) : content);
    }
  }

  #removable(deed: CopierDeed, { source, target }: Omit<Way, 'name'>): readonly string[] {
    if (deed === 'lostAtHome') return filesIn(source);
    if (deed === 'lost') return filesIn(target);
    const kept = new Set(filesIn(source));
    return filesIn(target).filter((name) => !kept.has(name));
  }

  #pick<Value>(values: readonly Value[]): Value | undefined {
    return values.length === 0 ? undefined : values[this.#random(values.length)];
  }

  #pickDeed(): CopierDeed {
    const deeds = Object.entries(DEEDS) as [CopierDeed, number][];
    let left = this.#random(deeds.reduce((sum, [, parts]) => sum + parts, 0));
    for (const [deed, parts] of deeds) {
      if (left < parts) return deed;
      left -= parts;
    }
    return 'whole';
  }
}

/** The devices' folders in a copy. */
export function foldersIn(copy: string | undefined): string[] {
  return copy === undefined ? [] : readdirSync(path.join(copy, 'devices')).toSorted();
}

/** Files in a folder, without temporary ones. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .toSorted();
}
