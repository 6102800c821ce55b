import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Application } from '../bridge/application.ts';
import { PROBLEM_STYLE, PROBLEM_STYLE_PATH } from '../bridge/problem-page.ts';
import { readStaticFile, SECURITY_HEADERS } from '../bridge/static-files.ts';
import type { EventLog } from '../bridge/event-log.ts';
import type { ServerLimits } from './limits.ts';
import { SIGNED_OUT_PAGE, START_PAGE, START_SCRIPT } from './pages.ts';
import { readBody } from './read-body.ts';
import { isOwnRequest } from './request-origin.ts';
import { isSameSecret } from './sessions.ts';
import type { Sessions } from './sessions.ts';
import { EXPORT_PATH } from '../ledger/ledger-exports.ts';
import { sendExport } from './send-export.ts';
import { readSessionCookie, sessionCookie } from './session-cookie.ts';

/** What the plain requests need. */
export interface AnswerOptions {
  readonly application: Pick<Application, 'takeExport'>;
  readonly rendererFolder: string;
  readonly sessions: Sessions;
  /** What the person at this machine shows to get a new link; kept in a file that only they can read. */
  readonly linkSecret: string;
  readonly newLink: () => string;
  readonly limits: ServerLimits;
  readonly log: EventLog;
}

interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

const TEXT = 'text/plain; charset=utf-8';
const HTML = 'text/html; charset=utf-8';

/** What is shown without a session: how to get one, and nothing else. */
const PUBLIC_PAGES: ReadonlyMap<string, Reply> = new Map([
  ['/start', { status: 200, contentType: HTML, body: START_PAGE }],
  ['/start.js', { status: 200, contentType: 'text/javascript; charset=utf-8', body: START_SCRIPT }],
  [PROBLEM_STYLE_PATH, { status: 200, contentType: 'text/css; charset=utf-8', body: PROBLEM_STYLE }],
]);

/** Answers one plain request. Where it comes from is looked at first, then who sent it, then what it asks for. */
export async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  of: AnswerOptions & { readonly port: number },
): Promise<void> {
  const { port, log } = of;
  if (!isOwnRequest(request, port)) {
    log.write({ event: 'foreign-request' });
    return send(response, text(403, 'This address is not for other pages.'));
  }
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  const publicPage = PUBLIC_PAGES.get(path);
  if (isReading && publicPage !== undefined) return send(response, publicPage);
  if (request.method === 'POST' && path === '/session') return send(response, await signIn(request, of));
  if (request.method === 'POST' && path === '/link') return send(response, giveLink(request, of));
  const sessionName = of.sessions.find(readSessionCookie(port, request.headers.cookie));
  if (sessionName === null) {
    return send(response, { status: 401, contentType: HTML, body: SIGNED_OUT_PAGE });
  }
  if (!isReading) return send(response, text(405, 'Not allowed.'));
  // Looking at it does not use it up.
  if (request.method === 'GET' && path.startsWith(EXPORT_PATH)) {
    const download = of.application.takeExport(path.slice(EXPORT_PATH.length), sessionName);
    if (download === null) return send(response, text(404, 'There is no such export any more.'));
    return sendExport(response, download);
  }
  const file = await readStaticFile(of.rendererFolder, path);
  return send(response, file === null ? text(404, 'Not found.') : { status: 200, ...file });
}

async function signIn(request: IncomingMessage, of: AnswerOptions & { readonly port: number }): Promise<Reply> {
  // Browsers name the origin of every post; whoever does not is no browser, and has no use for a cookie.
  if (request.headers.origin === undefined) return text(403, 'This address is not for other pages.');
  const token = await readBody(request, of.limits.bodyBytes);
  if (token === null) return { ...text(413, 'Too large.'), headers: { connection: 'close' } };
  const secret = of.sessions.signIn(token);
  of.log.write({ event: secret === null ? 'sign-in-refused' : 'signed-in' });
  if (secret === null) return text(401, 'This link was used already or is wrong.');
  return { ...text(200, 'Signed in.'), headers: { 'set-cookie': sessionCookie(of.port, secret) } };
}

function giveLink(request: IncomingMessage, of: AnswerOptions): Reply {
  const shown = request.headers.authorization ?? '';
  if (!isSameSecret(shown, `Bearer ${of.linkSecret}`)) return text(401, 'Not for you.');
  of.log.write({ event: 'link-given' });
  return text(200, of.newLink());
}

function text(status: number, body: string): Reply {
  return { status, contentType: TEXT, body };
}

function send(response: ServerResponse, reply: Reply): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(reply.status, {
    ...SECURITY_HEADERS,
    ...reply.headers,
    'content-type': reply.contentType,
    'content-length': Buffer.byteLength(reply.body),
  });
  response.end(response.req.method === 'HEAD' ? undefined : reply.body);
}
