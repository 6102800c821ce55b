import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';

/** A host as the URL parser understands it; `port` is `null` where an entry leaves it to the protocol. */
interface HostAndPort {
  readonly host: string;
  readonly port: string | null;
}

/**
 * Parses a URL and compares its host and port with the granted ones: both sides go through the same parser, so
 * `api.example.com.evil.test`, `api.example.com@evil.test` and other spellings of a number are seen for what they are.
 * An entry without a port means the usual port of the protocol. The error is a sentence.
 */
export function allowedUrl(text: string, hosts: readonly string[]): Result<URL, string> {
  const shown = `"${visibleText(text)}"`;
  if (visibleText(text) !== text || !text.isWellFormed() || /\s/u.test(text)) {
    return err(`${shown} holds hidden characters, which a URL may not.`);
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return err(`${shown} is not a URL.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return err(`${shown} is neither http nor https.`);
  if (url.username !== '' || url.password !== '') return err('A URL may not carry a name or a password.');
  const port = portOf(url);
  const isGranted = hosts.some((entry) => {
    const granted = parseEntry(entry);
    return granted !== null && granted.host === url.hostname && (granted.port ?? usualPort(url)) === port;
  });
  if (!isGranted) return err(`This agent may not call ${visibleText(url.host)}.`);
  url.hash = '';
  return ok(url);
}

function portOf(url: URL): string {
  return url.port === '' ? usualPort(url) : url.port;
}

function usualPort(url: URL): string {
  return url.protocol === 'https:' ? '443' : '80';
}

function parseEntry(entry: string): HostAndPort | null {
  // Anything but a bare host and port would let the parser read a host out of a path or a user name.
  if (/[/\\@?#\s]/u.test(entry)) return null;
  const match = /^(.+?)(?::(\d{1,5}))?$/u.exec(entry);
  const name = match?.[1];
  if (name === undefined || !URL.canParse(`http://${name}/`)) return null;
  const parsed = new URL(`http://${name}/`);
  return parsed.port === '' ? { host: parsed.hostname, port: match?.[2] ?? null } : null;
}
