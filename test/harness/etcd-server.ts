import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { EtcdEndpoint } from '../../src/main/coordinators/etcd/etcd-http.ts';
import { LOOPBACK_CERTIFICATE } from './loopback-certificate.ts';
import { waitUntilStopped } from './until-stopped.ts';

const LOOPBACK = '127.0.0.1';
/** How long a cluster may take to answer, ms. */
const READY_LIMIT_MS = 30_000;

/** Whether the machine has an etcd. Where it has none, its suites are skipped, and one line says so. */
export const hasEtcd = spawnSync('etcd', ['--version']).status === 0;
if (!hasEtcd)
  process.stdout.write('There is no etcd on this machine: the tests of the register in etcd are skipped.\n');

export interface EtcdClusterOptions {
  readonly members?: 1 | 3;
  /** Short ones notice a lost leader soon; the shortest time to live of a lease is one and a half times the second. */
  readonly heartbeatMs?: number;
  readonly electionMs?: number;
  /** Serves TLS with the certificate for `localhost` of the tests, and demands the same one of every client. */
  readonly isMutualTls?: boolean;
  /** Each on a machine of its own. */
  readonly machines?: readonly EtcdMachine[];
}

/** Where clients and the other members find a member, and the command that it is put behind to run there. */
interface EtcdMachine {
  readonly host: string;
  readonly peerHost: string;
  readonly within: readonly string[];
}

/** Real etcd processes with data in a temporary folder, on loopback ports of their own. */
export class EtcdCluster {
  readonly members: readonly EtcdMember[];
  readonly #folder: string;

  private constructor(folder: string, members: readonly EtcdMember[]) {
    this.#folder = folder;
    this.members = members;
  }

  static async start(options: EtcdClusterOptions = {}): Promise<EtcdCluster> {
    const { members: size = 1, machines = [] } = options;
    // In memory where there is such a place: a flush of a busy disk would be most of the time of these tests.
    const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'fencepost-etcd-'));
    const ports = await freePorts(size * 2);
    const peers = Array.from({ length: size }, (_, index) => {
      return `member-${index}=http://${machines[index]?.peerHost ?? LOOPBACK}:${ports[size + index]}`;
    });
    const members = peers.map((_, index) => new EtcdMember({ index, folder, port: ports[index] ?? 0, peers, options }));
    const cluster = new EtcdCluster(folder, members);
    process.once('exit', () => members.forEach((member) => void member.kill()));
    for (const member of members) member.start();
    await cluster.ready();
    return cluster;
  }

  get endpoints(): string[] {
    return this.members.map((member) => member.url);
  }

  member(index: number): EtcdMember {
    const member = this.members[index];
    if (member === undefined) throw new Error(`There is no member ${index}.`);
    return member;
  }

  /** Resolves when every member that runs answers a linearizable read. */
  async ready(): Promise<void> {
    const running = this.members.filter((member) => member.isRunning);
    await Promise.all(running.map((member) => member.ready()));
  }

  async leader(): Promise<EtcdMember> {
    const until = performance.now() + READY_LIMIT_MS;
    while (performance.now() < until) {
      for (const member of this.members.filter((each) => each.isRunning)) {
        const status = (await member.post('/v3/maintenance/status', {})) as StatusAnswer | null;
        if (status !== null && status.leader === status.header.member_id) return member;
      }
      await setTimeout(50);
    }
    throw new Error('etcd has no leader.');
  }

  async end(): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

interface StatusAnswer {
  readonly leader?: string;
  readonly header: { readonly member_id: string };
}

interface MemberOptions {
  readonly index: number;
  readonly folder: string;
  readonly port: number;
  readonly peers: readonly string[];
  readonly options: EtcdClusterOptions;
}

/** One etcd process, and what can befall it. */
export class EtcdMember {
  readonly url: string;
  readonly #of: MemberOptions;
  readonly #data: string;
  #child: ChildProcess | null = null;
  #log = '';
  #token = 'fencepost-test';

  constructor(of: MemberOptions) {
    this.#of = of;
    this.#data = join(of.folder, `member-${of.index}`);
    const host = of.options.machines?.[of.index]?.host ?? LOOPBACK;
    this.url = of.options.isMutualTls === true ? `https://localhost:${of.port}` : `http://${host}:${of.port}`;
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  start(): void {
    if (this.#child !== null) return;
    // Version 3.4 starts on other processors only when it is told to.
    const env = { ...process.env, ...(process.arch !== 'x64' && { ETCD_UNSUPPORTED_ARCH: process.arch }) };
    const within = this.#of.options.machines?.[this.#of.index]?.within ?? [];
    const [command = '', ...args] = [...within, 'etcd', ...this.#arguments()];
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => {
        this.#log = `${this.#log}${text.toString('utf8')}`.slice(-4_000);
      });
    }
    this.#child = child;
  }

  /** Resolves when it answers a linearizable read. */
  async ready(): Promise<void> {
    const until = performance.now() + READY_LIMIT_MS;
    while (performance.now() < until) {
      const read = { success: [{ request_range: { key: 'YQ==' } }] };
      if ((await this.post('/v3/kv/txn', read, 1_000)) !== null) return;
      if (this.#child?.exitCode !== null) throw new Error(`etcd ended: ${this.#log}`);
      await setTimeout(25);
    }
    throw new Error(`etcd does not answer: ${this.#log}`);
  }

  /** Asks it as it is, for a test's own look; `null` when there is no answer or a refusal. */
  async post(path: string, body: object, limitMs = 3_000): Promise<unknown> {
    const { cert, key } = LOOPBACK_CERTIFICATE;
    const endpoint = new EtcdEndpoint(new URL(this.url), { ca: cert, cert, key });
    const outcome = await endpoint.post(path, { body, token: null, limitMs });
    endpoint.close();
    return outcome.kind === 'answered' ? outcome.body : null;
  }

  /** Frozen: its connections stay, and nothing answers. */
  stop(): void {
    this.#child?.kill('SIGSTOP');
    if (this.#child?.pid !== undefined) waitUntilStopped(this.#child.pid);
  }

  wake(): void {
    this.#child?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
    child.kill('SIGKILL');
    await exited;
  }

  /** What an administrator does: copies the data of a member that is not running. */
  saveData(name: string): void {
    cpSync(this.#data, `${this.#data}-${name}`, { recursive: true });
  }

  restoreData(name: string): void {
    rmSync(this.#data, { recursive: true });
    cpSync(`${this.#data}-${name}`, this.#data, { recursive: true });
  }

  /** It begins anew, with nothing in it. Another token makes it another cluster by its id as well. */
  loseData(token?: string): void {
    rmSync(this.#data, { recursive: true });
    if (token !== undefined) this.#token = token;
  }

  #arguments(): string[] {
    const { index, port, peers, options } = this.#of;
    const { heartbeatMs = 50, electionMs = 300, isMutualTls = false } = options;
    const peer = peers[index]?.replace(/^[^=]*=/u, '') ?? '';
    const args = {
      name: `member-${index}`,
      'data-dir': this.#data,
      'listen-client-urls': this.url.replace('localhost', LOOPBACK),
      'advertise-client-urls': this.url,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': peers.join(),
      'initial-cluster-token': this.#token,
      'heartbeat-interval': heartbeatMs,
      'election-timeout': electionMs,
      'log-level': 'error',
      ...(isMutualTls && this.#tlsArguments(port)),
    };
    return Object.entries(args).map(([name, value]) => `--${name}=${value}`);
  }

  #tlsArguments(port: number): Record<string, string> {
    const cert = join(this.#of.folder, `cert-${port}.pem`);
    const key = join(this.#of.folder, `key-${port}.pem`);
    writeFileSync(cert, LOOPBACK_CERTIFICATE.cert);
    writeFileSync(key, LOOPBACK_CERTIFICATE.key);
    return { 'cert-file': cert, 'key-file': key, 'client-cert-auth': 'true', 'trusted-ca-file': cert };
  }
}

/** Ports that are free now, all different. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
