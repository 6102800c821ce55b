import { Agent } from 'node:https';
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { connectionSentence, NotConnectedError, WrongCertificateError } from './hub-failure.ts';

/** Requests that a client has under way at once. */
export const REQUESTS_AT_ONCE = 4;
/** A connection that was not used for this long is let go of, ms: before the hub does, so that none breaks under a request. */
const IDLE_MS = 30_000;
/** How long one address may take until the next is tried, ms; where there is no next, it is waited for longer. */
const CONNECT_MS = 800;
const CONNECT_ONLY_MS = 2_400;

/** Where a hub is, and by what it is known. */
export interface HubPlace {
  /** Tried in order, the one that worked last time first; the next only when no connection came about. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** SHA-256 of its certificate, as `node:tls` writes it. */
  readonly fingerprint: string;
}

/** The address of a connection, as the `Host` header has to say it. */
function hostHeaderOf(address: string, port: number): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** A connection whose certificate was compared. */
export interface PinnedConnection {
  readonly socket: TLSSocket;
  readonly certificatePem: string;
}

/**
 * Opens an encrypted connection to the one certificate that was pinned. Equal bytes of the certificate and a finished TLS 1.3
 * handshake, in which the other end signs with its key, say everything: names, authorities and dates say nothing more,
 * and a wrong calendar must not keep a device out.
 */
export function connectPinned(address: string, of: HubPlace): Promise<PinnedConnection> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port: of.port, minVersion: 'TLSv1.3', rejectUnauthorized: false });
    const fail = (cause: Error) => {
      clearTimeout(limit);
      socket.destroy();
      reject(cause);
    };
    const limitMs = of.addresses.length === 1 ? CONNECT_ONLY_MS : CONNECT_MS;
    const limit = setTimeout(() => fail(new NotConnectedError('Nobody answered in time.')), limitMs);
    socket.once('error', (cause: NodeJS.ErrnoException) =>
      fail(new NotConnectedError(connectionSentence(cause.code ?? ''), { cause })),
    );
    socket.once('secureConnect', () => {
      // Read once: asked a second time, Node has none.
      const certificate = socket.getPeerX509Certificate();
      if (certificate?.fingerprint256 !== of.fingerprint) {
        fail(new WrongCertificateError('Another machine answers there, or the hub has a new certificate.'));
        return;
      }
      clearTimeout(limit);
      socket.setNoDelay(true);
      resolve({ socket, certificatePem: certificate.toString() });
    });
  });
}

type Connected = (error: Error | null, socket?: TLSSocket) => void;

/** The connections to one hub. */
export class HubConnections {
  readonly #place: HubPlace;
  readonly #agent: Agent;
  readonly #hosts = new WeakMap<object, string>();
  #first = 0;

  constructor(place: HubPlace) {
    this.#place = place;
    this.#agent = new Agent({ keepAlive: true, maxSockets: REQUESTS_AT_ONCE + 1, timeout: IDLE_MS });
    this.#agent.createConnection = (_options, callback) => {
      // The types of Node promise a socket at once; a callback is what it asks for where there is none yet.
      void this.#connectFor(callback as Connected);
      return undefined;
    };
  }

  get agent(): Agent {
    return this.#agent;
  }

  /** What the `Host` header of a request on this connection has to say. */
  hostOf(socket: object): string {
    return this.#hosts.get(socket) ?? '';
  }

  close(): void {
    this.#agent.destroy();
  }

  async #connectFor(connected: Connected): Promise<void> {
    let socket: TLSSocket;
    try {
      ({ socket } = await this.connect());
    } catch (cause) {
      connected(cause instanceof Error ? cause : new NotConnectedError('The connection failed.', { cause }));
      return;
    }
    connected(null, socket);
  }

  /** The first address that can be reached. A wrong certificate at one of them does not stop the search. */
  async connect(): Promise<PinnedConnection> {
    const { addresses, port } = this.#place;
    let failure: Error = new NotConnectedError('The hub has no address.');
    for (const address of [...addresses.slice(this.#first), ...addresses.slice(0, this.#first)]) {
      try {
        const pinned = await connectPinned(address, this.#place);
        this.#first = addresses.indexOf(address);
        this.#hosts.set(pinned.socket, hostHeaderOf(address, port));
        return pinned;
      } catch (cause) {
        // A machine that is not the hub says more than an address where nobody is.
        if (!(failure instanceof WrongCertificateError))
          failure = cause instanceof Error ? cause : new NotConnectedError('The connection failed.', { cause });
      }
    }
    throw failure;
  }
}
