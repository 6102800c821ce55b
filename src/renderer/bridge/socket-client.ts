import type { Answer, ChangeNotice, RequestOf, Route } from '../../shared/contract/api.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { problem } from '../../shared/contract/errors.ts';
import { err } from '../../shared/lib/result.ts';
import { backOffMs, readMessage } from './socket-messages.ts';
import { text } from './strings.ts';
import type { WindowBridge } from './bridge.ts';

/** How many calls may wait for a connection; more are turned away at once. */
const MAX_PENDING = 256;

interface Pending {
  readonly settle: (answer: unknown) => void;
  /** The message, until it has been sent; `null` afterwards: a sent call is never sent again. */
  unsent: string | null;
}

/** One line to the host that is opened again when it breaks. A call that was under way then is answered: unknown. */
export class SocketClient implements WindowBridge {
  readonly #url: string;
  readonly #pending = new Map<number, Pending>();
  readonly #changeListeners = new Set<(notice: ChangeNotice) => void>();
  readonly #connectionListeners = new Set<(isConnected: boolean) => void>();
  #socket: WebSocket | null = null;
  #nextId = 1;
  #failures = 0;
  #isConnected: boolean | null = null;

  constructor(url: string) {
    this.#url = url;
    this.#open();
  }

  call<R extends Route>(route: R, request: RequestOf<R>): Promise<Answer<R>> {
    return new Promise((resolve) => {
      if (this.#pending.size >= MAX_PENDING || this.#isConnected === false) return resolve(offline());
      const id = this.#nextId++;
      const message = JSON.stringify({ id, route, request });
      // The host answers each route with its own type; the frame was checked in readMessage.
      this.#pending.set(id, { settle: (answer) => resolve(answer as Answer<R>), unsent: message });
      this.#flush();
      return undefined;
    });
  }

  onChange(listener: (notice: ChangeNotice) => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  onConnection(listener: (isConnected: boolean) => void): () => void {
    this.#connectionListeners.add(listener);
    if (this.#isConnected !== null) listener(this.#isConnected);
    return () => this.#connectionListeners.delete(listener);
  }

  #open(): void {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener('open', () => {
      this.#failures = 0;
      this.#tell(true);
      this.#flush();
    });
    socket.addEventListener('message', (event: MessageEvent<unknown>) => this.#receive(event.data));
    socket.addEventListener('close', () => this.#closed(socket));
  }

  #flush(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    for (const call of this.#pending.values()) {
      if (call.unsent === null) continue;
      this.#socket.send(call.unsent);
      call.unsent = null;
    }
  }

  #receive(data: unknown): void {
    const message = readMessage(data);
    if (message === null) return;
    if (message.kind === 'notice') {
      for (const listener of this.#changeListeners) listener(message.notice);
      return;
    }
    const call = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    call?.settle(message.answer);
  }

  #closed(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const call of pending) call.settle(call.unsent === null ? unknownAnswer() : offline());
    this.#tell(false);
    setTimeout(() => this.#open(), backOffMs(this.#failures++, Math.random()));
  }

  #tell(isConnected: boolean): void {
    if (this.#isConnected === isConnected) return;
    this.#isConnected = isConnected;
    for (const listener of this.#connectionListeners) listener(isConnected);
  }
}

/** Opens a line to the host. */
export function connectSocket(url: string): WindowBridge {
  return new SocketClient(url);
}

interface Failed {
  readonly ok: false;
  readonly error: Problem;
}

function unknownAnswer(): Failed {
  return err(problem('internal', text.unknown, text.unknownWayOut));
}

function offline(): Failed {
  return err(problem('internal', text.offline, text.offlineWayOut));
}
