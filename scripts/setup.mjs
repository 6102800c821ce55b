// Makes a fresh clone ready: packages, Node 24, system libraries, an Electron. Built-ins only, Node 18 or newer.
// `node scripts/setup.mjs deps|start|test`; each does what the one before does, and nothing when nothing changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  capture,
  complaintOf,
  findCommand,
  hasDisplay,
  isEntry,
  isLinux,
  isNewEnough,
  isRoot,
  Problem,
  projectEnv,
  requireNode,
  root,
  run,
  runMain,
  say,
  systemEnv,
} from './platform.mjs';

const modules = path.join(root, 'node_modules');
const CI = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
const stampFile = path.join(modules, '.fencepost-setup');

/** What each capability needs: a command or a shared library that shows it is there, and the packages that bring it. */
const WINDOW = [
  { library: 'libnss3.so', packages: ['libnss3'] },
  { library: 'libgtk-3.so.0', packages: ['libgtk-3-0t64', 'libgtk-3-0'] },
  { library: 'libasound.so.2', packages: ['libasound2t64', 'libasound2'] },
  { library: 'libgbm.so.1', packages: ['libgbm1'] },
];
const RUNTIME = [
  { command: 'unzip', packages: ['unzip'] },
  { command: 'python3', packages: ['python3'] },
  { command: 'make', packages: ['make'] },
  { command: 'g++', packages: ['g++'] },
];
const TESTS = [
  { command: 'Xvfb', packages: ['xvfb'] },
  { command: 'xauth', packages: ['xauth'] },
  { command: 'etcd', packages: ['etcd-server'] },
  { command: 'faketime', packages: ['faketime'] },
  { command: 'ip', packages: ['iproute2'] },
];
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** @param {'deps' | 'start' | 'test'} mode */
export function setup(mode) {
  installPackages();
  requireNode();
  if (mode === 'start' && hasDisplay()) {
    installSystemPackages([...WINDOW, ...RUNTIME]);
    makeElectron('It will run headless instead, with its window in a browser.');
  }
  if (mode === 'test') {
    installSystemPackages([...WINDOW, ...RUNTIME, ...TESTS, { command: BROWSERS, packages: ['chromium'] }]);
    ensureBrowser();
    if (process.env.FENCEPOST_WITHOUT_ELECTRON !== '1') makeElectron('The Electron tests will fail and say so.');
  }
}

function installPackages() {
  const stamp = currentStamp();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  if (!packagesMatchLock()) npmCi();
  mkdirSync(modules, { recursive: true });
  writeFileSync(stampFile, stamp);
  say('packages are installed');
}

/**
 * On an old Node, npm silently leaves out the native parts of the build tools, because they ask for a newer one. So there
 * the newer Node is fetched first, by the same lock, and npm runs on it.
 */
function npmCi() {
  const node = `node-${process.platform}-${process.arch}`;
  const entry = readLock().packages[`node_modules/${node}`];
  const borrowed = !isNewEnough(systemNodeVersion()) && entry ? borrowNode(node, entry) : null;
  say('installing packages (npm ci)');
  const env = systemEnv(borrowed ? path.join(borrowed, 'node_modules', '.bin') : undefined);
  const code = run('npm', CI, { env, stdio: ['ignore', 2, 2] });
  if (borrowed) rmSync(borrowed, { recursive: true, force: true });
  if (code === 0) return;
  throw new Problem('npm could not install the packages; see the lines above. Is the npm registry reachable?');
}

/** Installs nothing but Node into a temporary folder, which it returns. */
function borrowNode(node, entry) {
  say(`fetching Node ${entry.version}`);
  const folder = mkdtempSync(path.join(tmpdir(), 'fencepost-node-'));
  const about = { name: 'node-for-setup', version: '0.0.0', dependencies: { [node]: entry.version } };
  const packages = { '': about, [`node_modules/${node}`]: { ...entry, optional: false } };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(about));
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ ...about, lockfileVersion: 3, packages }));
  const complaint = complaintOf('npm', CI, { cwd: folder, env: systemEnv() });
  if (complaint === null) return folder;
  rmSync(folder, { recursive: true, force: true });
  throw new Problem(`npm could not fetch Node ${entry.version}: ${complaint}`);
}

/** The version of the Node that npm would run on, which is not always the one that runs this script. */
function systemNodeVersion() {
  const printed = capture('node', ['--version'], { env: systemEnv() });
  return printed?.trim().replace(/^v/, '') ?? process.versions.node;
}

function readLock() {
  return JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
}

function currentStamp() {
  const lock = readFileSync(path.join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform} ${process.arch}\n`;
}

/** npm leaves a list of what it installed: when it agrees with the lock, there is nothing to install again. */
function packagesMatchLock() {
  const installedFile = path.join(modules, '.package-lock.json');
  if (!existsSync(installedFile)) return false;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  const wanted = readLock().packages;
  return Object.entries(wanted).every(([name, entry]) => {
    if (name === '') return true;
    const found = installed[name];
    return found ? found.version === entry.version && found.integrity === entry.integrity : entry.optional === true;
  });
}

function installSystemPackages(needs) {
  if (!isLinux) return;
  const libraries = capture(findCommand('ldconfig') ?? 'ldconfig', ['-p']) ?? '';
  const missing = needs.filter((need) =>
    need.library ? !libraries.includes(need.library) : !findCommand(...[need.command].flat()),
  );
  if (missing.length === 0) return;
  if (!findCommand('apt-get')) {
    say(
      `this system lacks ${missing.map((need) => need.packages.at(-1)).join(', ')}; install them with its package tool`,
    );
    return;
  }
  if (isRoot) apt(['update']);
  const names = missing.map((need) => need.packages.find(isKnownPackage) ?? need.packages.at(-1));
  if (!isRoot) {
    say(`some system packages are missing; to install them, run:\n  sudo apt-get install -y ${names.join(' ')}`);
    return;
  }
  say(`installing system packages: ${names.join(' ')}`);
  apt(['install', '-y', '--no-install-recommends', ...names]);
}

function isKnownPackage(name) {
  return /^Version:/m.test(capture('apt-cache', ['show', name], { stdio: ['ignore', 'pipe', 'ignore'] }) ?? '');
}

function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  if (run('apt-get', ['-qq', '-o', 'Dpkg::Use-Pty=0', ...args], { env, stdio: ['ignore', 'ignore', 2] }) !== 0) {
    say(`apt-get ${args[0]} failed; going on with what is there`);
  }
}

/** A system browser is preferred; where there is none, Playwright may be able to fetch its own. */
function ensureBrowser() {
  if (findCommand(...BROWSERS) || process.env.FENCEPOST_CHROMIUM) return;
  const command = path.join(modules, 'playwright', 'cli.js');
  run(requireNode(), [command, 'install', 'chromium'], { timeout: 300_000, stdio: ['ignore', 2, 2] });
}

/** In a child, because it needs the Node that was installed a moment ago. */
function makeElectron(otherwise) {
  const script = path.join(root, 'scripts', 'electron-runtime.mjs');
  const code = run(requireNode(), [script], { env: projectEnv(), stdio: ['ignore', 2, 2] });
  if (code !== 0) say(`there is no Electron on this machine. ${otherwise}`);
}

function main() {
  const mode = process.argv[2] ?? 'deps';
  if (!['deps', 'start', 'test'].includes(mode)) throw new Problem('Usage: node scripts/setup.mjs deps|start|test');
  setup(mode);
}

if (isEntry(import.meta.url)) await runMain(main);
