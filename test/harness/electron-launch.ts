import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { _electron, type ElectronApplication, type Page } from '@playwright/test';
import { findElectronRuntime } from '../../scripts/electron-runtime.mjs';
import { giveToNobody, stageApplication, unprivilegedScript } from '../../scripts/unprivileged.mjs';

/**
 * Starts the built application in a real Electron with the sandbox on. As root, Electron alone runs as `nobody`
 * (scripts/unprivileged.mjs says why); Playwright keeps its rights, so that tests can look at the profile.
 */
const repository = path.join(import.meta.dirname, '..', '..');
const asRoot = process.platform === 'linux' && process.getuid?.() === 0;
const CLOSE_TIMEOUT_MS = 10_000;

export type LaunchOptions = {
  /** A profile from `createHome`, to start again where an earlier launch ended; a fresh one by default. */
  home?: string;
  /** A folder with `package.json` and `out/`; the repository by default. */
  appDir?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
};

export type LaunchedApp = {
  app: ElectronApplication;
  window: Page;
  home: string;
  /** Quits and waits, or kills after ten seconds. Removes the profile only if this launch made it. */
  close: () => Promise<void>;
};

export async function launchApp(options: LaunchOptions = {}): Promise<LaunchedApp> {
  const runtime = findElectronRuntime();
  if (!runtime) throw new Error('There is no Electron here. Run: node scripts/electron-runtime.mjs');
  const home = options.home ?? createHome();
  const app = await _electron.launch({
    executablePath: asRoot ? unprivilegedScript(runtime.executablePath) : runtime.executablePath,
    args: [readableApplication(options.appDir ?? repository), ...(options.args ?? [])],
    chromiumSandbox: true,
    cwd: home,
    env: { ...environment(home, runtime.nativeBinding), ...options.env },
  });
  const close = async () => {
    await closeWithin(app, CLOSE_TIMEOUT_MS);
    if (options.home === undefined) rmSync(home, { recursive: true, force: true });
  };
  try {
    return { app, window: await app.firstWindow(), home, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** An empty home folder, owned by whoever Electron will run as. The caller removes it. */
export function createHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), 'fencepost-home-'));
  mkdirSync(path.join(home, 'run'), { mode: 0o700 });
  const authority = process.env.XAUTHORITY;
  if (authority && existsSync(authority)) copyFileSync(authority, path.join(home, '.Xauthority'));
  giveToUser(home);
  return home;
}

/** Makes a fixture that was put into a home belong to the user that Electron runs as. */
export function giveToUser(target: string): void {
  if (asRoot) giveToNobody(target);
}

const staged = new Map<string, string>();

function readableApplication(appDir: string): string {
  if (!asRoot) return appDir;
  const folder = staged.get(appDir) ?? stageApplication(appDir);
  staged.set(appDir, folder);
  return folder;
}

async function closeWithin(app: ElectronApplication, timeoutMs: number): Promise<void> {
  const child = app.process();
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  try {
    await app.close();
  } catch {
    // It was gone already: tests kill it on purpose.
  } finally {
    clearTimeout(timer);
  }
}

function environment(home: string, nativeBinding: string | undefined): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !/^(NODE_OPTIONS|ELECTRON_RUN_AS_NODE|FENCEPOST_.*)$/.test(name)) env[name] = value;
  }
  if (nativeBinding) env.FENCEPOST_NATIVE_BINDING = nativeBinding;
  if (process.platform !== 'linux') return env;
  const authority = path.join(home, '.Xauthority');
  return {
    ...env,
    ...(existsSync(authority) ? { XAUTHORITY: authority } : {}),
    HOME: home,
    TMPDIR: home,
    XDG_CONFIG_HOME: path.join(home, '.config'),
    XDG_CACHE_HOME: path.join(home, '.cache'),
    XDG_DATA_HOME: path.join(home, '.local', 'share'),
    XDG_RUNTIME_DIR: path.join(home, 'run'),
    // No session bus: a test must not raise notifications on, or read the keyring of, somebody's desktop.
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
  };
}
