import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Client } from 'pg';
import type { PostgresOptions } from '../../src/main/coordinators/postgres/postgres-options.ts';
import { MessageReader } from './postgres-wire.ts';

const IDLE = 'I'.charCodeAt(0);

/** One connection to the server, lent for one transaction at a time. */
interface Lane {
  readonly socket: Socket;
  /** Who has it now; `null` while it is free or being cleaned. */
  client: Socket | null;
  isCleaning: boolean;
  transactions: number;
}

/**
 * A transaction-mode pooler, as small as it can be: each transaction goes to the server connection that has waited longest, and
 * everything that a session could remember is thrown away behind it (`DISCARD ALL`). Whoever asks is let in.
 */
export class PostgresPooler {
  readonly #lanes: Lane[] = [];
  readonly #free: Lane[] = [];
  readonly #waiting: ((lane: Lane) => void)[] = [];
  readonly #clients = new Set<Socket>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((client) => this.#serve(client));
  }

  static async start(options: PostgresOptions, lanes: number): Promise<PostgresPooler> {
    const pooler = new PostgresPooler();
    for (let each = 0; each < lanes; each += 1) pooler.#add(await signIn(options));
    pooler.#server.listen(0, '127.0.0.1');
    await once(pooler.#server, 'listening');
    return pooler;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many transactions each server connection has carried. */
  get transactions(): number[] {
    return this.#lanes.map((lane) => lane.transactions);
  }

  async close(): Promise<void> {
    for (const socket of [...this.#clients, ...this.#lanes.map((lane) => lane.socket)]) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #add(socket: Socket): void {
    const lane: Lane = { socket, client: null, isCleaning: false, transactions: 0 };
    const answers = new MessageReader({ startsUntyped: false });
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      for (const { type, bytes } of answers.read(chunk)) {
        if (!lane.isCleaning) lane.client?.write(bytes);
        if (type !== 'Z' || bytes.at(-1) !== IDLE) continue;
        if (lane.isCleaning) this.#release(lane);
        else this.#clean(lane);
      }
    });
    this.#lanes.push(lane);
    this.#free.push(lane);
  }

  #clean(lane: Lane): void {
    lane.transactions += 1;
    lane.client = null;
    lane.isCleaning = true;
    lane.socket.write(question('DISCARD ALL'));
  }

  #release(lane: Lane): void {
    lane.isCleaning = false;
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(lane);
    else next(lane);
  }

  #serve(client: Socket): void {
    this.#clients.add(client);
    client.on('error', () => {});
    const questions = new MessageReader({ startsUntyped: true });
    client.on('data', (chunk: Buffer) => {
      for (const { type, bytes } of questions.read(chunk)) {
        if (type === 'startup') client.write(WELCOME);
        else if (type === 'Q') this.#carry(client, bytes);
      }
    });
  }

  #carry(client: Socket, bytes: Buffer): void {
    const pinned = this.#lanes.find((lane) => lane.client === client);
    const go = (lane: Lane): void => {
      lane.client = client;
      lane.socket.write(bytes);
    };
    const lane = pinned ?? this.#free.shift();
    if (lane === undefined) this.#waiting.push(go);
    else go(lane);
  }
}

/** "You are in", and "ask". */
const WELCOME = Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0, 90, 0, 0, 0, 5, IDLE]);

function question(sql: string): Buffer {
  const text = Buffer.from(`${sql}\0`);
  const header = Buffer.alloc(5);
  header.write('Q');
  header.writeInt32BE(text.length + 4, 1);
  return Buffer.concat([header, text]);
}

/** Signs in with the ordinary client, and takes its socket over. */
async function signIn({ address, password }: PostgresOptions): Promise<Socket> {
  const client = new Client({ ...address, password: password ?? '' });
  await client.connect();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.removeAllListeners();
  return stream;
}
