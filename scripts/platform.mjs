// What this machine is, asked in one place. Built-ins only, and old syntax only: setup runs it on Node 18,
// before anything is installed.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
export const isLinux = process.platform === 'linux';
export const isRoot = isLinux && process.getuid() === 0;

/** The oldest Node that runs TypeScript sources by itself, without a flag. */
const NODE_FLOOR = [22, 18];

/** Thrown for what a person can act on: it is printed as one sentence, without a stack. */
export class Problem extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** One line of progress. Standard error, so that what a script prints on standard output stays clean. */
export function say(message) {
  process.stderr.write(`fencepost: ${message}\n`);
}

/** Runs `main`, turns a Problem into one sentence and its exit code, and lets bugs show their stack. */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    say(error.message);
    process.exitCode = error.exitCode;
  }
}

export function isEntry(moduleUrl) {
  return process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(moduleUrl);
}

export function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > NODE_FLOOR[0] || (major === NODE_FLOOR[0] && minor >= NODE_FLOOR[1]);
}

/** A Node that runs this project: the current one when it is new enough, else the one npm brought. */
export function findNode() {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const bundled = path.join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  return existsSync(bundled) ? bundled : null;
}

export function requireNode() {
  const node = findNode();
  if (node) return node;
  throw new Problem(
    `Fencepost needs Node ${NODE_FLOOR.join('.')} or newer, and this is ${process.versions.node}. ` +
      'Install a newer Node from https://nodejs.org and run the command again.',
  );
}

/**
 * How the host's own Node is started. Where much is read at once, as when a device catches up, V8 gives its young generation
 * 128 MB although nothing in it lives; with a limit it collects more often, which costs no time that can be measured.
 * Electron's V8 keeps to less by itself.
 */
export const hostFlags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=8'];

/** PATH with this project's own tools first, so that every child finds the same Node. */
export function projectEnv(extra = {}) {
  const bin = path.join(root, 'node_modules', '.bin');
  return { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}`, ...extra };
}

/** PATH without it: npm must not run on the Node that it is about to replace. `bin` comes first when it is given. */
export function systemEnv(bin) {
  const parts = (process.env.PATH ?? '').split(path.delimiter).filter((part) => !part.includes('node_modules'));
  return { ...process.env, PATH: [bin ?? [], parts].flat().join(path.delimiter) };
}

/** Runs a command with the terminal's own output and no input; returns its exit code. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
    ...options,
  });
  if (result.error?.code === 'ETIMEDOUT')
    say(`It was ended after ${options.timeout / 60_000} minutes: ${command} ${args.join(' ')}`);
  return result.error ? 127 : (result.status ?? 1);
}

/** Runs a command and returns what it printed, or null when it failed. */
export function capture(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', ...options });
  return result.error || result.status !== 0 ? null : result.stdout;
}

/** Runs a command quietly; returns null when it worked, else the first line that it complained with. */
export function complaintOf(command, args, options = {}) {
  const shell = process.platform === 'win32' && command === 'npm';
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', shell, ...options });
  if (result.status === 0) return null;
  const lines = (result.stderr ?? '').split('\n').filter((line) => line.trim() !== '');
  return result.error?.message ?? lines[0] ?? `exit code ${result.status}`;
}

export function findCommand(...names) {
  for (const name of names) {
    for (const dir of (process.env.PATH ?? '').split(path.delimiter).concat('/usr/sbin', '/sbin')) {
      const file = path.join(dir, name);
      try {
        accessSync(file, constants.X_OK);
        if (statSync(file).isFile()) return file;
      } catch {
        // Not here: the next folder may have it.
      }
    }
  }
  return null;
}

/** A window can be shown: always outside Linux, there only with an X or Wayland session. */
export function hasDisplay() {
  return !isLinux || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/**
 * Where what is expensive to make is kept between checkouts. Root's home is closed to others, and Electron runs as an
 * unprivileged user there, so root uses the system's cache.
 */
export function cacheRoot() {
  if (process.env.FENCEPOST_CACHE_DIR) return path.resolve(process.env.FENCEPOST_CACHE_DIR);
  if (isRoot) return '/var/cache/fencepost';
  if (process.platform === 'darwin') return path.join(homedir(), 'Library', 'Caches', 'fencepost');
  if (process.platform === 'win32') {
    return path.join(process.env.LOCALAPPDATA ?? path.join(homedir(), 'AppData', 'Local'), 'fencepost', 'cache');
  }
  return path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'fencepost');
}

/** Whether a user with no rights of their own can enter every folder above `file` and read it. */
export function readableByAll(file) {
  if (!isLinux) return true;
  for (let at = path.resolve(file); ; at = path.dirname(at)) {
    const stat = statSync(at);
    const needed = stat.isDirectory() ? 0o5 : 0o4;
    if ((stat.mode & needed) !== needed) return false;
    if (at === path.dirname(at)) return true;
  }
}
