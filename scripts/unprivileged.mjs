// Chromium's sandbox refuses root. Where everything runs as root (containers, CI), Electron alone is started as the
// user `nobody`, with its sandbox on, from a copy of the application that this user may read: a checkout is often below
// a home that is closed to others.
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Problem, run } from './platform.mjs';

/** All that the built application consists of: the rest is bundled into `out`. */
const APPLICATION = ['package.json', 'out', 'samples', 'node_modules/better-sqlite3'];

/** The user and group without rights. */
export function nobody() {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'));
  if (!line) throw new Problem('This system has no user called nobody to run Electron as.');
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Makes a file or folder, with all that it contains, belong to that user. */
export function giveToNobody(target) {
  const { uid, gid } = nobody();
  run('chown', ['-R', `${uid}:${gid}`, target]);
}

/** Copies the built application to a folder that anybody may read, until this process ends. */
export function stageApplication(appDir) {
  const folder = openTemporaryFolder('app');
  // The sources of the database are half of its size, and nothing reads them here.
  const filter = (file) => !/better-sqlite3[\\/](deps|src)$/.test(file);
  for (const name of APPLICATION.filter((one) => existsSync(path.join(appDir, one)))) {
    cpSync(path.join(appDir, name), path.join(folder, name), { recursive: true, dereference: true, filter });
  }
  run('chmod', ['-R', 'a+rX', folder]);
  return folder;
}

/** A script that becomes the program under that user, so that signals and exit codes are the program's own. */
export function unprivilegedScript(executable) {
  const { uid, gid } = nobody();
  const script = path.join(openTemporaryFolder('launch'), 'electron');
  writeFileSync(script, `#!/bin/sh\nexec setpriv --reuid=${uid} --regid=${gid} --clear-groups "${executable}" "$@"\n`);
  chmodSync(script, 0o755);
  return script;
}

function openTemporaryFolder(purpose) {
  const folder = mkdtempSync(path.join(tmpdir(), `fencepost-${purpose}-`));
  chmodSync(folder, 0o755);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
