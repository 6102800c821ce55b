import os from 'node:os';
import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { fullPath } from '../resolve-inside.ts';
import { findProgram } from '../shell/find-program.ts';
import type { ToolsOptions } from '../tool.ts';
import { createCallWatch } from './call-watch.ts';
import type { CallWatch } from './call-watch.ts';
import { unlessAborted } from './deadline.ts';
import type { Deadline } from './deadline.ts';
import { createServerAddress } from './server-address.ts';
import type { SignInUse } from './server-address.ts';
import { connectServer } from './server-connection.ts';
import type { ServerConnection } from './server-connection.ts';
import type { ReadyServer } from './server-definition.ts';
import { noAnswer } from './server-failure.ts';
import type { ServerFailure } from './server-failure.ts';
import { createServerProcess, serverEnvironment } from './server-process.ts';
import type { KeptSignIns } from './sign-in/kept-sign-ins.ts';
import type { NoSignIn } from './sign-in/sign-in-address.ts';
import type { ServerTransport } from './server-transport.ts';

/** The servers that run for a host, one connection for each. */
export interface ServerPool {
  /**
   * Works with a connected server, which is started if need be and stays for the next one. The deadline limits the
   * waiting for the connection; the work itself has to look at it.
   */
  use<Value>(
    server: ReadyServer,
    deadline: Deadline,
    work: (connection: ServerConnection) => Promise<Value>,
  ): Promise<Result<Value, ServerFailure>>;
  /** Ends every server; whatever is still on its way to one becomes unclear. Nothing can be used afterwards. */
  close(): Promise<void>;
}

type Connected = Result<ServerConnection, ServerFailure>;
interface Entry {
  readonly key: string;
  connecting: Promise<Connected>;
  transport: ServerTransport | null;
  users: number;
  idleTimer: NodeJS.Timeout | null;
}
interface PoolState {
  readonly options: ToolsOptions;
  readonly idleMs: number;
  readonly entries: Map<string, Entry>;
  /** Everything that was started and has not ended, be it greeted or not. */
  readonly transports: Set<ServerTransport>;
  isClosed: boolean;
}

/** How long a server that nobody uses keeps running, ms. */
const IDLE_MS = 5 * 60_000;

/** Builds an empty pool. */
export function createServerPool(options: ToolsOptions, idleMs: number = IDLE_MS): ServerPool {
  const state: PoolState = { options, idleMs, entries: new Map(), transports: new Set(), isClosed: false };

  const use: ServerPool['use'] = async (server, deadline, work) => {
    for (let tries = 0; tries < 2; tries += 1) {
      if (state.isClosed) return err(closedFailure(server.name));
      const entry = entryFor(state, server);
      const connected = await unlessAborted(entry.connecting, deadline.signal);
      if (connected === null) return err(waitedFailure(server.name, deadline));
      if (!connected.ok) {
        drop(state, entry);
        return state.isClosed ? err(closedFailure(server.name)) : connected;
      }
      const connection = connected.value;
      take(entry);
      try {
        if (connection.isOpen && (!connection.isSuspect || (await connection.isAlive()))) {
          return ok(await work(connection));
        }
      } finally {
        entry.users -= 1;
        rest(state, entry, connection);
      }
      // It died or hangs: nothing was sent over it now, so a fresh one may be asked instead.
      await end(state, entry, connection);
    }
    return err(noAnswer(server.name));
  };

  return {
    use,
    close: async () => {
      state.isClosed = true;
      for (const entry of state.entries.values()) drop(state, entry);
      await Promise.all([...state.transports].map((transport) => transport.close()));
      state.transports.clear();
    },
  };
}

function entryFor(state: PoolState, server: ReadyServer): Entry {
  const found = state.entries.get(server.key);
  if (found !== undefined) return found;
  const connecting = Promise.resolve(err(noAnswer(server.name)));
  const entry: Entry = { key: server.key, connecting, transport: null, users: 0, idleTimer: null };
  entry.connecting = connect(state, server, entry);
  state.entries.set(server.key, entry);
  return entry;
}

async function connect(state: PoolState, server: ReadyServer, entry: Entry): Promise<Connected> {
  const watch = createCallWatch();
  const made = await transportFor(server, state.options, watch);
  if (!made.ok) return made;
  if (state.isClosed) return err(closedFailure(server.name));
  const transport = made.value;
  entry.transport = transport;
  // Known before it starts, so that closing ends it even while it is greeted.
  state.transports.add(transport);
  const connected = await connectServer(server.name, { transport, watch });
  if (connected.ok) rest(state, entry, connected.value);
  else state.transports.delete(transport);
  return connected;
}

function take(entry: Entry): void {
  if (entry.idleTimer !== null) clearTimeout(entry.idleTimer);
  entry.idleTimer = null;
  entry.users += 1;
}

/** Lets a server that nobody uses end after a while. */
function rest(state: PoolState, entry: Entry, connection: ServerConnection): void {
  if (entry.users > 0 || state.isClosed || state.entries.get(entry.key) !== entry) return;
  // Nobody waits for the end of a server that nobody uses; closing never rejects.
  entry.idleTimer = setTimeout(() => void end(state, entry, connection), state.idleMs);
  entry.idleTimer.unref();
}

function drop(state: PoolState, entry: Entry): void {
  if (entry.idleTimer !== null) clearTimeout(entry.idleTimer);
  entry.idleTimer = null;
  if (state.entries.get(entry.key) === entry) state.entries.delete(entry.key);
}

async function end(state: PoolState, entry: Entry, connection: ServerConnection): Promise<void> {
  drop(state, entry);
  await connection.close();
  if (entry.transport !== null) state.transports.delete(entry.transport);
}

async function transportFor(
  server: ReadyServer,
  options: ToolsOptions,
  watch: CallWatch,
): Promise<Result<ServerTransport, ServerFailure>> {
  const { definition, secretValues } = server;
  if ('url' in definition) {
    return ok(
      createServerAddress({
        url: new URL(definition.url),
        headers: { ...definition.headers, ...secretValues },
        signIn: signInUse(server, options.signIns ?? null),
        onAnswered: (id) => watch.heard(id),
        onAnswerLost: (id, code) => watch.lost(id, code),
      }),
    );
  }
  const home = options.homeFolder ?? os.homedir();
  const own = { ...definition.env, ...secretValues };
  const environment = serverEnvironment(options.environment ?? process.env, own);
  const program = definition.command[0] ?? '';
  const file = await findProgram(program, {
    searchPath: environment['PATH'] ?? environment['Path'] ?? '',
    writableFolders: server.writableFolders.flatMap((each) => fullPath(each, home) ?? []),
  });
  if (file === null) {
    const sentence = `This device has no program ${visibleText(program)} for the tool server ${server.name}.`;
    return err({ code: 'program-not-found', failureClass: 'permanent', sentence });
  }
  const cwd = server.cwd ?? home;
  return ok(createServerProcess({ file, arguments: definition.command.slice(1), cwd, environment }));
}

function signInUse({ signIn }: ReadyServer, signIns: KeptSignIns | null): SignInUse | NoSignIn {
  if ('none' in signIn) return signIn.none;
  const { address } = signIn;
  return {
    token: () => signIns?.token(address) ?? null,
    unauthorised: async (given) => (signIns === null ? 'sign-in' : await signIns.unauthorised(address, given)),
  };
}

function closedFailure(name: string): ServerFailure {
  const sentence = `Fencepost is ending, and the tool server ${name} is not asked any more.`;
  return { code: 'closed', failureClass: 'runtime', sentence };
}

function waitedFailure(name: string, deadline: Deadline): ServerFailure {
  if (deadline.code === 'timeout') return noAnswer(name);
  const sentence = `The tool server ${name} was not asked: it was called off.`;
  return { code: 'aborted', failureClass: 'runtime', sentence };
}
