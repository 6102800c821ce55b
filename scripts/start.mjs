// `npm start`: the application in its window, or the same host without one where a window cannot be shown.
// Arguments after `--` go to the application.
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { buildIfStale } from './build.mjs';
import { findElectronRuntime } from './electron-runtime.mjs';
import { hasDisplay, hostFlags, isRoot, projectEnv, requireNode, root, runMain, say } from './platform.mjs';
import { giveToNobody, stageApplication, unprivilegedScript } from './unprivileged.mjs';

/** Where the window's data is when root starts it: `nobody` has no home. */
const ROOT_PROFILE = '/var/lib/fencepost';
/** A terminal and npm both deliver the same Ctrl-C: a second one this soon is not a second wish. */
const SAME_SIGNAL_MS = 500;
const PARENT_CHECK_MS = 500;
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'];

async function main() {
  buildIfStale();
  const args = process.argv.slice(2);
  const runtime = findRuntime();
  return runtime ? startWindow(runtime, args) : startHeadless(args);
}

/** The Electron to use, or null after saying in one sentence why there is no window. */
function findRuntime() {
  if (!hasDisplay()) {
    say('no display here, so the host runs headless and its window opens in a browser');
    return null;
  }
  const runtime = findElectronRuntime();
  if (!runtime) {
    say('no Electron on this machine, so the host runs headless and its window opens in a browser');
    return null;
  }
  if (runtime.sandbox) return runtime;
  const helper = path.join(path.dirname(runtime.executablePath), 'chrome-sandbox');
  say(
    `this system keeps Chromium's sandbox from starting, so the host runs headless; for the window, run once:\n` +
      `  sudo chown root:root ${helper} && sudo chmod 4755 ${helper}`,
  );
  return null;
}

function startWindow(runtime, args) {
  const binding = runtime.nativeBinding ? { FENCEPOST_NATIVE_BINDING: runtime.nativeBinding } : {};
  if (!isRoot)
    return runToEnd(runtime.executablePath, [root, ...args], { cwd: root, env: { ...process.env, ...binding } });
  say(`Chromium's sandbox refuses root: the window runs as the user nobody, with its data in ${ROOT_PROFILE}`);
  const env = { ...process.env, ...rootProfile(), ...binding };
  const options = { cwd: ROOT_PROFILE, env };
  return runToEnd(unprivilegedScript(runtime.executablePath), [stageApplication(root), ...args], options);
}

function rootProfile() {
  const runtimeFolder = path.join(ROOT_PROFILE, 'run');
  mkdirSync(runtimeFolder, { recursive: true, mode: 0o700 });
  const authority = process.env.XAUTHORITY ?? path.join(process.env.HOME ?? '/root', '.Xauthority');
  const ours = path.join(ROOT_PROFILE, '.Xauthority');
  if (existsSync(authority)) copyFileSync(authority, ours);
  giveToNobody(ROOT_PROFILE);
  return {
    HOME: ROOT_PROFILE,
    USER: 'nobody',
    XAUTHORITY: ours,
    XDG_CONFIG_HOME: path.join(ROOT_PROFILE, '.config'),
    XDG_CACHE_HOME: path.join(ROOT_PROFILE, '.cache'),
    XDG_DATA_HOME: path.join(ROOT_PROFILE, '.local', 'share'),
    XDG_RUNTIME_DIR: runtimeFolder,
  };
}

/** Straight from the sources: Node strips the types. The built window is served from out/renderer. */
function startHeadless(args) {
  const entry = path.join(root, 'src', 'main', 'headless.ts');
  const options = { cwd: process.cwd(), env: projectEnv() };
  return runToEnd(requireNode(), [...hostFlags, entry, ...args], options);
}

/** Runs the program in a process group of its own, passes a wish to stop on once, and ends as the program ended. */
function runToEnd(command, args, options) {
  const detached = process.platform !== 'win32';
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], detached, ...options });
  passSignalsTo(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? (STOPPING.includes(signal) ? 0 : 1)));
  });
}

function passSignalsTo(child) {
  let askedAt = -Infinity;
  const ask = (signal) => {
    if (performance.now() - askedAt > SAME_SIGNAL_MS) child.kill(signal);
    askedAt = performance.now();
  };
  for (const signal of STOPPING) process.on(signal, () => ask(signal));
  // A signal to npm ends npm and the shell between us, and never gets here: what is left is another parent.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    if (askedAt === -Infinity) ask('SIGTERM');
  }, PARENT_CHECK_MS);
  if (process.env.npm_lifecycle_event === undefined) clearInterval(watch);
  watch.unref();
}

await runMain(main);
