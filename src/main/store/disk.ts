import { closeSync, fsyncSync, openSync, rmSync, statSync, statfsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';

/** File systems of other machines, by the number Linux gives them (statfs(2)). Their locks cannot be relied on. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
]);

/** Parts of a path that folders kept in step by another program have. */
const SYNCED_FOLDERS =
  /[\\/](?:OneDrive[^\\/]*|Dropbox|Google ?Drive|iCloudDrive|Mobile Documents|CloudStorage)(?:[\\/]|$)/iu;

/** Why a folder cannot hold the record; `null` if it can. A file is really made in it: permissions alone say too little. */
export function folderProblem(folder: string): Problem | null {
  const probe = join(folder, `.fencepost-probe-${process.pid}-${probes++}`);
  try {
    if (!statSync(folder).isDirectory()) return unwritable(folder);
    closeSync(openSync(probe, 'wx', 0o600));
    rmSync(probe);
  } catch (cause) {
    rmSync(probe, { force: true });
    return errorCodeOf(cause) === 'ENOSPC' ? diskFullProblem() : unwritable(folder);
  }
  const network = networkOf(folder);
  if (network === null) return null;
  return problem(
    'store-unsure',
    `The data folder ${folder} is on another machine (${network}), where the record cannot be kept safely.`,
    'Nothing was changed. Choose a folder on this machine with FENCEPOST_PROFILE.',
  );
}

let probes = 0;

function unwritable(folder: string): Problem {
  return problem(
    'folder-read-only',
    `The data folder ${folder} cannot be written.`,
    'Choose another folder with FENCEPOST_PROFILE, or change its permissions.',
  );
}

function networkOf(folder: string): string | null {
  if (process.platform === 'win32') return resolve(folder).startsWith(String.raw`\\`) ? 'a network share' : null;
  if (process.platform !== 'linux') return null;
  try {
    return NETWORK_FILE_SYSTEMS.get(statfsSync(folder).type) ?? null;
  } catch {
    return null;
  }
}

/** A hint for a message when a folder looks as if another program moved its files about; `null` if it does not. */
export function syncedFolderHint(folder: string): string | null {
  if (!SYNCED_FOLDERS.test(resolve(folder))) return null;
  return 'The folder seems to be kept in step by a cloud program, which damages databases: choose one that is not.';
}

/** The disk has no room left. */
export function diskFullProblem(): Problem {
  return problem(
    'store-full',
    'The disk is full, so nothing can be written down.',
    'Nothing is sent meanwhile. Free some space; Fencepost goes on by itself.',
  );
}

/** The system's own code of an error, such as `ENOSPC`; empty for any other error. */
export function errorCodeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** Brings a file, or the names in a folder, to the disk itself. Windows does that for folders on its own. */
export function flushToDisk(path: string): void {
  const isFolder = statSync(path).isDirectory();
  if (isFolder && process.platform === 'win32') return;
  const opened = openSync(path, isFolder ? 'r' : 'r+');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
