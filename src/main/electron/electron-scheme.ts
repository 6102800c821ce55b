import { PROBLEM_STYLE, PROBLEM_STYLE_PATH, problemPage } from '../bridge/problem-page.ts';
import { readStaticFile, SECURITY_HEADERS } from '../bridge/static-files.ts';
import type { Problem } from '../../shared/contract/errors.ts';

/** The scheme of the window's own files: a standard, secure origin, so that nothing needs `file:`. */
export const SCHEME = 'app';
const HOST = 'fencepost';
/** The one origin that may talk to the host. */
export const WINDOW_ORIGIN = `${SCHEME}://${HOST}`;
/** What a window shows. */
export const WINDOW_URL = `${WINDOW_ORIGIN}/index.html`;
/** The same at one of its places. */
export function placeUrl(place: string): string {
  return `${WINDOW_URL}#${place}`;
}
/** What it shows when the host did not start. */
export const PROBLEM_URL = `${WINDOW_ORIGIN}/problem`;

/** What the scheme serves. */
export interface SchemeOptions {
  readonly rendererFolder: string;
  /** Why the host did not start; `null` while it runs. */
  readonly startProblem: () => Problem | null;
}

/** Answers one request for `app://fencepost/…`. Whatever is not a file of the built window is not found. */
export async function answerSchemeRequest(
  request: Pick<Request, 'url' | 'method'>,
  options: SchemeOptions,
): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return reply(405, 'text/plain; charset=utf-8', 'Not allowed.');
  const path = ownPath(request.url);
  if (path === null) return notFound();
  const startProblem = options.startProblem();
  if (startProblem !== null) {
    if (path === PROBLEM_STYLE_PATH) return reply(200, 'text/css; charset=utf-8', PROBLEM_STYLE);
    return path === '/problem' ? reply(200, 'text/html; charset=utf-8', problemPage(startProblem)) : notFound();
  }
  const file = await readStaticFile(options.rendererFolder, path);
  return file === null ? notFound() : reply(200, file.contentType, file.body);
}

/** Whether an address is the document that a window of ours shows, wherever in it. */
export function isWindowDocument(address: string): boolean {
  const path = ownPath(address);
  return path === '/' || path === '/index.html' || path === '/problem';
}

function ownPath(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  const isOurs = url.protocol === `${SCHEME}:` && url.host === HOST && url.username === '' && url.password === '';
  return isOurs ? url.pathname : null;
}

function notFound(): Response {
  return reply(404, 'text/plain; charset=utf-8', 'Not found.');
}

function reply(status: number, contentType: string, body: string | Uint8Array<ArrayBuffer>): Response {
  return new Response(body, { status, headers: { ...SECURITY_HEADERS, 'content-type': contentType } });
}
