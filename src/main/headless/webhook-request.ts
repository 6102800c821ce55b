import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { EventLog } from '../bridge/event-log.ts';
import type { RateLimit } from '../bridge/rate-limit.ts';
import type { OpenWebhook } from '../host/triggers/webhooks.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { identifierProblem } from '../../shared/contract/identifiers.ts';
import { readBody } from './read-body.ts';
import { isOwnRequest } from './request-origin.ts';
import { isSameSecret } from './sessions.ts';

/** The largest body of a call, bytes. */
export const WEBHOOK_BODY_BYTES = 256 * 1024;

/** What one call is answered from. */
export interface WebhookRequestOptions {
  readonly port: number;
  readonly find: (agentId: string, triggerId: string) => OpenWebhook | null;
  readonly secrets: Pick<SecretStore, 'read'>;
  readonly rateLimit: RateLimit;
  readonly nowMs: () => number;
  readonly log: EventLog;
}

/** What is answered: one sentence, or the run. */
export interface WebhookReply {
  readonly status: number;
  readonly body: { readonly message: string } | { readonly runId: string };
}

/**
 * Judges a call from the outside in: where it comes from, how often, who sent it, and only then what it says. Whoever cannot
 * prove who they are learns nothing, not even whether there is such a webhook.
 */
export async function answerWebhook(request: IncomingMessage, of: WebhookRequestOptions): Promise<WebhookReply> {
  if (!isOwnRequest(request, of.port)) {
    of.log.write({ event: 'webhook-foreign' });
    return says(403, 'This address is for programs on this machine. Nothing was started.');
  }
  if (request.method !== 'POST') return says(405, 'Only POST starts a run. Nothing was started.');
  if (!of.rateLimit.take('webhooks', of.nowMs())) return says(429, 'Too many calls at once. Nothing was started.');
  const names = namesIn(request.url ?? '');
  const webhook = names === null ? null : of.find(names.agentId, names.triggerId);
  if (webhook === null || !(await isAllowed(request, webhook, of))) {
    of.log.write({ event: 'webhook-refused' });
    return says(401, 'There is no such webhook, or this is not its secret. Nothing was started.');
  }
  const body = await readBody(request, WEBHOOK_BODY_BYTES);
  if (body === null) return says(413, 'The body is too large or broke off. Nothing was started.');
  const requestId = requestIdOf(request, body);
  if (requestId === null) return says(400, 'The Idempotency-Key cannot be used. Nothing was started.');
  const started = await webhook.receive({ requestId, body });
  if (started.ok) return { status: started.value.isNew ? 202 : 200, body: { runId: started.value.runId } };
  const { code, message } = started.error;
  return says(STATUS_OF[code] ?? 503, message);
}

const STATUS_OF: Readonly<Partial<Record<string, number>>> = {
  'grant-missing': 403,
  'grant-stale': 403,
  'not-found': 404,
  'idempotency-conflict': 409,
  'input-invalid': 422,
};

function says(status: number, message: string): WebhookReply {
  return { status, body: { message } };
}

function namesIn(url: string): { readonly agentId: string; readonly triggerId: string } | null {
  const [, hooks, agent = '', trigger = '', ...rest] = url.split('?', 1)[0]?.split('/') ?? [];
  if (hooks !== 'hooks' || rest.length > 0) return null;
  try {
    return { agentId: decodeURIComponent(agent), triggerId: decodeURIComponent(trigger) };
  } catch {
    // A percent sign with nothing behind it.
    return null;
  }
}

/** Compared in a time that tells nothing. Without a value on this device nobody is let in. */
async function isAllowed(request: IncomingMessage, webhook: OpenWebhook, of: WebhookRequestOptions): Promise<boolean> {
  let secret: string | null = null;
  try {
    secret = await of.secrets.read(webhook.secretName);
  } catch {
    of.log.write({ event: 'webhook-secret-unreadable' });
  }
  const shown = request.headers.authorization ?? '';
  return secret !== null && secret !== '' && isSameSecret(shown, `Bearer ${secret}`);
}

/** The caller's own key, or what the body says: both name the same call when it comes again. */
function requestIdOf(request: IncomingMessage, body: string): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return `body:${createHash('sha256').update(body, 'utf8').digest('hex')}`;
  return typeof key === 'string' && identifierProblem(key) === null ? `key:${key}` : null;
}
