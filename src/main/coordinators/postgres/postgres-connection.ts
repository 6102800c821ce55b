import { Socket } from 'node:net';
import { Client } from 'pg';
import type { ClientConfig, QueryResult } from 'pg';
import type { PostgresOptions } from './postgres-options.ts';

/** How long a connection may take to say goodbye, ms. */
const GOODBYE_MS = 500;
/** An idle connection asks the other machine this often whether it is still there, ms. */
const KEEP_ALIVE_MS = 5_000;

/** The server was silent for longer than there was time. What it did is unknown. */
export class PostgresSilentError extends Error {
  override readonly name = 'PostgresSilentError';
}

/** The server said that it did what was asked, and that something about it is not as it should be. */
export class PostgresWarningError extends Error {
  override readonly name = 'PostgresWarningError';
}

/**
 * One connection. Questions are plain texts of one or more statements: no prepared statement, no setting and no lock outlives a
 * transaction, so a pooler may hand every transaction to another server connection. After any error it is not to be used again.
 */
export class PostgresConnection {
  readonly #client: Client;
  readonly #socket: Socket;
  #isUsable = true;
  #warning: string | null = null;
  lastUsedMs = performance.now();

  private constructor(client: Client, socket: Socket) {
    this.#client = client;
    this.#socket = socket;
    // Between questions nobody is there to be told; whoever asks next is told by `isUsable`.
    client.on('error', () => this.destroy());
    client.on('end', () => this.destroy());
    client.on('notice', ({ severity, message }) => {
      if (severity === 'WARNING') this.#warning = message ?? 'The server warned of something.';
    });
  }

  /**
   * @param untilMs by `performance.now()`
   * @throws PostgresSilentError, or what the network, TLS or the server say
   */
  static async open(options: PostgresOptions, untilMs: number): Promise<PostgresConnection> {
    const socket = new Socket();
    const client = new Client(configOf(options, socket));
    const connection = new PostgresConnection(client, socket);
    try {
      await connection.#within(client.connect(), untilMs);
      return connection;
    } catch (cause) {
      connection.destroy();
      throw cause;
    }
  }

  get isUsable(): boolean {
    return this.#isUsable;
  }

  /**
   * Sends one text of statements and resolves with what each of them answered. After an error the connection is destroyed.
   * @throws PostgresSilentError, PostgresWarningError, or what the server or the network say
   */
  async run(sql: string, untilMs: number): Promise<readonly QueryResult<Record<string, unknown>>[]> {
    try {
      this.#warning = null;
      const results = await this.#within(this.#client.query<Record<string, unknown>>(sql), untilMs);
      // Such as a commit that was not waited for on the standby (`pg_cancel_backend`), which is reported as done.
      if (this.#warning !== null) throw new PostgresWarningError(this.#warning);
      this.lastUsedMs = performance.now();
      return [results].flat();
    } catch (cause) {
      this.destroy();
      throw cause;
    }
  }

  /** At once, and without a word to the server: it takes back what was not committed. */
  destroy(): void {
    this.#isUsable = false;
    this.#socket.destroy();
  }

  /** In an orderly way, if the server has ears for it. */
  async end(): Promise<void> {
    this.#isUsable = false;
    const limit = setTimeout(() => this.#socket.destroy(), GOODBYE_MS);
    // A goodbye that fails is one, too.
    await this.#client.end().catch(() => undefined);
    clearTimeout(limit);
    this.#socket.destroy();
  }

  async #within<Value>(work: Promise<Value>, untilMs: number): Promise<Value> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      const silent = new PostgresSilentError('The server did not answer in time.');
      timer = setTimeout(() => reject(silent), Math.max(0, untilMs - performance.now()));
    });
    // Whichever comes second is not waited for; the socket is destroyed, so the work ends as well.
    work.catch(() => undefined);
    try {
      return await Promise.race([work, limit]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function configOf({ address, password, tls }: PostgresOptions, socket: Socket): ClientConfig {
  const { host, port, database, user } = address;
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return {
    host,
    port,
    database,
    user,
    // An empty text, so that neither a variable of the environment nor a file in the home folder is asked.
    password: password ?? '',
    application_name: 'fencepost',
    stream: () => socket,
    ssl: tls.kind === 'off' ? false : tlsOf(tls, host),
  };
}

function tlsOf(tls: { readonly caPem: string | null; readonly client: TlsClient | null }, host: string): TlsConfig {
  return {
    // Named here for hosts that are addresses: without it, Node would look for `localhost` in the certificate.
    host,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(tls.caPem === null ? {} : { ca: tls.caPem }),
    ...(tls.client === null ? {} : { cert: tls.client.certificatePem, key: tls.client.keyPem }),
  };
}

type TlsConfig = Exclude<ClientConfig['ssl'], boolean | undefined>;
interface TlsClient {
  readonly certificatePem: string;
  readonly keyPem: string;
}
