import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema,
  ListToolsResultSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult, Progress } from '@modelcontextprotocol/sdk/types.js';
import type { Json } from '../../../shared/lib/canonical-json.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { CallWatch, WatchedCall } from './call-watch.ts';
import type { Deadline } from './deadline.ts';
import { connectFailure, unconnectedCode } from './server-failure.ts';
import type { ServerFailure } from './server-failure.ts';
import { serverTool } from './server-tools.ts';
import type { ServerTool } from './server-tools.ts';
import type { SignInNeed } from './sign-in/sign-in-address.ts';
import type { ServerTransport } from './server-transport.ts';

/** How a call came to its end. */
export type CallEnd =
  | { readonly kind: 'answered'; readonly result: CallToolResult }
  /** The server's own error reply. */
  | { readonly kind: 'error-reply'; readonly code: number; readonly message: string }
  /** A status instead of an answer. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly hadSession: boolean;
      readonly signInNeed: SignInNeed;
    }
  | { readonly kind: 'never-sent'; readonly code: string }
  /** It was on its way, and no answer came that can be relied on. */
  | { readonly kind: 'no-answer'; readonly code: string };

/** One call, complete and checked. */
interface ServerCall {
  readonly name: string;
  readonly arguments: { readonly [key: string]: Json };
  /** What goes along beside the arguments, for servers that know Fencepost. */
  readonly meta: { readonly [key: string]: Json };
}

/** A server that was greeted and can be asked. */
export interface ServerConnection {
  readonly isOpen: boolean;
  /** A call of it got no answer in time, so that it may hang. */
  readonly isSuspect: boolean;
  /** Whether it answers at all; if so it is no longer suspect. */
  isAlive(): Promise<boolean>;
  tools(): Promise<Result<ReadonlyMap<string, ServerTool>, ServerFailure>>;
  call(call: ServerCall, within: { deadline: Deadline; onProgress?: (text: string) => void }): Promise<CallEnd>;
  close(): Promise<void>;
}

/** How long a server may take to start and to greet: some are fetched or compiled first. ms. */
const GREETING_MS = 30_000;
const LISTING_MS = 15_000;
const PING_MS = 2_000;
/** How old a list of tools may be, ms. A server that says when it changes is believed, and looked at all the same. */
const LIST_AGE_MS = 60_000;
const LIST_PAGE_LIMIT = 64;
const LIST_TOOL_LIMIT = 1_024;
/** Longer than any deadline: the SDK's own timer is not what ends a call. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** Greets a server over a transport that has not started yet. */
export async function connectServer(
  name: string,
  over: { readonly transport: ServerTransport; readonly watch: CallWatch },
): Promise<Result<ServerConnection, ServerFailure>> {
  const { transport, watch } = over;
  // No abilities: a server may neither ask a person nor a model anything through this client.
  const client = new Client({ name: 'fencepost', version: '1' }, { capabilities: {} });
  const list = createToolList(client, { name, transport });
  let isOpen = true;
  let isSuspect = false;
  Object.assign(client, { onclose: () => (isOpen = false), onerror: list.forget });
  client.setNotificationHandler(ToolListChangedNotificationSchema, list.forget);
  watch.attach(transport);
  try {
    await client.connect(transport, { timeout: GREETING_MS });
  } catch (error) {
    const failure = connectFailure(name, error, transport);
    await transport.close();
    return err(failure);
  }
  return ok({
    get isOpen() {
      return isOpen;
    },
    get isSuspect() {
      return isSuspect;
    },
    isAlive: async () => {
      const answered = await client.ping({ timeout: PING_MS }).then(
        () => true,
        () => false,
      );
      if (answered) isSuspect = false;
      return answered;
    },
    tools: list.read,
    call: async (call, within) => {
      const end = await askServer(client, call, { ...within, transport, watch });
      if (end.kind === 'no-answer' && end.code === 'timeout') isSuspect = true;
      // A server that forgot the session answers nothing more over this connection.
      if (end.kind === 'status' && end.status === 404) isOpen = false;
      return end;
    },
    close: async () => {
      isOpen = false;
      // What the SDK still waits for is told that the connection is over, then the transport is gone.
      await client.close();
      await transport.close();
    },
  });
}

interface ToolList {
  /** The list, from memory while it is fresh. */
  readonly read: () => Promise<Result<ReadonlyMap<string, ServerTool>, ServerFailure>>;
  readonly forget: () => void;
}

function createToolList(client: Client, of: { readonly name: string; readonly transport: ServerTransport }): ToolList {
  let kept: { readonly list: ReturnType<ToolList['read']>; readonly atMs: number } | null = null;
  const forget = () => (kept = null);
  const fetchAll: ToolList['read'] = async () => {
    const tools = new Map<string, ServerTool>();
    let cursor: string | undefined;
    try {
      for (let page = 0; page < LIST_PAGE_LIMIT; page += 1) {
        const params = cursor === undefined ? {} : { cursor };
        const options = { timeout: LISTING_MS };
        const listed = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, options);
        for (const each of listed.tools) {
          const tool = tools.size < LIST_TOOL_LIMIT ? serverTool(each) : null;
          if (tool !== null && !tools.has(tool.name)) tools.set(tool.name, tool);
        }
        cursor = listed.nextCursor;
        if (cursor === undefined) break;
      }
      return ok(tools);
    } catch (error) {
      forget();
      return err(connectFailure(of.name, error, of.transport));
    }
  };
  return {
    read: () => {
      if (kept === null || performance.now() - kept.atMs > LIST_AGE_MS) {
        kept = { list: fetchAll(), atMs: performance.now() };
      }
      return kept.list;
    },
    forget,
  };
}

async function askServer(
  client: Client,
  call: ServerCall,
  within: {
    readonly deadline: Deadline;
    readonly onProgress?: (text: string) => void;
    readonly transport: ServerTransport;
    readonly watch: CallWatch;
  },
): Promise<CallEnd> {
  const { deadline, onProgress, transport, watch } = within;
  if (deadline.signal.aborted) return { kind: 'never-sent', code: deadline.code };
  const cut = new AbortController();
  let cutCode: string | null = null;
  // Raising the signal makes the SDK tell the server that the call is cancelled.
  const cutOff = (code: string) => {
    cutCode ??= code;
    cut.abort(code);
  };
  const onDeadline = () => cutOff(deadline.code);
  deadline.signal.addEventListener('abort', onDeadline);
  const watched: WatchedCall = {
    hasLeft: false,
    wasHeard: false,
    hasReply: false,
    lostCode: null,
    error: null,
    onLost: cutOff,
  };
  try {
    const params = { name: call.name, arguments: { ...call.arguments }, _meta: { ...call.meta } };
    const onprogress = onProgress === undefined ? {} : { onprogress: progressTeller(onProgress) };
    const options = { signal: cut.signal, timeout: NO_TIMEOUT_MS, ...onprogress };
    // Not `client.callTool`: its own complaints about an answer look like error replies of the server.
    const answer = await watch.during(watched, () =>
      client.request({ method: 'tools/call', params }, ResultSchema, options),
    );
    return readAnswer(answer);
  } catch (error) {
    if (!watched.hasLeft) return { kind: 'never-sent', code: cutCode ?? transport.endCode ?? 'not-connected' };
    if (cutCode !== null) return { kind: 'no-answer', code: cutCode };
    if (watched.error !== null) return { kind: 'error-reply', ...watched.error };
    if (error instanceof StreamableHTTPError && error.code !== undefined && error.code > 0) {
      const { sessionId, signInNeed } = transport;
      return { kind: 'status', status: error.code, hadSession: sessionId !== undefined, signInNeed };
    }
    if (error instanceof StreamableHTTPError) return { kind: 'no-answer', code: 'garbage' };
    const unconnected = watched.wasHeard ? null : unconnectedCode(error);
    if (unconnected !== null) return { kind: 'never-sent', code: unconnected };
    return {
      kind: 'no-answer',
      code: watched.lostCode ?? transport.endCode ?? (watched.hasReply ? 'garbage' : 'broken'),
    };
  } finally {
    deadline.signal.removeEventListener('abort', onDeadline);
  }
}

/** A result that has neither of the two parts of a result is no answer to this question. */
function readAnswer(answer: { readonly [key: string]: unknown }): CallEnd {
  const hasPart = 'content' in answer || 'structuredContent' in answer;
  const result = CallToolResultSchema.safeParse(answer);
  return hasPart && result.success ? { kind: 'answered', result: result.data } : { kind: 'no-answer', code: 'garbage' };
}

/** The shortest time between two words of progress, ms: a server may send thousands. */
const PROGRESS_PAUSE_MS = 100;

function progressTeller(tell: (text: string) => void): (progress: Progress) => void {
  let lastMs = -Infinity;
  return ({ progress, total, message }) => {
    if (performance.now() - lastMs < PROGRESS_PAUSE_MS) return;
    lastMs = performance.now();
    const share = total === undefined ? `${progress}` : `${progress} of ${total}`;
    tell(message === undefined ? share : `${share}: ${message}`);
  };
}
