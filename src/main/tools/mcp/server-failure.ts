import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import type { FailureClass } from '../../../shared/core/effect/effect-outcome.ts';
import { assertNever } from '../../../shared/lib/assert-never.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import type { SignInNeed } from './sign-in/sign-in-address.ts';

/** Why a server could not be asked. Nothing that acts was sent. */
export interface ServerFailure {
  readonly code: string;
  readonly failureClass: FailureClass;
  /** A whole sentence about the server; holds untrusted text with nothing hidden in it. */
  readonly sentence: string;
}

/** Errors of `fetch` that can only come before a connection stood. A cut connection has other codes. */
const UNCONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
/** The longest piece of a server's own words that is repeated. */
const QUOTE_LIMIT = 200;

/** What a server or a library said, as one line in which nothing hides. */
export function quoted(text: string): string {
  const line = visibleText(text.slice(0, QUOTE_LIMIT * 4))
    .replaceAll(/\s+/gu, ' ')
    .trim();
  return line.length <= QUOTE_LIMIT ? line : `${line.slice(0, QUOTE_LIMIT).toWellFormed()}…`;
}

/** The code of an error that says no connection ever stood; `null` if it may have. */
export function unconnectedCode(error: unknown): string | null {
  const cause = error instanceof TypeError ? error.cause : null;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
  if (code === null) return null;
  const isCertificate = /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY))/u.test(code);
  return UNCONNECTED.has(code) || isCertificate ? code.toLowerCase() : null;
}

/** What a status says that came instead of an answer. `need`: what a 401 of this server means. */
export function statusFailure(name: string, status: number, need: SignInNeed): ServerFailure {
  if (status === 401) return unauthorisedFailure(name, need);
  if (status >= 300 && status < 400) {
    const sentence = `The tool server ${name} sends its callers to another address, which is not followed.`;
    return { code: 'redirected', failureClass: 'permanent', sentence };
  }
  const isPassing = status >= 500 || status === 429 || status === 408;
  const failureClass = status === 403 ? 'authority' : isPassing ? 'transient' : 'permanent';
  return { code: `http-${status}`, failureClass, sentence: `The tool server ${name} answered with status ${status}.` };
}

function unauthorisedFailure(name: string, need: SignInNeed): ServerFailure {
  const server = `The tool server ${name}`;
  const failure = (sentence: string): ServerFailure => ({
    code: 'sign-in-needed',
    failureClass: 'authority',
    sentence,
  });
  switch (need) {
    case 'own-key':
      return failure(`${server} asks for a sign-in, and does not take the key that the agent gives it.`);
    case 'unencrypted':
      return failure(`${server} asks for a sign-in, and without encryption nobody can sign in there.`);
    case 'sign-in':
      return failure(`${server} asks for a sign-in. Sign in under Settings, Tools.`);
    case 'sign-in-again':
      return failure(
        `${server} does not take the sign-in of this device any more. Sign in again under Settings, Tools.`,
      );
    case 'renewed-next-time':
    case 'not-renewed': {
      const next = need === 'not-renewed' ? 'and it could not be renewed now' : 'and it is renewed before the next try';
      const sentence = `${server} did not take the sign-in that it was shown, ${next}.`;
      return { code: 'sign-in-run-out', failureClass: 'transient', sentence };
    }
    default:
      return assertNever(need);
  }
}

/** Why connecting to a server, or asking it for its tools, failed. */
export function connectFailure(
  name: string,
  error: unknown,
  of: { readonly endCode: string | null; readonly lastWords: string; readonly signInNeed: SignInNeed },
): ServerFailure {
  if (error instanceof StreamableHTTPError && error.code !== undefined && error.code > 0) {
    return statusFailure(name, error.code, of.signInNeed);
  }
  const unconnected = unconnectedCode(error);
  if (unconnected !== null) {
    const isBad = !UNCONNECTED.has(unconnected.toUpperCase());
    const sentence = `The tool server ${name} could not be reached (${unconnected}).`;
    return { code: unconnected, failureClass: isBad ? 'permanent' : 'transient', sentence };
  }
  if (of.endCode !== null && of.endCode !== 'closed') {
    const words = of.lastWords.trim() === '' ? '' : ` Its last words: ${quoted(lastLine(of.lastWords))}`;
    const sentence = `The tool server ${name} ended before it could be asked (${of.endCode}).${words}`;
    return { code: of.endCode, failureClass: 'runtime', sentence };
  }
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    const code = `spawn-${String(error.code).toLowerCase()}`;
    const sentence = `The tool server ${name} could not be started (${String(error.code)}).`;
    return { code, failureClass: 'permanent', sentence };
  }
  // -32001 is the SDK's own mark for a request that nobody answered in time.
  if (error instanceof McpError && error.code === -32_001) return noAnswer(name);
  const why = quoted(error instanceof Error ? error.message : String(error));
  const sentence = `The tool server ${name} does not speak the protocol as it should: ${why}`;
  return { code: 'not-a-tool-server', failureClass: 'permanent', sentence };
}

/** A server that is there and says nothing. */
export function noAnswer(name: string): ServerFailure {
  const sentence = `The tool server ${name} did not answer in time.`;
  return { code: 'server-silent', failureClass: 'transient', sentence };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
