import { once } from 'node:events';
import { request as startRequest } from 'node:https';
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { HUB_HEADERS, HUB_PATHS } from '../../src/main/hub/hub-wire.ts';
import { requestMac, sessionStatement, signWith } from '../../src/main/hub/proofs.ts';
import { AGENT } from './coordinator-bench.ts';
import type { DeviceKeys, RunningHub } from './hub-benches.ts';

/** What came back; `null` when the connection was cut instead. */
export interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface RawRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request exactly as it is said, to whatever certificate answers. */
export function send(running: RunningHub, of: RawRequest): Promise<Reply | null> {
  const { method = 'POST', path, body = '', headers = {} } = of;
  const { port } = running.hub();
  return new Promise((resolve) => {
    const request = startRequest({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { host: `127.0.0.1:${port}`, ...headers },
      rejectUnauthorized: false,
      agent: false,
    });
    request.on('error', () => resolve(null));
    request.on('response', (response) => {
      let text = '';
      response.on('data', (part: Buffer) => (text += part.toString('utf8')));
      response.on('error', () => resolve(null));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Reply['body'] });
      });
    });
    request.end(method === 'POST' ? body : undefined);
  });
}

/** A session as a device has it, so that a test can say anything with it. */
export interface RawSession {
  readonly sessionId: string;
  readonly sessionKey: string;
}

export async function askChallenge(running: RunningHub, deviceId: string): Promise<string> {
  const reply = await send(running, { path: HUB_PATHS.challenge, body: JSON.stringify({ deviceId }) });
  return String(reply?.body['challenge']);
}

export async function signIn(
  running: RunningHub,
  keys: DeviceKeys,
  of: { readonly challenge?: string; readonly token?: string; readonly fingerprint?: string } = {},
): Promise<Reply | null> {
  const challenge = of.challenge ?? (await askChallenge(running, keys.deviceId));
  const { deviceId, privateKey } = keys;
  const fingerprint = of.fingerprint ?? running.certificate.fingerprint;
  const signature = signWith(privateKey, sessionStatement({ fingerprint, deviceId, challenge }));
  const body = JSON.stringify({ deviceId, token: of.token ?? keys.token, challenge, signature });
  return await send(running, { path: HUB_PATHS.session, body });
}

export async function openSession(running: RunningHub, keys: DeviceKeys): Promise<RawSession> {
  const reply = await signIn(running, keys);
  if (reply?.status !== 200) throw new Error(`Not let in: ${JSON.stringify(reply)}`);
  return { sessionId: String(reply.body['sessionId']), sessionKey: String(reply.body['sessionKey']) };
}

/** The head that proves a request. */
export function proof(
  { sessionId, sessionKey }: RawSession,
  of: { readonly method?: string; readonly path: string; readonly sequence: number; readonly body?: string },
): Record<string, string> {
  const { method = 'POST', path, sequence, body = '' } = of;
  return {
    [HUB_HEADERS.session]: sessionId,
    [HUB_HEADERS.sequence]: String(sequence),
    [HUB_HEADERS.mac]: requestMac(sessionKey, { method, path, sequence, body }),
  };
}

/** A request of a session, with a right proof. */
export function sendProved(
  running: RunningHub,
  session: RawSession,
  of: RawRequest & { readonly sequence: number },
): Promise<Reply | null> {
  const { method = 'POST', path, body = '', headers = {}, sequence } = of;
  return send(running, {
    method,
    path,
    body,
    headers: { ...headers, ...proof(session, { method, path, sequence, body }) },
  });
}

/** A connection that says nothing by itself. */
export async function connectSilently(running: RunningHub): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: running.hub().port, rejectUnauthorized: false });
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]);
  return socket;
}

/** A line for changes; resolves when it is open, or with the status by which it was refused. */
export async function openLine(
  running: RunningHub,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly line: WebSocket; readonly status: number }> {
  const { port } = running.hub();
  const line = new WebSocket(`wss://127.0.0.1:${port}${HUB_PATHS.changes}`, { headers, rejectUnauthorized: false });
  return await new Promise((resolve) => {
    line.on('open', () => resolve({ line, status: 101 }));
    line.on('unexpected-response', (_request, response) => resolve({ line, status: response.statusCode ?? 0 }));
    line.on('error', () => resolve({ line, status: 0 }));
  });
}

/** Whatever was tried: the hub lives, lets the right one in, and granted nobody anything. */
export async function expectNothingGranted(running: RunningHub, keys: DeviceKeys): Promise<void> {
  const session = await openSession(running, keys);
  const body = JSON.stringify([AGENT]);
  const looked = await sendProved(running, session, { path: HUB_PATHS.current, body, sequence: 1 });
  expect(looked).toMatchObject({ status: 200, body: { answers: [{ ok: true, value: { epoch: 0, lease: null } }] } });
}
