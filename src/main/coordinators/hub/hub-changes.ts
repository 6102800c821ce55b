import { WebSocket } from 'ws';
import type { RawData } from 'ws';
import { z } from 'zod';
import type { AgentId } from '../../../shared/contract/identifiers.ts';
import { HUB_LIMITS } from '../../hub/hub-limits.ts';
import { HUB_PATHS } from '../../hub/hub-wire.ts';
import type { HubConnections } from './hub-connection.ts';
import type { HubSignIn } from './hub-sign-in.ts';

/** Others wait for the same sign-in, so it is no longer than theirs. */
const OPEN_LIMIT_MS = 2_500;
const PAUSE_FROM_MS = 500;
const PAUSE_TO_MS = 15_000;
/** A line on which nothing was heard for this long is dead, ms: two pings of the hub. */
const SILENCE_MS = 2.5 * HUB_LIMITS.pingEveryMs;
/** A message names the agents of one turn. */
const MESSAGE_BYTES = 4 * 1_048_576;

const messageSchema = z.union([
  z.object({ agents: z.array(z.string().transform((text) => text as AgentId)) }),
  z.object({ devices: z.literal(true) }),
  z.object({ journals: z.literal(true) }),
]);

/**
 * The line on which a hub tells of changes: kept open while somebody listens, and made again when it breaks. What it says is a
 * hint to look. After a break nobody knows what was missed, so every agent that was ever asked about is named.
 */
export class HubChanges {
  readonly #of: { readonly connections: HubConnections; readonly signIn: HubSignIn };
  readonly #agents = new Set<(agentId: AgentId) => void>();
  readonly #devices = new Set<() => void>();
  readonly #journals = new Set<() => void>();
  readonly #known = new Set<AgentId>();
  #line: WebSocket | null = null;
  #pause: NodeJS.Timeout | null = null;
  #pauseMs = PAUSE_FROM_MS;
  #isOpening = false;
  #isClosed = false;

  constructor(of: { readonly connections: HubConnections; readonly signIn: HubSignIn }) {
    this.#of = of;
  }

  knows(agentId: AgentId): void {
    this.#known.add(agentId);
  }

  onAgent(listener: (agentId: AgentId) => void): () => void {
    this.#agents.add(listener);
    void this.#open();
    return () => {
      this.#agents.delete(listener);
      this.#letGo();
    };
  }

  onDevices(listener: () => void): () => void {
    return this.#listenIn(this.#devices, listener);
  }

  /** Another device pushed something of its journal. */
  onJournals(listener: () => void): () => void {
    return this.#listenIn(this.#journals, listener);
  }

  #listenIn(listeners: Set<() => void>, listener: () => void): () => void {
    listeners.add(listener);
    void this.#open();
    return () => {
      listeners.delete(listener);
      this.#letGo();
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#agents.clear();
    this.#devices.clear();
    this.#journals.clear();
    this.#letGo();
  }

  #isWanted(): boolean {
    return !this.#isClosed && this.#agents.size + this.#devices.size + this.#journals.size > 0;
  }

  #letGo(): void {
    if (this.#isWanted()) return;
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#pause = null;
    this.#line?.terminate();
    this.#line = null;
  }

  async #open(): Promise<void> {
    if (this.#isOpening || this.#line !== null || this.#pause !== null || !this.#isWanted()) return;
    this.#isOpening = true;
    try {
      const { connections, signIn } = this.#of;
      const path = HUB_PATHS.changes;
      const headers = await signIn.headers({ method: 'GET', path, body: '' }, OPEN_LIMIT_MS);
      const { socket } = await connections.connect();
      if (!this.#isWanted()) {
        socket.destroy();
        return;
      }
      this.#listen(
        new WebSocket(`wss://fencepost-hub${path}`, {
          headers: { ...headers, host: connections.hostOf(socket) },
          createConnection: () => socket,
          handshakeTimeout: OPEN_LIMIT_MS,
          maxPayload: MESSAGE_BYTES,
          perMessageDeflate: false,
        }),
      );
    } catch {
      // Not reachable, or not let in: the questions say so to a person.
      this.#openLater();
    } finally {
      this.#isOpening = false;
    }
  }

  #listen(line: WebSocket): void {
    this.#line = line;
    let silence = setTimeout(() => line.terminate(), SILENCE_MS);
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => line.terminate(), SILENCE_MS);
      silence.unref();
    };
    line.on('open', () => {
      this.#pauseMs = PAUSE_FROM_MS;
      for (const agentId of this.#known) this.#tellAgent(agentId);
      this.#tellDevices();
      this.#tellJournals();
    });
    line.on('ping', heard);
    line.on('message', (data) => {
      heard();
      this.#hear(textOf(data));
    });
    line.on('unexpected-response', (_request, response) => {
      if (response.statusCode === 401) this.#of.signIn.forget();
      response.destroy();
      line.terminate();
    });
    // `close` follows.
    line.on('error', () => undefined);
    line.on('close', () => {
      clearTimeout(silence);
      if (this.#line === line) this.#line = null;
      this.#openLater();
    });
  }

  #hear(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return;
    }
    const said = messageSchema.safeParse(value);
    if (!said.success) return;
    if ('devices' in said.data) this.#tellDevices();
    else if ('journals' in said.data) this.#tellJournals();
    else for (const agentId of said.data.agents) this.#tellAgent(agentId);
  }

  #openLater(): void {
    if (this.#pause !== null || !this.#isWanted()) return;
    this.#pause = setTimeout(() => {
      this.#pause = null;
      void this.#open();
    }, this.#pauseMs);
    this.#pause.unref();
    this.#pauseMs = Math.min(PAUSE_TO_MS, this.#pauseMs * 2);
  }

  #tellAgent(agentId: AgentId): void {
    for (const listener of this.#agents) listener(agentId);
  }

  #tellDevices(): void {
    for (const listener of this.#devices) listener();
  }

  #tellJournals(): void {
    for (const listener of this.#journals) listener();
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.from(data as ArrayBuffer).toString('utf8');
}
