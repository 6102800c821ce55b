import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { RawData } from 'ws';
import type { Application } from '../bridge/application.ts';
import type { EventLog } from '../bridge/event-log.ts';
import type { Router } from '../bridge/router.ts';
import type { ServerLimits } from './limits.ts';
import { readSocketRequest } from './socket-request.ts';

/** Closing codes of RFC 6455. */
const GOING_AWAY = 1_001;
const NOT_UNDERSTOOD = 1_008;

/** What the pages' line to the host needs. */
export interface BridgeSocketOptions {
  readonly application: Pick<Application, 'onChange'>;
  readonly router: Router;
  readonly limits: ServerLimits;
  readonly log: EventLog;
}

/** The pages that are connected. */
export interface BridgeSocket {
  /** Takes over a connection whose origin and session have been checked. */
  accept(
    request: IncomingMessage,
    of: { readonly socket: Duplex; readonly head: Buffer; readonly sessionName: string },
  ): void;
  readonly isFull: () => boolean;
  close(): void;
}

/** Passes messages between pages and the router, and tells every page about each commit. */
export function createBridgeSocket(options: BridgeSocketOptions): BridgeSocket {
  const { application, limits, log } = options;
  const server = new WebSocketServer({ noServer: true, maxPayload: limits.messageBytes, perMessageDeflate: false });
  const alive = new WeakSet<WebSocket>();

  const stopListening = application.onChange((notice) => {
    const message = JSON.stringify({ notice });
    for (const socket of server.clients) sendTo(socket, message, limits);
  });
  const pings = setInterval(() => {
    for (const socket of server.clients) {
      if (!alive.delete(socket)) socket.terminate();
      else socket.ping();
    }
  }, limits.pingEveryMs);
  pings.unref();

  return {
    isFull: () => server.clients.size >= limits.sockets,
    accept(request, { socket, head, sessionName }) {
      server.handleUpgrade(request, socket, head, (page) => {
        alive.add(page);
        page.on('pong', () => alive.add(page));
        page.on('error', () => log.write({ event: 'socket-broken' }));
        page.on('message', (data, isBinary) => void answer(page, { data, isBinary, sessionName }, options));
      });
    },
    close() {
      clearInterval(pings);
      stopListening();
      for (const page of server.clients) page.close(GOING_AWAY);
      server.close();
    },
  };
}

async function answer(
  page: WebSocket,
  of: { readonly data: RawData; readonly isBinary: boolean; readonly sessionName: string },
  options: BridgeSocketOptions,
): Promise<void> {
  const request = of.isBinary ? null : readSocketRequest(textOf(of.data));
  if (request === null) {
    options.log.write({ event: 'message-not-understood' });
    return page.close(NOT_UNDERSTOOD);
  }
  const caller = { surface: 'browser', name: of.sessionName } as const;
  const result = await options.router.dispatch(request.route, request.request, caller);
  return sendTo(page, JSON.stringify({ id: request.id, answer: result }), options.limits);
}

/** A page that does not read must not fill the host's memory. */
function sendTo(page: WebSocket, message: string, limits: ServerLimits): void {
  if (page.readyState !== WebSocket.OPEN) return;
  if (page.bufferedAmount > limits.unreadBytes) page.terminate();
  else page.send(message);
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.from(data as ArrayBuffer).toString('utf8');
}
