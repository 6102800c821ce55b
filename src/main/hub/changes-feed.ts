import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { AgentId, DeviceId } from '../../shared/contract/identifiers.ts';
import type { HubLimits } from './hub-limits.ts';
import type { HubSession } from './sessions.ts';

/** Closing codes of RFC 6455. */
const GOING_AWAY = 1_001;
const NOT_UNDERSTOOD = 1_008;
/** Nobody has anything to say on this line. */
const MESSAGE_BYTES = 1_024;
/** How many lines one device may have; the oldest makes room. */
const LINES_PER_DEVICE = 4;
/** News about journals is gathered for so long, ms: a device that catches up pushes batch after batch. */
const JOURNALS_PAUSE_MS = 50;

/** The lines on which devices are told what changed. What they hear is a hint to look, never an answer. */
export interface ChangesFeed {
  /** Takes over a connection whose request has been proved. */
  accept(
    request: IncomingMessage,
    of: { readonly socket: Duplex; readonly head: Buffer; readonly session: HubSession },
  ): void;
  tellAgent(agentId: AgentId): void;
  tellDevices(): void;
  /** Tells every device but the one that pushed that there is something to pull. */
  tellJournals(pushedBy: DeviceId): void;
  /** Cuts the lines of a session at once. */
  end(session: HubSession): void;
  close(): void;
}

export function createChangesFeed(limits: HubLimits): ChangesFeed {
  const server = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_BYTES, perMessageDeflate: false });
  const lines = new Map<WebSocket, HubSession>();
  const alive = new WeakSet<WebSocket>();
  let agents = new Set<AgentId>();

  const sendAll = (message: object, isFor: (deviceId: DeviceId) => boolean = () => true) => {
    const text = JSON.stringify(message);
    for (const [line, { deviceId }] of lines) {
      if (line.readyState !== WebSocket.OPEN || !isFor(deviceId)) continue;
      // One that does not read must not fill the hub's memory. It connects again and looks at everything.
      if (line.bufferedAmount > limits.unreadBytes) line.terminate();
      else line.send(text);
    }
  };
  const news = gatherNews((isFor) => sendAll({ journals: true }, isFor));
  const pings = setInterval(() => {
    for (const line of lines.keys()) {
      if (!alive.delete(line)) line.terminate();
      else line.ping();
    }
  }, limits.pingEveryMs);
  pings.unref();

  return {
    accept(request, { socket, head, session }) {
      const own = [...lines].filter(([, { deviceId }]) => deviceId === session.deviceId);
      if (own.length >= LINES_PER_DEVICE) own[0]?.[0].terminate();
      server.handleUpgrade(request, socket, head, (line) => {
        lines.set(line, session);
        alive.add(line);
        line.on('pong', () => alive.add(line));
        line.on('close', () => lines.delete(line));
        line.on('error', () => line.terminate());
        line.on('message', () => line.close(NOT_UNDERSTOOD));
      });
    },
    tellAgent(agentId) {
      if (lines.size === 0) return;
      agents.add(agentId);
      // All changes of one turn go in one message.
      if (agents.size > 1) return;
      setImmediate(() => {
        const changed = agents;
        agents = new Set();
        sendAll({ agents: [...changed] });
      });
    },
    tellDevices: () => sendAll({ devices: true }),
    tellJournals: (pushedBy) => news.add(pushedBy),
    end(session) {
      for (const [line, { sessionId }] of lines) if (sessionId === session.sessionId) line.terminate();
    },
    close() {
      clearInterval(pings);
      news.close();
      for (const line of lines.keys()) line.close(GOING_AWAY);
      server.close();
    },
  };
}

/** Gathers whose journals have grown, and says from time to time which devices that is news for. */
function gatherNews(tell: (isFor: (deviceId: DeviceId) => boolean) => void): {
  add(pushedBy: DeviceId): void;
  close(): void;
} {
  let pushers = new Set<DeviceId>();
  let pause: NodeJS.Timeout | undefined;
  return {
    add(pushedBy) {
      pushers.add(pushedBy);
      pause ??= setTimeout(() => {
        const [first, second] = pushers;
        pushers = new Set();
        pause = undefined;
        // With a second one that pushed, the first has something to pull as well.
        tell((deviceId) => second !== undefined || deviceId !== first);
      }, JOURNALS_PAUSE_MS);
    },
    close: () => clearTimeout(pause),
  };
}
