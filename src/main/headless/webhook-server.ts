import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EventLog } from '../bridge/event-log.ts';
import { createRateLimit } from '../bridge/rate-limit.ts';
import type { CallRate } from '../bridge/rate-limit.ts';
import type { WebhookDoor } from '../host/triggers/triggers.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { limitIdleConnections } from './connection-limit.ts';
import { SERVER_LIMITS } from './limits.ts';
import { originOf } from './request-origin.ts';
import { answerWebhook } from './webhook-request.ts';
import type { WebhookRequestOptions } from './webhook-request.ts';

/** How many connections callers may hold open, so that the record never lacks a file handle. */
const CONNECTIONS = 64;
const IDLE_CONNECTIONS = 16;

/** The door for webhooks, with its address while it stands open. */
export interface LoopbackWebhookDoor extends WebhookDoor {
  /** Such as `http://127.0.0.1:4711`; `null` while it is shut. */
  origin(): string | null;
  /** Why it could not be opened, in a sentence; empty otherwise. */
  trouble(): string;
}

/**
 * Makes the door. It listens on 127.0.0.1 alone, and only while an agent may be called. `port` 0 lets the system choose;
 * it is asked at every opening.
 */
export function createWebhookDoor(of: {
  readonly port: () => number;
  readonly secrets: Pick<SecretStore, 'read'>;
  readonly log: EventLog;
  /** How many calls are taken; the usual ones if nothing is said. */
  readonly rate?: CallRate;
}): LoopbackWebhookDoor {
  let open: { readonly server: Server; readonly port: number } | null = null;
  let trouble = '';
  const rateLimit = createRateLimit(of.rate);
  return {
    origin: () => (open === null ? null : originOf(open.port)),
    trouble: () => trouble,
    async keep(isOpen, find) {
      if (!isOpen) {
        if (open !== null) await shut(open.server);
        open = null;
        trouble = '';
        return;
      }
      if (open !== null) return;
      const server = createServer({
        headersTimeout: SERVER_LIMITS.headersMs,
        requestTimeout: SERVER_LIMITS.requestMs,
        keepAliveTimeout: SERVER_LIMITS.keepAliveMs,
        maxHeaderSize: 16_384,
      });
      server.maxConnections = CONNECTIONS;
      limitIdleConnections(server, IDLE_CONNECTIONS);
      const listening = await listen(server, of.port());
      if (typeof listening === 'string') {
        if (trouble === '') of.log.write({ event: 'webhooks-shut', code: listening });
        trouble = `Calls cannot be taken: port ${of.port()} cannot be opened (${listening}). It is tried again.`;
        return;
      }
      trouble = '';
      open = { server, port: listening };
      const { secrets, log } = of;
      const options = { port: listening, find, secrets, rateLimit, log, nowMs: () => performance.now() };
      server.on('request', (request, response) => void answer(request, response, options));
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, of: WebhookRequestOptions): Promise<void> {
  try {
    const { status, body } = await answerWebhook(request, of);
    if (response.destroyed) return;
    const text = JSON.stringify(body);
    response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // What was not read of a body must not be taken for the next call.
      ...(request.complete ? {} : { connection: 'close' }),
    });
    response.end(text);
  } catch (cause) {
    of.log.write({
      event: 'webhook-threw',
      cause: cause instanceof Error ? (cause.stack ?? cause.message) : typeof cause,
    });
    response.destroy();
  }
}

/** The port, or the system's code. */
function listen(server: Server, port: number): Promise<number | string> {
  return new Promise((resolve) => {
    server.once('error', (cause: NodeJS.ErrnoException) => resolve(cause.code ?? cause.message));
    // The number and not the name: `localhost` may mean more addresses than this one.
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
