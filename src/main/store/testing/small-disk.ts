import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MOUNT = '/bin/mount';
const UNMOUNT = '/bin/umount';

/** Only root on Linux can make a disk in memory; elsewhere tests find another way, or say that they were skipped. */
export const canMakeDisks = process.platform === 'linux' && process.getuid?.() === 0 && tryMount();

/** A file system of its own. */
export interface SmallDisk {
  readonly folder: string;
  /** Takes all room that is left. */
  readonly fill: () => void;
  readonly free: () => void;
  readonly setReadOnly: (isReadOnly: boolean) => void;
  readonly remove: () => void;
}

/** Makes one of so many bytes in memory. */
export function makeSmallDisk(bytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'fencepost-disk-'));
  execFileSync(MOUNT, ['-t', 'tmpfs', '-o', `size=${bytes}`, 'fencepost-test', folder]);
  const filler = join(folder, 'filler');
  return {
    folder,
    fill() {
      try {
        for (let size = bytes; size >= 512; size = Math.floor(size / 2)) appendUntilFull(filler, size);
      } catch {
        // Full is what it should be.
      }
    },
    free: () => rmSync(filler, { force: true }),
    setReadOnly: (isReadOnly) => void execFileSync(MOUNT, ['-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, folder]),
    remove() {
      execFileSync(UNMOUNT, ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function appendUntilFull(file: string, size: number): void {
  try {
    for (;;) writeFileSync(file, new Uint8Array(size), { flag: 'a' });
  } catch {
    // The next, smaller piece may still fit.
  }
}

/** A folder that may only be looked into: by its mode, or for root, who may do all, by its disk. */
export function makeReadOnlyFolder(): { readonly folder: string; readonly remove: () => void } {
  if (canMakeDisks) {
    const disk = makeSmallDisk(1_048_576);
    disk.setReadOnly(true);
    return disk;
  }
  const folder = mkdtempSync(join(tmpdir(), 'fencepost-read-only-'));
  chmodSync(folder, 0o500);
  return {
    folder,
    remove() {
      chmodSync(folder, 0o700);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function tryMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'fencepost-disk-'));
  try {
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', 'size=64k', 'fencepost-test', folder], { stdio: 'ignore' });
    execFileSync(UNMOUNT, [folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
