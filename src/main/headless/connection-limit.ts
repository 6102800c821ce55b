import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';

/**
 * Keeps the number of connections without a request small: the oldest is closed for the newest. A plain maximum would
 * turn away the browser instead of whoever holds the connections open.
 */
export function limitIdleConnections(server: Server, most: number): void {
  // In the order in which they became idle.
  const idle = new Set<Socket>();
  const rest = (socket: Socket) => {
    if (socket.destroyed) return;
    idle.delete(socket);
    idle.add(socket);
    closeOldest(idle, most);
  };
  server.on('connection', (socket: Socket) => {
    socket.once('close', () => idle.delete(socket));
    rest(socket);
  });
  server.on('request', (request, response) => {
    idle.delete(request.socket);
    response.once('close', () => rest(request.socket));
  });
  server.on('upgrade', (request) => idle.delete(request.socket));
}

/** How many connections strangers may have. */
export interface StrangerLimit {
  readonly strangers: number;
  readonly strangersPerAddress: number;
}

/**
 * The same for a server that other machines reach: a connection counts until somebody has proved on it who they are, with a
 * request under way or without. Each address makes room among its own, so that one that opens many closes nobody else's.
 * Answers what frees a connection of this.
 */
export function limitStrangers(server: SecureServer, limit: StrangerLimit): (socket: Socket) => void {
  // By the other end's address and port: what is encrypted and what carries it are two objects with the same ends.
  const strangers = new Map<string, Socket>();
  const byAddress = new Map<string, Set<Socket>>();
  const all = new Set<Socket>();
  const forget = (end: string) => {
    const socket = strangers.get(end);
    if (socket === undefined) return;
    strangers.delete(end);
    all.delete(socket);
    const own = byAddress.get(addressIn(end));
    own?.delete(socket);
    if (own?.size === 0) byAddress.delete(addressIn(end));
  };
  server.on('connection', (socket: Socket) => {
    const end = endOf(socket);
    socket.once('close', () => {
      // Its port may be another connection's by now.
      if (strangers.get(end) === socket) forget(end);
    });
    forget(end);
    strangers.set(end, socket);
    const own = byAddress.get(addressIn(end)) ?? new Set();
    byAddress.set(addressIn(end), own.add(socket));
    closeOldest(own, limit.strangersPerAddress);
    closeOldest(all.add(socket), limit.strangers);
  });
  return (socket) => forget(endOf(socket));
}

function endOf(socket: Socket): string {
  return `${socket.remotePort ?? 0} ${socket.remoteAddress ?? ''}`;
}

function addressIn(end: string): string {
  return end.slice(end.indexOf(' ') + 1);
}

function closeOldest(sockets: Set<Socket>, most: number): void {
  for (const oldest of sockets) {
    if (sockets.size <= most) break;
    sockets.delete(oldest);
    oldest.destroy();
  }
}
