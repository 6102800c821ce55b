import { createServer, STATUS_CODES } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { Application } from '../bridge/application.ts';
import type { EventLog } from '../bridge/event-log.ts';
import { createRouter } from '../bridge/router.ts';
import { answerRequest } from './answer-request.ts';
import { createBridgeSocket } from './bridge-socket.ts';
import type { BridgeSocket } from './bridge-socket.ts';
import { limitIdleConnections } from './connection-limit.ts';
import { SERVER_LIMITS } from './limits.ts';
import type { ServerLimits } from './limits.ts';
import { isOwnRequest, originOf } from './request-origin.ts';
import { readSessionCookie } from './session-cookie.ts';
import { createSessions, newSecret } from './sessions.ts';
import type { Sessions } from './sessions.ts';

/** What the browser's door needs. */
export interface HeadlessServerOptions {
  readonly application: Application;
  readonly rendererFolder: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly log: EventLog;
  readonly limits?: Partial<ServerLimits>;
}

/** The browser's door, open. */
export interface HeadlessServer {
  readonly port: number;
  /** What `--new-link` shows to get a link. */
  readonly linkSecret: string;
  /** Makes a link that signs in one browser, once. An earlier unused link is dead from then on. */
  newLink(): string;
  close(): Promise<void>;
}

/** Opens the door on this machine's own address. Only a person who can read this process's output gets in. */
export async function openHeadlessServer(options: HeadlessServerOptions): Promise<Result<HeadlessServer, Problem>> {
  const { application, log } = options;
  const limits: ServerLimits = { ...SERVER_LIMITS, ...options.limits };
  const sessions = createSessions();
  const linkSecret = newSecret();
  const bridge = createBridgeSocket({ application, router: createRouter(application, { log }), limits, log });
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    maxHeaderSize: 16_384,
  });
  server.maxConnections = limits.connections;
  limitIdleConnections(server, limits.idleConnections);
  const listening = await listen(server, options.port);
  if (!listening.ok) {
    bridge.close();
    return listening;
  }
  const port = listening.value;
  const newLink = () => `${originOf(port)}/start#${sessions.newToken()}`;
  const of = { application, rendererFolder: options.rendererFolder, sessions, linkSecret, newLink, limits, log, port };
  server.on('request', (request, response) => {
    void answerRequest(request, response, of).catch((cause: unknown) => {
      log.write({
        event: 'request-threw',
        cause: cause instanceof Error ? (cause.stack ?? cause.message) : typeof cause,
      });
      response.destroy();
    });
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgrade({ request, socket, head }, { port, sessions, bridge, log });
  });
  return ok({ port, linkSecret, newLink, close: () => closeServer(server, bridge) });
}

function upgrade(
  of: { readonly request: IncomingMessage; readonly socket: Duplex; readonly head: Buffer },
  door: { readonly port: number; readonly sessions: Sessions; readonly bridge: BridgeSocket; readonly log: EventLog },
): void {
  const { request, socket, head } = of;
  // A peer that resets the connection meanwhile is not our failure.
  socket.on('error', () => socket.destroy());
  const refuse = (status: number) => {
    door.log.write({ event: 'socket-refused', status });
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  };
  // Sockets know no same-origin rule, so a browser's origin must be there and be ours.
  if (!isOwnRequest(request, door.port) || request.headers.origin !== originOf(door.port)) return refuse(403);
  const sessionName = door.sessions.find(readSessionCookie(door.port, request.headers.cookie));
  if (sessionName === null) return refuse(401);
  if (request.url !== '/bridge') return refuse(404);
  if (door.bridge.isFull()) return refuse(503);
  return door.bridge.accept(request, { socket, head, sessionName });
}

function listen(server: Server, port: number): Promise<Result<number, Problem>> {
  return new Promise((resolve) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === 'EADDRINUSE'
          ? 'is used by another program'
          : `cannot be opened (${cause.code ?? cause.message})`;
      resolve(
        err(
          problem(
            'internal',
            `Port ${port} on this machine ${why}.`,
            'Set FENCEPOST_PORT to another port, or to 0 to let the system choose.',
          ),
        ),
      );
    });
    // The number and not the name: `localhost` may mean more addresses than this one.
    server.listen(port, '127.0.0.1', () => resolve(ok((server.address() as AddressInfo).port)));
  });
}

function closeServer(server: Server, bridge: BridgeSocket): Promise<void> {
  bridge.close();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
