import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { plainEnvironment } from './plain-environment.ts';

const root = path.join(import.meta.dirname, '..', '..');
const entry = path.join(root, 'src', 'main', 'headless.ts');
const START_LIMIT_MS = 30_000;

/** A real headless host in a process of its own, on a port of the system's choice. */
export interface HeadlessHost {
  readonly child: ChildProcess;
  /** The one-time link that it printed. */
  readonly link: string;
  readonly origin: string;
  /** Asks it to stop; answers its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** How a run of the entry ended. */
export interface HeadlessEnd {
  readonly code: number | null;
  readonly output: string;
  readonly complaint: string;
}

/** Starts the headless host on a profile and waits for its link. */
export async function startHeadless(
  profileFolder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<HeadlessHost> {
  const { child, ended } = spawnHeadless(profileFolder, { args: [], env });
  const link = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error('The headless host printed no link in time.'));
    }, START_LIMIT_MS);
    let output = '';
    child.stdout?.on('data', (part: Buffer) => {
      output += part.toString('utf8');
      const found = /^Open (http:\S+)$/mu.exec(output)?.[1];
      if (found !== undefined) resolve((clearTimeout(timer), found));
    });
    void ended.then(({ code, complaint }) => {
      clearTimeout(timer);
      reject(new Error(`The headless host ended with ${code}: ${complaint}`));
    });
  });
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return (await ended).code;
  };
  return { child, link, origin: new URL(link).origin, stop };
}

/** Runs the entry to its end: for refusals to start, and for `--new-link`. */
export function runHeadlessEntry(
  profileFolder: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<HeadlessEnd> {
  return spawnHeadless(profileFolder, { args, env }).ended;
}

function spawnHeadless(
  profileFolder: string,
  of: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> },
) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...of.args], {
    env: { ...plainEnvironment(), FENCEPOST_PORT: '0', ...of.env, FENCEPOST_PROFILE: profileFolder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let complaint = '';
  child.stdout.on('data', (part: Buffer) => (output += part.toString('utf8')));
  child.stderr.on('data', (part: Buffer) => (complaint += part.toString('utf8')));
  const ended = new Promise<HeadlessEnd>((resolve) =>
    child.once('close', (code) => resolve({ code, output, complaint })),
  );
  return { child, ended };
}
