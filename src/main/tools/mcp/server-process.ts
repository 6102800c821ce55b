import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { DEFAULT_INHERITED_ENV_VARS } from '@modelcontextprotocol/sdk/client/stdio.js';
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { endGroup } from '../shell/run-program.ts';
import { guardGroup } from './group-guard.ts';
import { createLineReader } from './line-reader.ts';
import type { LineReader } from './line-reader.ts';
import { MESSAGE_LIMIT_BYTES } from './server-transport.ts';
import type { ServerTransport } from './server-transport.ts';

/** How to start a server. */
export interface ServerProcessOptions {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** How long a server may take to end after its input ended, and once more after a polite signal, ms. */
const END_GRACE_MS = 500;
/** How long output may still arrive after the server itself ended, ms: its children may hold the pipes. */
const DRAIN_MS = 1_000;
/** How long to wait for a killed server to be gone, ms. */
const GONE_MS = 5_000;
/** Lines in a row that are no messages before a server is taken for something else. */
const GARBAGE_LIMIT = 1_000;
const LAST_WORDS_LIMIT = 2_000;
const MORE_ENVIRONMENT_NAMES = ['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TMP', 'PATHEXT', 'WINDIR'];

/** Servers that run now. Whatever ends this process by itself ends them too, even if nobody closed them. */
const running = new Set<ChildProcess>();
function adopt(child: ChildProcess): void {
  if (running.size === 0) process.on('exit', endRunning);
  running.add(child);
}
function disown(child: ChildProcess): void {
  running.delete(child);
  if (running.size === 0) process.off('exit', endRunning);
}
function endRunning(): void {
  for (const child of running) endGroup(child, 'SIGKILL');
}

/** What a server gets of the environment of the host, by the list of the SDK: no token that happens to lie there. */
export function serverEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const names = new Set([...DEFAULT_INHERITED_ENV_VARS, ...MORE_ENVIRONMENT_NAMES]);
  const inherited = Object.entries(from).flatMap(([name, value]) => {
    // Windows spells some of them `Path` or `SystemRoot`. A value like `() { …` is a function of a shell, not a value.
    const known = names.has(process.platform === 'win32' ? name.toUpperCase() : name);
    return known && value !== undefined && !value.startsWith('()') ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(inherited), ...own };
}

/**
 * A server as a program of its own, spoken to line by line (stdio). The SDK's transport starts and ends one process;
 * this one leads a process group, so that ending it ends its children too, and no shell ever reads its arguments.
 */
export function createServerProcess(options: ServerProcessOptions): ServerTransport {
  let child: ChildProcess | null = null;
  let endCode: string | null = null;
  let isOver = false;
  let isBroken = false;
  let lastWords = '';
  let ending: Promise<void> | null = null;
  let groupIsGone = () => {};

  const over = () => {
    if (isOver) return;
    isOver = true;
    for (const stream of [child?.stdout, child?.stderr]) stream?.destroy();
    transport.onclose?.();
  };
  const breakOff = (code: string) => {
    endCode ??= code;
    isBroken = true;
    if (child !== null) endGroup(child, 'SIGKILL');
  };
  const lines = createMessageReader({
    onMessage: (message) => transport.onmessage?.(message),
    onGarbage: (error) => transport.onerror?.(error),
    onNoServer: () => breakOff('garbage'),
  });
  const watch = (server: ChildProcess) => {
    server.stdout?.on('data', (chunk: Buffer) => {
      if (!isBroken && !lines.add(chunk)) breakOff('answer-too-large');
    });
    server.stderr?.on('data', (chunk: Buffer) => {
      lastWords = (lastWords + chunk.toString('utf8')).slice(-LAST_WORDS_LIMIT);
    });
    ignoreBrokenPipes(server);
    server.on('exit', () => {
      disown(server);
      endCode ??= 'server-ended';
      // The leader is gone, its children may not be. Windows can no longer tell whose children they were.
      if (process.platform !== 'win32') endGroup(server, 'SIGKILL');
      groupIsGone();
      setTimeout(over, DRAIN_MS).unref();
    });
    server.on('close', over);
  };

  const transport: ServerTransport = {
    get endCode() {
      return endCode;
    },
    get lastWords() {
      return lastWords;
    },
    signInNeed: 'own-key',
    start: async () => {
      child = spawnServer(options);
      watch(child);
      await started(child);
      if (child.pid !== undefined && !hasEnded(child)) groupIsGone = guardGroup(child.pid);
    },
    send: (message: JSONRPCMessage) => sendTo(isOver ? null : (child?.stdin ?? null), message),
    close: async () => {
      endCode ??= 'closed';
      if (child !== null) await (ending ??= endServer(child));
      over();
    },
  };
  return transport;
}

function sendTo(input: Writable | null, message: JSONRPCMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    if (input === null) return reject(new Error('The server has ended.'));
    if (input.write(serializeMessage(message))) return resolve();
    input.once('drain', resolve);
  });
}

/** A server that is gone breaks the pipe; that it is gone is told by its exit. */
function ignoreBrokenPipes(server: ChildProcess): void {
  for (const stream of [server.stdin, server.stdout, server.stderr]) stream?.on('error', () => undefined);
}

/** Reads messages off lines, and gives up on something that writes nothing else than garbage. */
function createMessageReader(to: {
  readonly onMessage: (message: JSONRPCMessage) => void;
  readonly onGarbage: (error: Error) => void;
  readonly onNoServer: () => void;
}): LineReader {
  let garbage = 0;
  return createLineReader(MESSAGE_LIMIT_BYTES, (line) => {
    if (garbage > GARBAGE_LIMIT) return;
    try {
      const message = deserializeMessage(line);
      garbage = 0;
      to.onMessage(message);
    } catch (error) {
      garbage += 1;
      if (garbage > GARBAGE_LIMIT) to.onNoServer();
      else to.onGarbage(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

function spawnServer(options: ServerProcessOptions): ChildProcess {
  return spawn(options.file, options.arguments, {
    cwd: options.cwd,
    env: options.environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    windowsHide: true,
    detached: process.platform !== 'win32',
  });
}

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('spawn', () => {
      adopt(child);
      resolve();
    });
    child.on('error', (error) => {
      // With a process id it runs, and the error is only about a signal that could not be delivered.
      if (child.pid === undefined) reject(error);
    });
  });
}

/** Lets a server end by itself, then asks it, then ends it. */
async function endServer(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  child.stdin?.end();
  if (await endsWithin(child, END_GRACE_MS)) return;
  endGroup(child, 'SIGTERM');
  if (await endsWithin(child, END_GRACE_MS)) return;
  endGroup(child, 'SIGKILL');
  await endsWithin(child, GONE_MS);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function endsWithin(child: ChildProcess, ms: number): Promise<boolean> {
  if (hasEnded(child)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const finish = (hasGone: boolean) => {
      clearTimeout(timer);
      child.off('exit', onExit);
      resolve(hasGone);
    };
    const onExit = () => finish(true);
    const timer = setTimeout(() => finish(false), ms);
    child.on('exit', onExit);
  });
}
