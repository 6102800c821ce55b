import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * The policy that both doors put on every answer. Nothing inline, nothing remote, and no text that becomes a script.
 * `frame-ancestors` and `form-action` do not fall back to `default-src`, so they are stated.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Headers of every answer, found or not. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=(), bluetooth=(), midi=()',
  'cache-control': 'no-store',
};

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

const PATH_MAX_LENGTH = 512;
/**
 * What a name in the built window looks like. Everything that means something else somewhere is outside of it: dots
 * alone, a leading dot, `\`, `:` (drives and alternate data streams), `%`, NUL, `~` (short names), a trailing dot.
 */
const NAME = /^[A-Za-z0-9_-]+(?:[.@][A-Za-z0-9_-]+)*$/u;
/** Names that Windows takes for devices in every folder, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)/iu;

/** A file of the window, ready to be sent. */
export interface StaticFile {
  readonly contentType: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Reads a path of a request as folder and file names; `null` for whatever is not one. Decoded once, never twice. */
export function readRequestPath(requestPath: string): readonly string[] | null {
  if (requestPath.length > PATH_MAX_LENGTH || !requestPath.startsWith('/')) return null;
  let decoded: string;
  try {
    decoded = decodeURIComponent(requestPath);
  } catch {
    return null;
  }
  if (decoded === '/') return ['index.html'];
  const names = decoded.slice(1).split('/');
  return names.every((name) => NAME.test(name) && !DEVICE.test(name)) ? names : null;
}

/** Reads one file of the built window; `null` when there is none, or when the path leads anywhere else. */
export async function readStaticFile(folder: string, requestPath: string): Promise<StaticFile | null> {
  const names = readRequestPath(requestPath);
  const contentType = names === null ? undefined : CONTENT_TYPES[path.extname(names.at(-1) ?? '').toLowerCase()];
  if (names === null || contentType === undefined) return null;
  try {
    const root = await realpath(folder);
    const file = path.join(root, ...names);
    // Equal means: inside of the folder, and no link anywhere on the way.
    if ((await realpath(file)) !== file || !(await stat(file)).isFile()) return null;
    return { contentType, body: new Uint8Array(await readFile(file)) };
  } catch {
    return null;
  }
}
