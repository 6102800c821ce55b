import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { RateLimit } from '../bridge/rate-limit.ts';
import type { LeaseCoordinator, RegisterAnswer } from '../coordinators/lease-coordinator.ts';
import { readBody } from '../headless/read-body.ts';
import { hubError } from './hub-error.ts';
import type { HubError } from './hub-error.ts';
import type { HubDevices } from './hub-devices.ts';
import type { HubLimits } from './hub-limits.ts';
import {
  askRequestSchema,
  challengeRequestSchema,
  currentRequestSchema,
  HUB_HEADERS,
  HUB_PATHS,
  pairRequestSchema,
  pairWaitSchema,
  signInSchema,
} from './hub-wire.ts';
import type { HubPairing } from './pairing.ts';
import { readSaid } from './read-said.ts';
import type { RelayDoor, RelayRoute } from './relay/relay-routes.ts';
import type { HubSession, HubSessions } from './sessions.ts';

/** What the hub's requests are answered from. */
export interface HubRequestOptions {
  readonly backend: LeaseCoordinator;
  readonly devices: HubDevices;
  readonly sessions: HubSessions;
  readonly pairing: HubPairing;
  /** `null` where the hub carries no journals. */
  readonly relay: RelayDoor | null;
  /** The hosts, with port, that this hub is called by; lower case. */
  readonly hosts: () => ReadonlySet<string>;
  readonly hubName: string;
  readonly limits: HubLimits;
  readonly deviceRate: RateLimit;
  readonly strangerRate: RateLimit;
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  /** The connection belongs to a paired device. */
  readonly trust: (socket: Socket, session: HubSession) => void;
  /** Told of every answer, for backends that do not tell of changes themselves. */
  readonly answered: (agentId: Parameters<LeaseCoordinator['ask']>[0], answer: RegisterAnswer) => void;
}

type Reply = Result<object, HubError>;

/**
 * Judges a request from the outside in: where it comes from, how often, who sent it, and only then what it says. Whoever
 * cannot prove who they are learns nothing, and on any doubt nothing is done.
 */
export async function answerHubRequest(request: IncomingMessage, of: HubRequestOptions): Promise<Reply> {
  const foreign = foreignError(request, of);
  if (foreign !== null) return err(foreign);
  const path = request.url ?? '';
  const stranger = request.method === 'POST' ? STRANGER_ROUTES[path] : undefined;
  if (stranger !== undefined) return await answerStranger(request, of, stranger);
  const relayRoute = request.method === 'POST' ? of.relay?.route(path) : undefined;
  if (of.relay !== null && relayRoute !== undefined)
    return await answerRelay(request, of, { door: of.relay, route: relayRoute });
  const route = DEVICE_ROUTES[`${request.method ?? ''} ${path}`];
  if (route === undefined) return err(hubError('not-found'));
  const found = findSession(request, of);
  if (!found.ok) return found;
  const body = await readInTime(request, { bytes: of.limits.bodyBytes, limitMs: of.limits.requestMs });
  if (body === null) return err(hubError('too-large'));
  const proved = await proveRequest(request, of, { session: found.value, body });
  return proved.ok ? await route({ session: found.value, body, of }) : proved;
}

/** Whether somebody else's page, or a name that somebody points here (DNS rebinding), is behind a request. */
export function foreignError({ headers }: IncomingMessage, of: Pick<HubRequestOptions, 'hosts'>): HubError | null {
  const isCalledRight = of.hosts().has((headers.host ?? '').toLowerCase());
  const isBrowser = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
  return isCalledRight && !isBrowser ? null : hubError('foreign');
}

/** Whose request it says it is, as long as that device does not ask too often. */
export function findSession(request: IncomingMessage, of: HubRequestOptions): Result<HubSession, HubError> {
  const session = of.sessions.find(headerOf(request, HUB_HEADERS.session));
  if (session === null) return err(hubError('not-signed-in'));
  return of.deviceRate.take(session.deviceId, of.nowMs()) ? ok(session) : err(hubError('too-many'));
}

/** Whether it really is. From then on its connection counts as the device's. */
export async function proveRequest(
  request: IncomingMessage,
  of: HubRequestOptions,
  { session, body }: { readonly session: HubSession; readonly body: string },
): Promise<Result<null, HubError>> {
  const sequence = headerOf(request, HUB_HEADERS.sequence) ?? '';
  const mac = headerOf(request, HUB_HEADERS.mac) ?? '';
  if (!/^[1-9]\d{0,14}$/u.test(sequence)) return err(hubError('not-signed-in'));
  const said = { method: request.method ?? '', path: request.url ?? '', sequence: Number(sequence), body, mac };
  const proved = await of.sessions.prove(session, said);
  if (proved.ok) of.trust(request.socket, session);
  return proved;
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The same order for a question about journals, within limits of its own. */
async function answerRelay(
  request: IncomingMessage,
  of: HubRequestOptions,
  { door, route }: { readonly door: RelayDoor; readonly route: RelayRoute },
): Promise<Reply> {
  const found = findSession(request, of);
  if (!found.ok) return found;
  const session = found.value;
  const leave = door.enter(session, route, of.nowMs());
  if (leave === null) return err(hubError('too-many'));
  try {
    const body = await readInTime(request, { bytes: route.bodyBytes, limitMs: of.limits.relayRequestMs });
    if (body === null) return err(hubError('too-large'));
    const proved = await proveRequest(request, of, { session, body });
    if (!proved.ok) return proved;
    const seated = door.seat(session);
    const reply = seated.ok ? await route.answer(body, seated.value) : ok(seated);
    // A device that was removed meanwhile learns nothing any more, not even what was looked up for it before.
    return of.sessions.isOpen(session) ? reply : err(hubError('device-removed'));
  } finally {
    leave();
  }
}

/** A body; `null` where it is too large, breaks off or does not come in time. */
async function readInTime(
  request: IncomingMessage,
  { bytes, limitMs }: { readonly bytes: number; readonly limitMs: number },
): Promise<string | null> {
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    limit = setTimeout(() => resolve(null), limitMs);
  });
  try {
    return await Promise.race([readBody(request, bytes), late]);
  } finally {
    clearTimeout(limit);
  }
}

type StrangerRoute = (body: string, of: HubRequestOptions, socket: Socket) => Promise<Reply>;

async function answerStranger(request: IncomingMessage, of: HubRequestOptions, route: StrangerRoute): Promise<Reply> {
  const { socket } = request;
  if (!of.strangerRate.take(socket.remoteAddress ?? '', of.nowMs())) return err(hubError('too-many'));
  const body = await readInTime(request, { bytes: of.limits.strangerBodyBytes, limitMs: of.limits.requestMs });
  return body === null ? err(hubError('too-large')) : await route(body, of, socket);
}

const STRANGER_ROUTES: Readonly<Partial<Record<string, StrangerRoute>>> = {
  async [HUB_PATHS.challenge](body, { sessions }) {
    const said = readSaid(challengeRequestSchema, body);
    return said.ok ? ok({ challenge: sessions.challenge(said.value.deviceId) }) : said;
  },
  async [HUB_PATHS.session](body, of, socket) {
    const said = readSaid(signInSchema, body);
    if (!said.ok) return said;
    const signedIn = await of.sessions.signIn(said.value);
    if (!signedIn.ok) return signedIn;
    of.trust(socket, signedIn.value);
    const { sessionId, sessionKey } = signedIn.value;
    const { identity } = of.backend;
    return ok({ sessionId, sessionKey, coordinator: identity, hubName: of.hubName, wallMs: Math.round(of.wallMs()) });
  },
  async [HUB_PATHS.pair](body, { pairing }) {
    const said = readSaid(pairRequestSchema, body);
    return said.ok ? await pairing.ask(said.value) : said;
  },
  async [HUB_PATHS.pairWait](body, { pairing, backend, hubName }) {
    const said = readSaid(pairWaitSchema, body);
    if (!said.ok) return said;
    const state = pairing.wait(said.value);
    return state.ok ? ok({ ...state.value, coordinator: backend.identity, hubName }) : state;
  },
  async [HUB_PATHS.pairLeave](body, { pairing }) {
    const said = readSaid(pairWaitSchema, body);
    if (!said.ok) return said;
    const left = pairing.leave(said.value);
    return left.ok ? ok({}) : left;
  },
};

interface DeviceRequest {
  readonly session: HubSession;
  readonly body: string;
  readonly of: HubRequestOptions;
}

const DEVICE_ROUTES: Readonly<Partial<Record<string, (request: DeviceRequest) => Promise<Reply>>>> = {
  async [`POST ${HUB_PATHS.ask}`]({ session, body, of }) {
    const said = readSaid(askRequestSchema, body);
    if (!said.ok) return said;
    if (said.value.some(({ verb }) => verb.deviceId !== session.deviceId)) return err(hubError('other-device'));
    // The last look before anything is asked; nothing is awaited in between.
    if (!of.sessions.isOpen(session)) return err(hubError('device-removed'));
    const answers = await Promise.all(
      said.value.map(async ({ agentId, verb }) => {
        const answer = await of.backend.ask(agentId, verb);
        if (answer.ok) of.answered(agentId, answer.value);
        return answer;
      }),
    );
    return ok({ answers });
  },
  async [`POST ${HUB_PATHS.current}`]({ body, of }) {
    const said = readSaid(currentRequestSchema, body);
    if (!said.ok) return said;
    return ok({ answers: await Promise.all(said.value.map((agentId) => of.backend.current(agentId))) });
  },
  async [`GET ${HUB_PATHS.devices}`]({ of }) {
    const listed = await of.devices.list();
    if (!listed.ok) return err(hubError('unsure', listed.error.message));
    // Who is there, and nothing by which anybody gets in.
    return ok({
      devices: listed.value.map(({ deviceId, name, pairedAtMs, lastSeenAtMs, revokedAtMs }) => ({
        deviceId,
        name,
        pairedAtMs,
        lastSeenAtMs,
        revokedAtMs,
      })),
    });
  },
};
