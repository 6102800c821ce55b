import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { LOOPBACK_CERTIFICATE } from './loopback-certificate.ts';
import { asNobody, DROP_RIGHTS, findPostgres, giveAway } from './postgres-programs.ts';
import type { PostgresPrograms } from './postgres-programs.ts';

const run = promisify(execFile);

/** How long a server may take to answer or to end, ms. */
const LIMIT_MS = 30_000;
/** What it says where processes of the last server in its folder have not ended yet. */
const STILL_ENDING = 'is still in use';

export interface PostgresServerOptions {
  /** Lines of postgresql.conf. */
  readonly settings?: readonly string[];
  /** A server that was copied from another one's folder, as a backup or a standby is. */
  readonly copyOf?: PostgresServer;
  /** Begins as a standby that follows nobody, until it is promoted. */
  readonly isStandby?: boolean;
  /** Offers TLS with the certificate for `localhost` of the tests. */
  readonly tls?: boolean;
  /** Its machine: an address of its own, and the command that programs are put behind to run there, as root. */
  readonly machine?: { readonly host: string; readonly within: readonly string[] };
  /** For the server alone. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** A real PostgreSQL in a temporary folder, on a loopback port of its own. */
export class PostgresServer {
  readonly user = 'postgres';
  readonly password: string;
  readonly folder: string;
  readonly port: number;
  readonly host: string;
  readonly #programs: PostgresPrograms;
  readonly #options: PostgresServerOptions;
  #process: ChildProcess | null = null;
  #log = '';
  /** Tests that are cut off leave no server behind. */
  readonly #onExit = (): void => void this.#process?.kill('SIGQUIT');

  private constructor(
    of: { folder: string; port: number; password: string; programs: PostgresPrograms },
    options: PostgresServerOptions,
  ) {
    this.host = options.machine?.host ?? '127.0.0.1';
    this.#options = options;
    this.folder = of.folder;
    this.port = of.port;
    this.password = of.password;
    this.#programs = of.programs;
  }

  static async start(options: PostgresServerOptions = {}): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'fencepost-postgres-'));
    const password = options.copyOf?.password ?? randomBytes(12).toString('hex');
    const server = new PostgresServer(
      { folder, port: await freePort(), password, programs: await findPostgres() },
      options,
    );
    process.once('exit', server.#onExit);
    try {
      await server.#prepare(options);
      await server.begin();
      return server;
    } catch (cause) {
      await server.end();
      throw cause;
    }
  }

  get #data(): string {
    return join(this.folder, 'data');
  }

  /** What the server has written down. */
  get log(): string {
    return this.#log;
  }

  async #prepare(options: PostgresServerOptions): Promise<void> {
    if (options.copyOf === undefined) await this.#make();
    else {
      cpSync(options.copyOf.#data, this.#data, { recursive: true });
      chmodSync(this.#data, 0o700);
    }
    rmSync(join(this.#data, 'postmaster.pid'), { force: true });
    if (options.isStandby === true) writeFileSync(join(this.#data, 'standby.signal'), '');
    this.#configure(options);
    giveAway(this.folder);
  }

  async #make(): Promise<void> {
    const passwordFile = join(this.folder, 'password');
    writeFileSync(passwordFile, this.password);
    giveAway(this.folder);
    const args = ['-D', this.#data, '-U', this.user, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
    await run(this.#programs.initdb, [...args, '--locale=C', '--encoding=UTF8', '--no-sync'], asNobody(this.folder));
  }

  #configure({ settings = [], tls = false }: PostgresServerOptions): void {
    const lines = [`port = ${this.port}`, `listen_addresses = '${this.host}'`, `unix_socket_directories = ''`];
    if (this.host !== '127.0.0.1') appendFileSync(join(this.#data, 'pg_hba.conf'), 'host all all all scram-sha-256\n');
    if (tls) {
      writeFileSync(join(this.#data, 'server.crt'), LOOPBACK_CERTIFICATE.cert, { mode: 0o600 });
      writeFileSync(join(this.#data, 'server.key'), LOOPBACK_CERTIFICATE.key, { mode: 0o600 });
      lines.push('ssl = on');
    }
    // Its own log on the standard error, short sign-ins, and memory for one test.
    lines.push('log_min_messages = warning', 'scram_iterations = 64', 'shared_buffers = 16MB', 'max_connections = 60');
    const file = join(this.#data, 'postgresql.auto.conf');
    writeFileSync(file, `${[...lines, ...settings].join('\n')}\n`);
  }

  /** Starts it again in the same folder; resolves when it takes questions. */
  async begin(): Promise<void> {
    const until = performance.now() + LIMIT_MS;
    let child = this.#spawn();
    while (performance.now() < until) {
      if (child.exitCode !== null) {
        // The last processes of a server that was killed may be a moment behind it.
        if (!this.#log.slice(-1_000).includes(STILL_ENDING)) throw new Error(`PostgreSQL did not begin.\n${this.#log}`);
        child = this.#spawn();
      }
      if (await this.#answers()) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`PostgreSQL gave no answer.\n${this.#log}`);
  }

  #spawn(): ChildProcess {
    const plain = asNobody(this.folder);
    const program = [this.#programs.postgres, '-D', this.#data];
    const { machine, environment } = this.#options;
    const env = { ...plain.env, ...environment };
    const [command = '', ...args] = machine === undefined ? program : [...machine.within, ...DROP_RIGHTS, ...program];
    const options = machine === undefined ? plain : { cwd: this.folder };
    const child = spawn(command, args, { ...options, env, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr?.on('data', (text: Buffer) => (this.#log += text.toString()));
    this.#process = child;
    return child;
  }

  async #answers(): Promise<boolean> {
    try {
      await this.query('SELECT 1');
      return true;
    } catch {
      return false;
    }
  }

  /** A connection of the administrator, to be ended by the caller. */
  async connect(database = 'postgres'): Promise<Client> {
    const { host, port, user, password } = this;
    const client = new Client({ host, port, user, password, database, connectionTimeoutMillis: LIMIT_MS });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  /** One question of the administrator; the rows of its last statement. */
  async query(sql: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = await this.connect(database);
    try {
      const results = [await client.query<Record<string, unknown>>(sql)].flat();
      return results.at(-1)?.rows ?? [];
    } finally {
      await client.end();
    }
  }

  /** An empty database; its name. */
  async createDatabase(): Promise<string> {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    await this.query(`CREATE DATABASE ${name}`);
    return name;
  }

  /** Stops every one of its processes in its tracks; connections stay open, and nothing answers. Not on Windows. */
  async freeze(): Promise<void> {
    await this.#signalAll('SIGSTOP');
  }

  async thaw(): Promise<void> {
    await this.#signalAll('SIGCONT');
  }

  /** Ends it as a power cut ends it for its clients: without a word and with all of its processes. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    await this.#signalAll('SIGKILL');
    await exited;
  }

  /** Ends its connections in an orderly way, and then itself. */
  async stop(): Promise<void> {
    const child = this.#process;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGINT');
    await exited;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.begin();
  }

  /** Whatever state it is in. */
  async end(): Promise<void> {
    await this.kill();
    process.off('exit', this.#onExit);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Stops the server first, so that it makes no more of them; each connection is a process with a group of its own. */
  async #signalAll(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<void> {
    const main = this.#process?.pid;
    if (main === undefined) return;
    if (process.platform !== 'win32') signal(main, 'SIGSTOP');
    for (const pid of [...(await childrenOf(main)), main]) signal(pid, name);
  }
}

/** Its direct children; the server has no others. */
async function childrenOf(parent: number): Promise<number[]> {
  if (process.platform === 'win32') return [];
  if (process.platform === 'linux') {
    // Slim systems have no `ps`.
    const list = join('/proc', String(parent), 'task', String(parent), 'children');
    if (existsSync(list)) return readFileSync(list, 'utf8').split(' ').filter(Boolean).map(Number);
  }
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/u).map(Number));
  return pairs.filter(([, above]) => above === parent).flatMap(([pid]) => pid ?? []);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
