import { setTimeout as delay } from 'node:timers/promises';
import type { ImapFlow } from 'imapflow';

/** Where copies of sent messages are filed, and how to sign in there. */
export interface SentFolder {
  readonly host: string;
  readonly port: number;
  readonly security: 'tls' | 'starttls' | 'none';
  readonly folder: string;
  readonly user: string;
  readonly password: string;
}

/** What a look into the folder showed. Only `found` says anything about the message. */
export type SentCopy =
  | { readonly kind: 'found' }
  | { readonly kind: 'not-found' }
  /** Nobody could look; the code is for the sentence. */
  | { readonly kind: 'no-look'; readonly code: string };

/** How long a server may take to say goodbye, ms. */
const GOODBYE_MS = 500;
/** The most messages whose headers are compared: a Message-ID that is there more often than this is none of ours. */
const COMPARED_LIMIT = 16;
/** The most that one answer of the server may hold, in bytes: a few headers. */
const ANSWER_LIMIT_BYTES = 4 * 1024 * 1024;

/**
 * Looks for a message by its Message-ID, in a folder that is opened read-only. The server's own search only says where to
 * look: a message counts when its header is the same to the letter, since some servers search by words.
 */
export async function findSentCopy(
  folder: SentFolder,
  messageId: string,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<SentCopy> {
  if (limits.signal.aborted) return { kind: 'no-look', code: 'aborted' };
  const client = await createClient(folder, limits.timeoutMs);
  let cause: string | null = null;
  const stop = (code: string) => {
    cause ??= code;
    client.close();
  };
  const onAbort = () => stop('aborted');
  const timer = setTimeout(() => stop('timeout'), limits.timeoutMs);
  limits.signal.addEventListener('abort', onAbort);
  // Whatever goes wrong also rejects what is waited for below.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.mailboxOpen(folder.folder, { readOnly: true });
    const answer = await look(client, messageId);
    // The answer is known. A server that says no goodbye does not change it.
    await Promise.race([client.logout().catch(() => {}), delay(GOODBYE_MS, null, { ref: false })]);
    return answer;
  } catch (error) {
    return { kind: 'no-look', code: cause ?? codeOf(error) };
  } finally {
    clearTimeout(timer);
    limits.signal.removeEventListener('abort', onAbort);
    client.close();
  }
}

async function createClient(folder: SentFolder, timeoutMs: number): Promise<ImapFlow> {
  const { ImapFlow: Client } = await import('imapflow');
  return new Client({
    host: folder.host,
    port: folder.port,
    secure: folder.security === 'tls',
    doSTARTTLS: folder.security === 'starttls',
    auth: { user: folder.user, pass: folder.password },
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    logger: false,
    clientInfo: { name: 'Fencepost' },
    disableAutoIdle: true,
    disableCompression: true,
    disableAutoEnable: true,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    maxLineLength: ANSWER_LIMIT_BYTES,
    maxLiteralSize: ANSWER_LIMIT_BYTES,
    maxResponseSize: ANSWER_LIMIT_BYTES * 2,
  });
}

async function look(client: ImapFlow, messageId: string): Promise<SentCopy> {
  const uids = await client.search({ header: { 'message-id': messageId } }, { uid: true });
  if (!Array.isArray(uids)) return { kind: 'no-look', code: 'search-refused' };
  if (uids.length === 0) return { kind: 'not-found' };
  const range = uids.slice(-COMPARED_LIMIT).join(',');
  const messages = await client.fetchAll(range, { headers: ['message-id'] }, { uid: true });
  const isThere = messages.some(({ headers }) => messageIdIn(headers?.toString('latin1') ?? '') === messageId);
  return { kind: isThere ? 'found' : 'not-found' };
}

function messageIdIn(headers: string): string | null {
  const unfolded = headers.replaceAll(/\r?\n[ \t]+/g, ' ');
  return /^message-id:[ \t]*(<[^<>\s]+>)[ \t]*\r?$/im.exec(unfolded)?.[1] ?? null;
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'broken';
  if ('authenticationFailed' in error && error.authenticationFailed === true) return 'login-refused';
  if ('responseStatus' in error && error.responseStatus === 'NO') return 'folder-refused';
  return 'code' in error && typeof error.code === 'string' ? error.code.toLowerCase() : 'broken';
}
