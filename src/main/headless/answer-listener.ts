import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { escapeHtml } from '../bridge/problem-page.ts';
import { SECURITY_HEADERS } from '../bridge/static-files.ts';
import { SERVER_LIMITS } from './limits.ts';
import { isOwnRequest, originOf } from './request-origin.ts';
import { isSameSecret, newSecret } from './sessions.ts';

/** The one path that is answered. */
const ANSWER_PATH = '/sign-in';
const CONNECTIONS = 16;

/** What the browser is shown in the end: two plain texts. */
export interface AnswerPage {
  readonly title: string;
  readonly sentence: string;
}

/** A listener that waits for one answer from a browser of this machine. */
export interface AnswerListener {
  readonly redirectUrl: string;
  /** 256 bits; an answer without it is none. */
  readonly state: string;
  /** Why it is gone: it was answered, nobody answered in time, or it was closed. */
  readonly ended: Promise<'answered' | 'too-late' | 'closed'>;
  close(): void;
}

/**
 * Listens on 127.0.0.1, on a port that the system chooses, for one answer: GET, exact `Host`, one path, the right `state`, once.
 * Whatever does not fit is refused and uses nothing up. It is gone after the answer, and after `limitMs` without one.
 * `receive` makes the page that is shown; what came is untrusted.
 */
export async function openAnswerListener(of: {
  readonly limitMs: number;
  readonly receive: (answer: URLSearchParams) => Promise<AnswerPage>;
}): Promise<AnswerListener> {
  const state = newSecret();
  const { promise: ended, resolve: end } = Promise.withResolvers<'answered' | 'too-late' | 'closed'>();
  const server = createServer({
    headersTimeout: SERVER_LIMITS.headersMs,
    requestTimeout: SERVER_LIMITS.requestMs,
    keepAliveTimeout: SERVER_LIMITS.keepAliveMs,
    maxHeaderSize: 16_384,
  });
  server.maxConnections = CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // The number and not the name: `localhost` may mean more addresses than this one.
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  let isUsed = false;
  const shut = (why: 'answered' | 'too-late' | 'closed') => {
    clearTimeout(timer);
    server.close();
    server.closeAllConnections();
    end(why);
  };
  const timer = setTimeout(() => shut('too-late'), of.limitMs);
  timer.unref();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const refusal = refusalOf(request, { port, state, isUsed });
    if (refusal !== null) return show(response, refusal.status, refusal.page);
    // Before anything is waited for: a second answer comes too late.
    isUsed = true;
    clearTimeout(timer);
    const page = await of.receive(answerIn(request));
    // The browser may have gone meanwhile; the answer counts all the same.
    if (response.destroyed) return shut('answered');
    response.once('close', () => shut('answered'));
    return show(response, 200, page);
  };
  server.on('request', (request, response) => void answer(request, response).catch(() => shut('closed')));
  return { redirectUrl: `${originOf(port)}${ANSWER_PATH}`, state, ended, close: () => shut('closed') };
}

function answerIn(request: IncomingMessage): URLSearchParams {
  return new URLSearchParams((request.url ?? '').split('?').slice(1).join('?'));
}

function refusalOf(
  request: IncomingMessage,
  of: { readonly port: number; readonly state: string; readonly isUsed: boolean },
): { readonly status: number; readonly page: AnswerPage } | null {
  const refuse = (status: number, sentence: string) => ({ status, page: { title: 'Not taken', sentence } });
  if (!isOwnRequest(request, of.port)) return refuse(403, 'This address is not for other pages.');
  if ((request.url ?? '').split('?', 1)[0] !== ANSWER_PATH) return refuse(404, 'There is nothing here.');
  if (request.method !== 'GET') return refuse(405, 'This is not how an answer comes.');
  const [given = '', ...more] = answerIn(request).getAll('state');
  if (more.length > 0 || !isSameSecret(given, of.state)) {
    return refuse(403, 'This answer does not belong to a sign-in that was begun in Fencepost.');
  }
  return of.isUsed ? refuse(410, 'This answer was taken already.') : null;
}

function show(response: ServerResponse, status: number, page: AnswerPage): void {
  if (response.destroyed) return;
  const title = escapeHtml(page.title);
  const body =
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">' +
    `<title>${title}</title></head><body><main><h1>${title}</h1><p>${escapeHtml(page.sentence)}</p></main></body></html>`;
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}
