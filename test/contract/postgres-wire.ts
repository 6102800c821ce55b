import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** What becomes of one question. `hold`: it stays on the way, and nobody hangs up. */
export type Fate = 'pass' | 'lose-question' | 'lose-answer' | 'silence' | 'hold';

const HEADER_BYTES = 5;

/** A message of PostgreSQL's protocol, whole. The first one of a client has no type. */
export interface Message {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Cuts a stream into messages. */
export class MessageReader {
  #rest = Buffer.alloc(0);
  #isFirst: boolean;

  constructor({ startsUntyped }: { readonly startsUntyped: boolean }) {
    this.#isFirst = startsUntyped;
  }

  read(chunk: Buffer): Message[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const messages: Message[] = [];
    for (;;) {
      const typeBytes = this.#isFirst ? 0 : 1;
      if (this.#rest.length < HEADER_BYTES) return messages;
      const length = this.#rest.readInt32BE(typeBytes) + typeBytes;
      if (this.#rest.length < length) return messages;
      const type = this.#isFirst ? 'startup' : this.#rest.toString('latin1', 0, 1);
      messages.push({ type, bytes: this.#rest.subarray(0, length) });
      this.#rest = this.#rest.subarray(length);
      this.#isFirst = false;
    }
  }
}

/** The text of a simple question. */
function sqlOf({ bytes }: Message): string {
  return bytes.toString('utf8', HEADER_BYTES, bytes.length - 1);
}

/** The way between devices and a server, on which questions and answers are lost as the test decides. */
export class PostgresWire {
  /** Asked for each question that a client sends, with its text. */
  fateOf: (sql: string) => Fate = () => 'pass';
  /** The port of the server that stands behind it; new connections go there. */
  targetPort: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(targetPort: number) {
    this.targetPort = targetPort;
    this.#server = createServer((client) => this.#carry(client));
  }

  static async start(targetPort: number): Promise<PostgresWire> {
    const wire = new PostgresWire(targetPort);
    wire.#server.listen(0, '127.0.0.1');
    await once(wire.#server, 'listening');
    return wire;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts every connection there is. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #carry(client: Socket): void {
    const server = connect(this.targetPort, '127.0.0.1');
    const questions = new MessageReader({ startsUntyped: true });
    const answers = new MessageReader({ startsUntyped: false });
    let fate: Fate = 'pass';
    const hangUp = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', hangUp).on('close', () => {
        this.#sockets.delete(socket);
        // A way that has gone silent does not tell either end that the other has left.
        if (fate !== 'silence' && fate !== 'hold') hangUp();
      });
    }
    client.on('data', (chunk: Buffer) => {
      for (const message of questions.read(chunk)) {
        if (message.type === 'Q') fate = this.fateOf(sqlOf(message));
        if (fate === 'lose-question') return hangUp();
        if (fate !== 'hold') server.write(message.bytes);
      }
    });
    server.on('data', (chunk: Buffer) => {
      for (const message of answers.read(chunk)) {
        if (fate === 'pass') client.write(message.bytes);
        if (fate === 'lose-answer' && message.type === 'Z') hangUp();
      }
    });
  }
}
