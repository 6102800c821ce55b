import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { EtcdCoordinator, EtcdOptions } from '../../src/main/coordinators/etcd/etcd-coordinator.ts';
import { EtcdCluster } from '../harness/etcd-server.ts';
import type { EtcdClusterOptions, EtcdMember } from '../harness/etcd-server.ts';
import { AGENT, ANNA, attemptToken, BEN, effect, TTL_MS } from './coordinator-bench.ts';
import { liveKey, openRegister } from './etcd-bench.ts';
import { EtcdProxy, PASS } from './etcd-proxy.ts';
import type { Fate, Passing } from './etcd-proxy.ts';

export const ANNAS = { verb: 'acquire', deviceId: ANNA, nonce: 'anna-1', ttlMs: TTL_MS } as const;
export const BENS = { verb: 'acquire', deviceId: BEN, nonce: 'ben-1', ttlMs: TTL_MS } as const;
export const BEN_TAKES_OVER = { ...BENS, verb: 'take-over', seenEpoch: 1 } as const;
export const RENEW = { verb: 'renew', deviceId: ANNA, epoch: 1, nonce: 'anna-1' } as const;
export const ANNOUNCE = {
  verb: 'announce',
  deviceId: ANNA,
  epoch: 1,
  entry: { effect: effect('mail'), attemptToken: attemptToken('try-1'), digest: 'digest' },
  permit: null,
} as const;
export const UNREACHABLE = { ok: false, error: { code: 'register-unreachable' } };
export const WENT_BACK = { ok: false, error: { code: 'register-went-back' } };

/** A transaction that writes, unlike one that only looks. */
export const writes = ({ path, body }: Passing): boolean => path === '/v3/kv/txn' && body.includes('request_put');

/** One running etcd for the tests of a `describe`, each of which has a register of its own in it. */
export class EtcdFixture {
  #cluster: EtcdCluster | null = null;
  #proxy: EtcdProxy | null = null;
  #prefixes = 0;
  readonly #registers: EtcdCoordinator[] = [];

  constructor(options: EtcdClusterOptions = {}) {
    beforeAll(async () => {
      this.#cluster = await EtcdCluster.start(options);
      this.#proxy = await EtcdProxy.start(this.member);
    });
    beforeEach(() => {
      this.#prefixes += 1;
      this.proxy.fate = () => PASS;
      this.proxy.seen.length = 0;
    });
    afterEach(async () => {
      await Promise.all(this.#registers.splice(0).map((register) => register.close()));
    });
    afterAll(async () => {
      await this.#proxy?.end();
      await this.#cluster?.end();
    });
  }

  get cluster(): EtcdCluster {
    if (this.#cluster === null) throw new Error('There is no etcd.');
    return this.#cluster;
  }

  get member(): EtcdMember {
    return this.cluster.member(0);
  }

  /** In front of the first member. */
  get proxy(): EtcdProxy {
    if (this.#proxy === null) throw new Error('There is no proxy.');
    return this.#proxy;
  }

  get prefix(): string {
    return `test/${this.#prefixes}/`;
  }

  get live(): string {
    return liveKey(this.prefix, AGENT);
  }

  get rec(): string {
    return this.live.replace(/live$/u, 'rec');
  }

  /** Ends with the test. */
  async open(of: Partial<EtcdOptions> = {}): Promise<EtcdCoordinator> {
    const register = await openRegister({ endpoints: this.cluster.endpoints, prefix: this.prefix, ...of });
    this.#registers.push(register);
    return register;
  }

  /** The first request of a kind has this fate, all others pass. */
  once(which: (request: Passing) => boolean, fate: Fate): void {
    let isOver = false;
    this.proxy.fate = (request) => {
      if (isOver || !which(request)) return PASS;
      isOver = true;
      return fate;
    };
  }
}
