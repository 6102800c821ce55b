import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { InvalidGrantError, InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import type { OAuthServerProvider } from '@modelcontextprotocol/sdk/server/auth/provider.js';
import { mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';

/** What the server does at the moment; a test changes it. */
interface SignInServerTraits {
  /** How long a token is said to hold, s; `undefined`: not said. */
  expiresIn: number | undefined;
  hasRefreshTokens: boolean;
  /** Whether whoever looks at the page agrees. */
  agrees: boolean;
  /** Answers one request instead of what the server should. */
  odd: ((request: http.IncomingMessage, response: http.ServerResponse) => boolean) | null;
  /** Instead of what the metadata of the authorization server says. */
  metadata: Readonly<Record<string, unknown>>;
}

/** A tool server that asks for a sign-in, and the authorization server that it trusts: both are the SDK's own. */
export interface SignInServer {
  readonly origin: string;
  readonly address: string;
  readonly traits: SignInServerTraits;
  /** Method and path of every request, in order. */
  readonly seen: readonly string[];
  /** How often the tool really acted. */
  readonly acts: () => number;
  /** Every token that was ever given, of each kind. */
  readonly given: readonly string[];
  readonly revoked: readonly string[];
  readonly clients: readonly OAuthClientInformationFull[];
  /** Takes no access token any more that was given so far. */
  expireAll(): void;
  /** Renews nothing any more. */
  endRefreshing(): void;
  close(): Promise<void>;
}

type Handler = (request: http.IncomingMessage & { body?: unknown }, response: http.ServerResponse) => unknown;
interface App {
  (request: http.IncomingMessage, response: http.ServerResponse): unknown;
  use(...handlers: unknown[]): void;
  all(path: string, ...handlers: unknown[]): void;
}

interface State {
  readonly traits: SignInServerTraits;
  readonly clients: Map<string, OAuthClientInformationFull>;
  readonly challenges: Map<string, string>;
  readonly access: Map<string, string>;
  readonly refresh: Map<string, string>;
  readonly given: string[];
  readonly revoked: string[];
}

/** Starts both on one port of this machine. */
export async function startSignInServer(): Promise<SignInServer> {
  const traits: SignInServerTraits = {
    expiresIn: 3_600,
    hasRefreshTokens: true,
    agrees: true,
    odd: null,
    metadata: {},
  };
  const state: State = {
    traits,
    clients: new Map(),
    challenges: new Map(),
    access: new Map(),
    refresh: new Map(),
    given: [],
    revoked: [],
  };
  const seen: string[] = [];
  let acts = 0;
  const app = createMcpExpressApp() as unknown as App;
  const server = http.createServer((request, response) => {
    seen.push(`${request.method ?? ''} ${(request.url ?? '').split('?', 1)[0] ?? ''}`);
    if (traits.odd?.(request, response) !== true) app(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const address = `${origin}/mcp`;
  const provider = createProvider(state);
  const off = { rateLimit: false } as const;
  app.use('/.well-known/oauth-authorization-server', metadataOf(origin, traits));
  app.use(
    mcpAuthRouter({
      provider,
      issuerUrl: new URL(origin),
      resourceServerUrl: new URL(address),
      authorizationOptions: off,
      tokenOptions: off,
      clientRegistrationOptions: off,
      revocationOptions: off,
    }),
  );
  const resourceMetadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp`;
  app.all(
    '/mcp',
    requireBearerAuth({ verifier: provider, resourceMetadataUrl }),
    answerMcp(() => (acts += 1)),
  );
  return {
    origin,
    address,
    traits,
    seen,
    acts: () => acts,
    given: state.given,
    revoked: state.revoked,
    get clients() {
      return [...state.clients.values()];
    },
    expireAll: () => state.access.clear(),
    endRefreshing: () => state.refresh.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function metadataOf(origin: string, traits: SignInServerTraits): Handler {
  return (_, response) => {
    const metadata = {
      issuer: `${origin}/`,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'none'],
      ...traits.metadata,
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(metadata));
  };
}

/** One server for each request, as the SDK wants it without sessions of its own. */
function answerMcp(act: () => void): Handler {
  return async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const mcp = new McpServer({ name: 'private', version: '1' });
    mcp.registerTool('act', { description: 'Acts.' }, () => {
      act();
      // It repeats what it was shown, as servers do in their errors.
      return { content: [{ type: 'text', text: `done for ${request.headers.authorization ?? 'nobody'}` }] };
    });
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    response.on('close', () => void transport.close());
    await mcp.connect(transport);
    return await transport.handleRequest(request, response, request.body);
  };
}

function createProvider(state: State): OAuthServerProvider {
  const { traits, clients, challenges, access, refresh, given, revoked } = state;
  const giveTokens = (clientId: string): OAuthTokens => {
    const token = `access-${randomUUID()}`;
    const next = `refresh-${randomUUID()}`;
    access.set(token, clientId);
    given.push(token);
    const { expiresIn } = traits;
    const tokens = {
      access_token: token,
      token_type: 'Bearer',
      ...(expiresIn === undefined ? {} : { expires_in: expiresIn }),
    };
    if (!traits.hasRefreshTokens) return tokens;
    refresh.set(next, clientId);
    given.push(next);
    return { ...tokens, refresh_token: next };
  };
  return {
    clientsStore: {
      getClient: (id) => clients.get(id),
      registerClient: (client) => {
        const full = { ...client, client_id: randomUUID() };
        clients.set(full.client_id, full);
        return full;
      },
    },
    async authorize(_, params, response) {
      const to = new URL(params.redirectUri);
      if (params.state !== undefined) to.searchParams.set('state', params.state);
      const code = randomUUID();
      if (traits.agrees) to.searchParams.set('code', code);
      else to.searchParams.set('error', 'access_denied');
      challenges.set(code, params.codeChallenge);
      const plain = response as unknown as http.ServerResponse;
      plain.writeHead(302, { location: to.href }).end();
      return await Promise.resolve();
    },
    challengeForAuthorizationCode: async (_, code) => await Promise.resolve(challenges.get(code) ?? ''),
    async exchangeAuthorizationCode(client, code) {
      if (!challenges.delete(code)) throw new InvalidGrantError('No such code.');
      return await Promise.resolve(giveTokens(client.client_id));
    },
    async exchangeRefreshToken(client, token) {
      // Each works once, as OAuth 2.1 wants it for public clients.
      if (refresh.get(token) !== client.client_id) throw new InvalidGrantError('No such token.');
      refresh.delete(token);
      return await Promise.resolve(giveTokens(client.client_id));
    },
    async verifyAccessToken(token) {
      const clientId = access.get(token);
      if (clientId === undefined) throw new InvalidTokenError('No such token.');
      const expiresAt = Math.ceil(Date.now() / 1_000) + 3_600;
      return await Promise.resolve({ token, clientId, scopes: [], expiresAt });
    },
    async revokeToken(_, { token }) {
      revoked.push(token);
      refresh.delete(token);
      access.clear();
      return await Promise.resolve();
    },
  };
}

/** Follows a page as a browser does whose person has agreed or refused, and answers what it shows in the end. */
export async function followPage(
  page: string,
): Promise<{ readonly status: number; readonly text: string; readonly at: string }> {
  const redirect = await fetch(page, { redirect: 'manual' });
  const at = redirect.headers.get('location') ?? '';
  if (at === '') return { status: redirect.status, text: await redirect.text(), at };
  const shown = await fetch(at, { redirect: 'manual' });
  return { status: shown.status, text: await shown.text(), at };
}
