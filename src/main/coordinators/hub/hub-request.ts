import { request as startRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { HubErrorCode } from '../../hub/hub-error.ts';
import { HubFailure, NotConnectedError } from './hub-failure.ts';
import type { HubConnections } from './hub-connection.ts';

/** The longest answer: 64 agents with full tails fill less. */
const ANSWER_BYTES = 32 * 1_048_576;

const LATE = 'The hub did not answer in time.';

/** One request and how long it may take in all, connecting included. */
export interface HubCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly limitMs: number;
}

/** A refusal says for certain that nothing was done, except `unsure` and what is not readable. */
export type HubAnswer =
  | { readonly kind: 'answered'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly code: HubErrorCode | 'unreadable'; readonly sentence: string };

const refusal = z.object({ code: z.string(), sentence: z.string().max(500) });

/**
 * Sends one request, once. Rejects with `NotConnectedError` when nothing was sent, and with any other error when nobody knows
 * what became of it.
 */
export function callHub(connections: HubConnections, call: HubCall): Promise<HubAnswer> {
  return new Promise((resolve, reject) => {
    const { method, path, body, headers = {}, limitMs } = call;
    const request = startRequest({ method, path, agent: connections.agent, host: 'fencepost-hub' });
    let isSent = false;
    const settle = (act: () => void) => {
      clearTimeout(limit);
      act();
    };
    const limit = setTimeout(() => {
      // A request without a connection says nothing until it has one, so the caller is not left to wait for that.
      settle(() => reject(isSent ? new HubFailure(LATE) : new NotConnectedError(LATE)));
      request.destroy(new HubFailure(LATE));
    }, limitMs);
    request.once('socket', (socket) => {
      isSent = true;
      // The connection is there and its certificate was compared; the first byte of the request leaves now.
      request.setHeader('host', connections.hostOf(socket));
      for (const [name, value] of Object.entries(headers)) request.setHeader(name, value);
      if (method === 'POST') request.setHeader('content-length', Buffer.byteLength(body));
      request.end(method === 'POST' ? body : undefined);
    });
    request.on('error', (cause) => settle(() => reject(cause)));
    request.once('response', (response) => {
      readAnswer(response).then(
        (answer) => settle(() => resolve(answer)),
        (cause: unknown) => {
          request.destroy();
          settle(() => reject(cause instanceof Error ? cause : new Error(String(cause))));
        },
      );
    });
  });
}

async function readAnswer(response: IncomingMessage): Promise<HubAnswer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response) {
    bytes += (part as Buffer).length;
    if (bytes > ANSWER_BYTES) throw new HubFailure('The answer of the hub is too large.');
    parts.push(part as Buffer);
  }
  if (!response.complete) throw new HubFailure('The answer of the hub broke off.');
  const value: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
  if (response.statusCode === 200) return { kind: 'answered', value };
  const said = refusal.safeParse(value);
  if (!said.success)
    return { kind: 'refused', code: 'unreadable', sentence: 'The hub gave an answer that cannot be read.' };
  // A code of a newer hub is treated like any refusal that this program does not know.
  return { kind: 'refused', code: said.data.code as HubErrorCode, sentence: said.data.sentence };
}
