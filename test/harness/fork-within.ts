import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { hostFlags } from '../../scripts/platform.mjs';

/** Where a program of the tests is started. */
export interface ForkOptions {
  /** A command that it is put behind, such as one that moves it to another machine. It must keep the process id. */
  readonly within?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
}

/** Starts a program with a channel for messages, as `fork` does, and with the flags of the host. */
export function forkWithin(program: string, args: readonly string[], of: ForkOptions = {}): ChildProcess {
  const node = [process.execPath, ...hostFlags, program, ...args];
  const [command = process.execPath, ...rest] = [...(of.within ?? []), ...node];
  const env = { ...process.env, ...of.environment };
  return spawn(command, rest, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
}
