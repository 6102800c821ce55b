import { randomUUID } from 'node:crypto';
import { auth, extractWWWAuthenticateParams, refreshAuthorization } from '@modelcontextprotocol/sdk/client/auth.js';
import { selectClientAuthMethod } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import {
  OAuthError,
  ServerError,
  TemporarilyUnavailableError,
  TooManyRequestsError,
} from '@modelcontextprotocol/sdk/server/auth/errors.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { toSignInRecord } from './sign-in-record.ts';
import type { SignInRecord } from './sign-in-record.ts';

/** What a server said about signing in when it answered 401. */
export interface SignInHint {
  readonly resourceMetadataUrl: string | null;
  readonly scope: string | null;
}

/** A sign-in that a person has yet to agree to, in their browser. What is secret about it is in memory alone. */
export interface BegunSignIn {
  readonly authorizationUrl: URL;
  /** What the authorization server calls itself; `null` if it does not say. */
  readonly issuer: string | null;
  /** Trades the code of the answer for tokens. Rejects where the server does not give any. */
  finish(code: string, nowMs: () => number): Promise<SignInRecord>;
}

/** The authorization server said no, and will say so again. */
export class SignInRefused extends Error {}

/** A token is renewed so long before it runs out, or after half of its time where that is shorter, ms. */
const RENEW_EARLY_MS = 60_000;

/** Asks a server without any token whether it wants a sign-in; `null` if it answers without one. Nothing is done by it. */
export async function askForHint(address: string, fetchFn: FetchLike): Promise<SignInHint | null> {
  const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo: CLIENT_INFO };
  const response = await fetchFn(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  return response.status === 401 ? hintOf(response) : null;
}

const CLIENT_INFO = { name: 'fencepost', version: '1' };

/** What an answer 401 says about signing in. */
export function hintOf(response: Response): SignInHint {
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return { resourceMetadataUrl: resourceMetadataUrl?.href ?? null, scope: scope ?? null };
}

/** Finds the authorization server, registers this device for one sign-in, and makes the address of its page. */
export async function beginSignIn(of: {
  readonly address: string;
  readonly redirectUrl: string;
  readonly state: string;
  readonly hint: SignInHint;
  readonly fetchFn: FetchLike;
}): Promise<BegunSignIn> {
  const { address, hint, fetchFn } = of;
  const memory: AttemptMemory = { client: null, verifier: '', discovery: null, url: null, tokens: null };
  const provider = createProvider(of, memory);
  await auth(provider, {
    serverUrl: address,
    fetchFn,
    ...(hint.scope === null ? {} : { scope: hint.scope }),
    ...(hint.resourceMetadataUrl === null ? {} : { resourceMetadataUrl: new URL(hint.resourceMetadataUrl) }),
  });
  if (memory.url === null) throw new SignInRefused('There is no page to sign in at.');
  return {
    authorizationUrl: memory.url,
    issuer: memory.discovery?.authorizationServerMetadata?.issuer ?? null,
    async finish(code, nowMs) {
      await auth(provider, { serverUrl: address, authorizationCode: code, fetchFn });
      return recordOf(address, memory, nowMs());
    },
  };
}

/** What one attempt knows; it ends with it. */
interface AttemptMemory {
  client: OAuthClientInformationMixed | null;
  verifier: string;
  discovery: OAuthDiscoveryState | null;
  url: URL | null;
  tokens: OAuthTokens | null;
}

function createProvider(
  of: { readonly redirectUrl: string; readonly state: string },
  memory: AttemptMemory,
): OAuthClientProvider {
  return {
    redirectUrl: of.redirectUrl,
    clientMetadata: {
      client_name: 'Fencepost',
      redirect_uris: [of.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => of.state,
    // The port is another one each time, and not every server lets it differ from the one that was registered.
    clientInformation: () => memory.client ?? undefined,
    saveClientInformation: (client) => void (memory.client = client),
    tokens: () => undefined,
    saveTokens: (tokens) => void (memory.tokens = tokens),
    // A person opens it, and nothing else does.
    redirectToAuthorization: (url) => void (memory.url = url),
    saveCodeVerifier: (verifier) => void (memory.verifier = verifier),
    codeVerifier: () => memory.verifier,
    discoveryState: () => memory.discovery ?? undefined,
    saveDiscoveryState: (discovery) => void (memory.discovery = discovery),
    // The SDK would begin again by itself, with a code that was used.
    invalidateCredentials: () => {
      throw new SignInRefused('The authorization server did not accept this device.');
    },
  };
}

function recordOf(address: string, memory: AttemptMemory, nowMs: number): SignInRecord {
  const { client, discovery, tokens } = memory;
  if (client === null || discovery === null || tokens === null) throw new SignInRefused('No token was given.');
  return toSignInRecord({
    address,
    id: randomUUID(),
    signedInAtMs: nowMs,
    ...termsOf(tokens, nowMs),
    client,
    tokens,
    resource: discovery.resourceMetadata?.resource ?? null,
    authorizationServer: {
      url: discovery.authorizationServerUrl,
      metadata: discovery.authorizationServerMetadata ?? null,
    },
  });
}

/** Renews the tokens of a sign-in. Rejects with `SignInRefused` if the server says no; otherwise it may work later. */
export async function renewTokens(record: SignInRecord, fetchFn: FetchLike, nowMs: number): Promise<SignInRecord> {
  const { authorizationServer, client, resource } = record;
  const { metadata } = authorizationServer;
  try {
    const tokens = await refreshAuthorization(authorizationServer.url, {
      clientInformation: client,
      refreshToken: record.tokens.refresh_token ?? '',
      fetchFn,
      ...(metadata === null ? {} : { metadata }),
      ...(resource === null ? {} : { resource }),
    });
    const issuer = record.tokens.issuer === undefined ? {} : { issuer: record.tokens.issuer };
    return toSignInRecord({ ...record, ...termsOf(tokens, nowMs), tokens: { ...tokens, ...issuer } });
  } catch (error) {
    if (isFinal(error)) throw new SignInRefused('The authorization server did not renew it.');
    throw error;
  }
}

/** Tells the authorization server that the tokens are over. Answers whether it offers that at all; rejects if it failed. */
export async function revokeTokens(record: SignInRecord, fetchFn: FetchLike): Promise<boolean> {
  const { client, tokens } = record;
  const { metadata } = record.authorizationServer;
  if (metadata?.revocation_endpoint === undefined) return false;
  const token = tokens.refresh_token ?? tokens.access_token;
  const hint = tokens.refresh_token === undefined ? 'access_token' : 'refresh_token';
  const body = new URLSearchParams({ token, token_type_hint: hint });
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
  const methods = metadata.revocation_endpoint_auth_methods_supported;
  const method = selectClientAuthMethod(client, methods ?? metadata.token_endpoint_auth_methods_supported ?? []);
  const { client_id, client_secret } = client;
  if (method === 'client_secret_basic') {
    headers.set('authorization', `Basic ${Buffer.from(`${client_id}:${client_secret ?? ''}`).toString('base64')}`);
  } else {
    body.set('client_id', client_id);
    if (client_secret !== undefined) body.set('client_secret', client_secret);
  }
  const response = await fetchFn(metadata.revocation_endpoint, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`The revocation was answered with status ${response.status}.`);
  return true;
}

/** Whether the authorization server has said no for good, and not only that it cannot answer now. */
function isFinal(error: unknown): boolean {
  const isPassing = [ServerError, TemporarilyUnavailableError, TooManyRequestsError].some(
    (kind) => error instanceof kind,
  );
  return error instanceof OAuthError && !isPassing;
}

function termsOf(tokens: OAuthTokens, nowMs: number): Pick<SignInRecord, 'renewAtMs' | 'expiresAtMs'> {
  if (tokens.expires_in === undefined) return { renewAtMs: null, expiresAtMs: null };
  const lifeMs = Math.max(0, tokens.expires_in) * 1_000;
  return { renewAtMs: nowMs + lifeMs - Math.min(RENEW_EARLY_MS, lifeMs / 2), expiresAtMs: nowMs + lifeMs };
}
