import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { EventLog } from '../bridge/event-log.ts';
import { createRateLimit } from '../bridge/rate-limit.ts';
import type { LeaseCoordinator, RegisterAnswer } from '../coordinators/lease-coordinator.ts';
import { limitStrangers } from '../headless/connection-limit.ts';
import type { HubCertificate } from './certificate.ts';
import { createChangesFeed } from './changes-feed.ts';
import type { ChangesFeed } from './changes-feed.ts';
import { createHubAddresses, hasOwnPort, hostOf } from './hub-addresses.ts';
import type { HubDevices, PairedDevice } from './hub-devices.ts';
import { hubError, statusOf } from './hub-error.ts';
import type { HubError } from './hub-error.ts';
import { notStartedProblem } from './hub-problem.ts';
import { DEVICE_RATE, HUB_LIMITS, STRANGER_RATE } from './hub-limits.ts';
import type { HubLimits } from './hub-limits.ts';
import { answerHubRequest, findSession, foreignError, proveRequest } from './hub-request.ts';
import type { HubRequestOptions } from './hub-request.ts';
import { deviceNameSchema, HUB_PATHS } from './hub-wire.ts';
import { createHubPairing } from './pairing.ts';
import type { HubPairing } from './pairing.ts';
import { createRelayDoor } from './relay/relay-routes.ts';
import type { RelayStorage } from './relay/relay-storage.ts';
import { sendReply } from './send-reply.ts';
import { createHubSessions } from './sessions.ts';
import type { HubSession } from './sessions.ts';

/** A longer link makes a QR code that cameras cannot read. */
const ADDRESSES_IN_LINK = 8;

/** What a hub is made of. It closes neither the backend nor the devices nor the relay: whoever opened them does. */
export interface HubOptions {
  /** The register behind it: `openHubRegister`, or PostgreSQL, in front of which any number of hubs can stand. */
  readonly backend: LeaseCoordinator;
  readonly devices: HubDevices;
  /** The journals it carries between its devices, or why they cannot be had; without it the hub is no relay. */
  readonly relay?: Result<RelayStorage, Problem>;
  readonly certificate: HubCertificate;
  /** Where it listens: an address of this machine, or `0.0.0.0` or `::` for all of them. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Further addresses and names that devices find it by; with a port where it is another one than its own. */
  readonly addresses?: readonly string[];
  /** What a person calls it. */
  readonly name: string;
  readonly log: EventLog;
  readonly limits?: Partial<HubLimits>;
  /** Never goes back, ms. */
  readonly nowMs?: () => number;
  readonly wallMs?: () => number;
}

/** A hub at work. What it offers here is for the person in front of it; devices come in through the network. */
export interface Hub {
  readonly port: number;
  readonly fingerprint: string;
  readonly name: string;
  addresses(): readonly string[];
  readonly pairing: Pick<HubPairing, 'invite' | 'refuse' | 'pending' | 'leftBy' | 'approve' | 'onChange'>;
  readonly devices: {
    list(): Promise<Result<readonly PairedDevice[], Problem>>;
    rename(deviceId: DeviceId, name: string): Promise<Result<null, Problem>>;
    /** At once: what it has open is cut off and it is let in no more. Leases that it holds run out, or are taken over. */
    revoke(deviceId: DeviceId): Promise<Result<null, Problem>>;
  };
  close(): Promise<void>;
}

/** Opens the hub's door. */
export async function startHub(options: HubOptions): Promise<Result<Hub, Problem>> {
  const { backend, devices, relay, certificate, host, log } = options;
  const limits: HubLimits = { ...HUB_LIMITS, ...options.limits };
  const { nowMs = () => performance.now(), wallMs = () => Date.now() } = options;
  const { fingerprint } = certificate;
  const server = createSecureServer(certificate, limits);
  const trust = createTrust(server, limits);
  const listening = await listen(server, options.port, host);
  if (!listening.ok) return listening;
  const port = listening.value;
  const addresses = createHubAddresses({ host, named: options.addresses ?? [], nowMs });
  const sessions = createHubSessions({ devices, fingerprint, limits, nowMs, wallMs });
  const feed = createChangesFeed(limits);
  sessions.onEnd((session) => feed.end(session));
  const paired = (deviceId: DeviceId) => {
    sessions.end(deviceId);
    feed.tellDevices();
  };
  const place = () => {
    const inLink = addresses().filter((address) => !hasOwnPort(address));
    return { addresses: inLink.slice(0, ADDRESSES_IN_LINK), port };
  };
  const pairing = createHubPairing({ devices, fingerprint, limits, nowMs, wallMs, place, paired });
  const stopListening = backend.onChange?.((agentId) => feed.tellAgent(agentId));
  if (relay?.ok === false) log.write({ event: 'hub-journals-not-opened', code: relay.error.code });
  const stopCarrying = relay?.ok === true ? relay.value.onPush((deviceId) => feed.tellJournals(deviceId)) : undefined;
  const of: HubRequestOptions = {
    backend,
    devices,
    sessions,
    pairing,
    relay: relay === undefined ? null : createRelayDoor({ storage: relay, devices }),
    hubName: options.name,
    limits,
    nowMs,
    wallMs,
    hosts: () => new Set(addresses().map((address) => hostOf(address, port))),
    deviceRate: createRateLimit(DEVICE_RATE),
    strangerRate: createRateLimit(STRANGER_RATE),
    trust: (socket, session) => trust(socket, session.deviceId),
    answered(agentId, answered) {
      if (stopListening === undefined && isChange(answered)) feed.tellAgent(agentId);
    },
  };
  const door = { of, feed, log: quietLog(log, nowMs) };
  server.on('request', (request, response) => void answer(request, response, door));
  server.on('upgrade', (request, socket, head) => void upgrade({ request, socket, head }, door));
  return ok({
    port,
    fingerprint,
    name: options.name,
    addresses,
    pairing,
    devices: devicesFor(devices, { paired, changed: () => feed.tellDevices(), wallMs }),
    async close() {
      stopListening?.();
      stopCarrying?.();
      feed.close();
      await closeServer(server);
    },
  });
}

function devicesFor(
  devices: HubDevices,
  of: {
    readonly paired: (deviceId: DeviceId) => void;
    readonly changed: () => void;
    readonly wallMs: () => number;
  },
): Hub['devices'] {
  return {
    list: () => devices.list(),
    async rename(deviceId, name) {
      const wanted = deviceNameSchema.safeParse(name);
      if (!wanted.success) {
        return err(problem('input-invalid', 'This is no name for a device.', 'Nothing was changed. Choose another.'));
      }
      const renamed = await devices.rename(deviceId, wanted.data);
      if (renamed.ok) of.changed();
      return renamed;
    },
    async revoke(deviceId) {
      const revoked = await devices.revoke(deviceId, of.wallMs());
      // Cut off in any case: where nobody knows what was written, it is asked again at the next request.
      of.paired(deviceId);
      return revoked;
    },
  };
}

/** What changes who has the right to act; renewals and announcements do not. */
function isChange({ reply }: RegisterAnswer): boolean {
  const { kind } = reply;
  if (kind === 'granted') return !reply.isReplay;
  return (
    kind === 'released' || kind === 'retired' || kind === 'adopted' || kind === 'bumped' || kind === 'takeover-set'
  );
}

interface Door {
  readonly of: HubRequestOptions;
  readonly feed: ChangesFeed;
  readonly log: EventLog;
}

async function answer(request: IncomingMessage, response: ServerResponse, { of, log }: Door): Promise<void> {
  try {
    const reply = await answerHubRequest(request, of);
    if (!reply.ok) log.write({ event: 'hub-refused', code: reply.error.code });
    const status = reply.ok ? 200 : statusOf(reply.error);
    await sendReply(response, { status, body: reply.ok ? reply.value : reply.error });
  } catch (cause) {
    log.write({ event: 'hub-threw', cause: cause instanceof Error ? (cause.stack ?? cause.message) : typeof cause });
    response.destroy();
  }
}

async function upgrade(
  { request, socket, head }: { readonly request: IncomingMessage; readonly socket: Duplex; readonly head: Buffer },
  { of, feed, log }: Door,
): Promise<void> {
  // A peer that resets the connection meanwhile is not our failure.
  socket.on('error', () => socket.destroy());
  const refuse = (error: HubError) => {
    log.write({ event: 'hub-line-refused', code: error.code });
    const status = statusOf(error);
    const text = JSON.stringify(error);
    const first = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\n`;
    socket.end(`${first}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  try {
    const foreign = foreignError(request, of);
    if (foreign !== null) return refuse(foreign);
    if (request.url !== HUB_PATHS.changes) return refuse(hubError('not-found'));
    const session = findSession(request, of);
    if (!session.ok) return refuse(session.error);
    const proved = await proveRequest(request, of, { session: session.value, body: '' });
    if (!proved.ok) return refuse(proved.error);
    feed.accept(request, { socket, head, session: session.value });
  } catch (cause) {
    log.write({ event: 'hub-threw', cause: cause instanceof Error ? (cause.stack ?? cause.message) : typeof cause });
    socket.destroy();
  }
}

/** A flood of refusals must not become a flood of writing. */
function quietLog(log: EventLog, nowMs: () => number): EventLog {
  const rate = createRateLimit({ burst: 50, perSecond: 2 });
  return { write: (line) => (rate.take(line.event, nowMs()) ? log.write(line) : undefined) };
}

function createSecureServer({ certificatePem, keyPem }: HubCertificate, limits: HubLimits): Server {
  const server = createServer({
    cert: certificatePem,
    key: keyPem,
    minVersion: 'TLSv1.3',
    handshakeTimeout: limits.handshakeMs,
    headersTimeout: limits.headersMs,
    // For all requests alike, so it is the longest; the others are held to less when their body is read.
    requestTimeout: limits.relayRequestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    maxHeaderSize: 8_192,
  });
  server.maxConnections = limits.connections;
  return server;
}

/** Frees a device's connection of what strangers are held to, and holds it to what a device may have. */
function createTrust(server: Server, limits: HubLimits): (socket: Socket, deviceId: HubSession['deviceId']) => void {
  const free = limitStrangers(server, limits);
  const owners = new WeakMap<Socket, DeviceId>();
  const byDevice = new Map<DeviceId, Set<Socket>>();
  return (socket, deviceId) => {
    if (owners.get(socket) === deviceId || socket.destroyed) return;
    free(socket);
    owners.set(socket, deviceId);
    const own = byDevice.get(deviceId) ?? new Set();
    byDevice.set(deviceId, own.add(socket));
    socket.once('close', () => own.delete(socket));
    for (const oldest of own) {
      if (own.size <= limits.connectionsPerDevice) break;
      own.delete(oldest);
      oldest.destroy();
    }
  };
}

function listen(server: Server, port: number, host: string): Promise<Result<number, Problem>> {
  return new Promise((resolve) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      resolve(err(notStartedProblem(cause.code ?? '', { host, port })));
    });
    server.listen(port, host, () => resolve(ok((server.address() as AddressInfo).port)));
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
