import net from 'node:net';
import type { Server, Socket } from 'node:net';

/** A place in a conversation by SMTP, before what it names reaches the other side. */
export type MailPlace =
  | 'connect'
  | 'greeting'
  | 'EHLO'
  | 'AUTH'
  | 'MAIL'
  | 'RCPT'
  | 'DATA'
  | 'after-DATA'
  | 'body'
  | 'answer';

/** What happens there: the connection is cut, or nothing passes any more. */
export interface MailFault {
  readonly at: MailPlace;
  readonly how: 'cut' | 'stall';
}

/** The wire between a client and a mail server. */
export interface MailWire {
  readonly listener: Server;
  readonly said: string[];
  fault: MailFault | null;
  broken(): Promise<void>;
  stop(): void;
}

/** A wire to a port of this machine that reads along and breaks where it is told to. */
export function createMailWire(targetPort: () => number): MailWire {
  const sockets = new Set<Socket>();
  let isBroken = Promise.withResolvers<void>();
  const wire: MailWire = {
    listener: net.createServer((client) => join(client)),
    said: [],
    fault: null,
    broken: () => isBroken.promise,
    stop() {
      for (const socket of sockets) socket.destroy();
      wire.listener.close();
      isBroken = Promise.withResolvers<void>();
    },
  };

  const join = (client: Socket) => {
    const server = net.connect(targetPort(), '127.0.0.1');
    const ends = [client, server];
    let mode: 'commands' | 'asked' | 'body' | 'ended' = 'commands';
    let isStalled = false;
    let hasGreeted = false;
    let tail = '';
    const breaksAt = (...places: MailPlace[]) => {
      const { fault } = wire;
      if (fault === null || !places.includes(fault.at)) return false;
      isStalled = true;
      if (fault.how === 'cut') for (const end of ends) end.destroy();
      isBroken.resolve();
      return true;
    };
    for (const [index, end] of ends.entries()) {
      sockets.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        sockets.delete(end);
        if (!isStalled) ends[1 - index]?.destroy();
      });
    }
    if (breaksAt('connect')) return;
    client.on('data', (chunk) => {
      if (isStalled) return;
      const text = chunk.toString('latin1');
      if (mode === 'body') {
        if (wire.fault?.at === 'body') server.write(chunk.subarray(0, chunk.length / 2));
        if (breaksAt('body')) return;
        tail = (tail + text).slice(-5);
        if (tail === '\r\n.\r\n') mode = 'ended';
      } else {
        const verb = /^[A-Z]{4}(?=[ \r])/.exec(text)?.[0];
        if (verb !== undefined) wire.said.push(verb);
        if (verb !== undefined && breaksAt(verb as MailPlace)) return;
        if (verb === 'DATA') mode = 'asked';
        if (verb === 'QUIT') mode = 'commands';
      }
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (isStalled) return;
      if (!hasGreeted && breaksAt('greeting')) return;
      hasGreeted = true;
      if (mode === 'asked' && breaksAt('after-DATA')) return;
      if (mode === 'asked') mode = chunk.toString('latin1').startsWith('354') ? 'body' : 'commands';
      if (mode === 'ended' && breaksAt('answer')) return;
      client.write(chunk);
    });
  };
  return wire;
}
