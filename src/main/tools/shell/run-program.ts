import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { cappedOutput } from '../capped-output.ts';
import { GROUP_LIMITS, watchGroup } from './group-limits.ts';
import type { GroupLimits } from './group-limits.ts';

/** How a program came to its end. */
type ProgramEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'never-started'; readonly code: string }
  | { readonly kind: 'cut-short'; readonly code: string };

/** A program that ended, with what it wrote. */
export interface ProgramRun {
  readonly end: ProgramEnd;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to run a program. */
export interface ProgramOptions {
  readonly file: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What it may use with its children; more than enough for usual work by default. */
  readonly limits?: GroupLimits;
}

/** How long a program may tidy up after a polite signal before it is killed, ms. */
const KILL_GRACE_MS = 500;
/** How long output may still arrive after the program itself ended, ms: its children may hold the pipes. */
const DRAIN_MS = 1_000;
/** How long to wait for a killed program to be gone, ms: one stuck in the kernel must not hold the run for ever. */
const GONE_MS = 5_000;

/**
 * Runs a program with exactly these arguments; no shell ever reads them. It leads a process group of its own, so that
 * an abort or a timeout ends its children too.
 */
export async function runProgram(options: ProgramOptions): Promise<ProgramRun> {
  if (options.signal.aborted) return neverStarted('aborted');
  let child: ChildProcess;
  try {
    child = spawn(options.file, options.argv.slice(1), {
      cwd: options.cwd,
      env: options.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: false,
      windowsHide: true,
      detached: process.platform !== 'win32',
    });
  } catch (error) {
    return neverStarted(codeOf(error));
  }
  return await watch(child, options);
}

function neverStarted(code: string): ProgramRun {
  return { end: { kind: 'never-started', code }, stdout: '', stderr: '' };
}

function watch(child: ChildProcess, options: ProgramOptions): Promise<ProgramRun> {
  const stdout = cappedOutput();
  const stderr = cappedOutput();
  child.stdout?.on('data', (chunk: Buffer) => stdout.add(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.add(chunk));
  return new Promise((resolve) => {
    const timers = new Set<NodeJS.Timeout>();
    const later = (ms: number, act: () => void) => timers.add(setTimeout(act, ms));
    let cutShort: string | null = null;
    let end: ProgramEnd | null = null;

    const finish = (last: ProgramEnd) => {
      for (const timer of timers) clearTimeout(timer);
      stopLooking();
      options.signal.removeEventListener('abort', onAbort);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ end: last, stdout: stdout.text(), stderr: stderr.text() });
    };
    const cut = (code: string) => {
      if (cutShort !== null || end !== null) return;
      cutShort = code;
      endGroup(child, 'SIGTERM');
      later(KILL_GRACE_MS, () => endGroup(child, 'SIGKILL'));
      later(GONE_MS, () => finish({ kind: 'cut-short', code }));
    };
    const onAbort = () => cut('aborted');
    options.signal.addEventListener('abort', onAbort);
    later(options.timeoutMs, () => cut('timeout'));
    const stopLooking = child.pid === undefined ? () => {} : watchGroup(child.pid, options.limits ?? GROUP_LIMITS, cut);

    child.on('error', (error) => {
      // With a process id the program runs, and the error is only about a signal that could not be delivered.
      if (child.pid === undefined) finish({ kind: 'never-started', code: codeOf(error) });
    });
    child.on('exit', (exitCode, signal) => {
      end = endOf(exitCode, signal, cutShort);
      const last = end;
      // The leader is gone, its children may not be: once cut short, nothing of the group may go on.
      if (cutShort !== null) endGroup(child, 'SIGKILL');
      later(DRAIN_MS, () => {
        endGroup(child, 'SIGKILL');
        finish(last);
      });
    });
    child.on('close', () => {
      if (end !== null) finish(end);
    });
  });
}

function endOf(exitCode: number | null, signal: NodeJS.Signals | null, cutShort: string | null): ProgramEnd {
  if (cutShort !== null) return { kind: 'cut-short', code: cutShort };
  if (exitCode === null) return { kind: 'cut-short', code: `signal-${String(signal)}` };
  return { kind: 'exited', exitCode };
}

/** Ends the whole group. A group that is gone already is what was wanted. */
export function endGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    // Windows has no process groups to signal; taskkill walks the tree of children instead, by full path so that no
    // other program of that name is started.
    const root = process.env['SystemRoot'] ?? 'C:\\Windows';
    const killer = spawn(`${root}\\System32\\taskkill.exe`, ['/PID', String(child.pid), '/T', '/F'], {
      stdio: 'ignore',
      windowsHide: true,
    });
    killer.on('error', () => child.kill('SIGKILL'));
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // ESRCH: nobody is left.
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : 'unknown';
}
