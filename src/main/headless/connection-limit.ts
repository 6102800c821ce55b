import type { Server } from 'node:http';
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
    for (const oldest of idle) {
      if (idle.size <= most) break;
      idle.delete(oldest);
      oldest.destroy();
    }
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
