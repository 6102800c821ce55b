import http from 'node:http';
import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';

/** Headers that frame the message or carry Fencepost's own facts; a strategy that set them could contradict either. */
const RESERVED = new Set([
  'host',
  'connection',
  'content-length',
  'expect',
  'fencepost-epoch',
  'idempotency-key',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The headers that a person sees and that leave, names in lower case. A body without a type is called JSON if it is,
 * plain text otherwise. The error is a sentence.
 */
export function requestHeaders(
  given: Readonly<Record<string, string>>,
  body: string | null,
): Result<Readonly<Record<string, string>>, string> {
  const headers: Record<string, string> = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Fencepost' };
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    const flaw = nameFlaw(name, seen);
    if (flaw !== null) return err(flaw);
    try {
      http.validateHeaderValue(name, value);
    } catch {
      return err(`The header "${name}" holds characters that a header cannot carry.`);
    }
    seen.add(lower);
    headers[lower] = value;
  }
  if (body !== null && headers['content-type'] === undefined) headers['content-type'] = typeOf(body);
  return ok(headers);
}

/** Why a header may not be set, given those that are `seen` already in lower case; `null` if it may. */
export function nameFlaw(name: string, seen: ReadonlySet<string>): string | null {
  const lower = name.toLowerCase();
  if (RESERVED.has(lower) || lower.startsWith('proxy-')) return `The header "${name}" is set by Fencepost itself.`;
  return seen.has(lower) ? `The header "${name}" is there twice.` : null;
}

function typeOf(body: string): string {
  try {
    JSON.parse(body);
    return 'application/json';
  } catch {
    return 'text/plain; charset=utf-8';
  }
}
