import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { needAnswer } from './etcd-client.ts';
import type { EtcdClient } from './etcd-client.ts';
import { grantSchema, keepAliveSchema, revokeSchema, timeToLiveSchema, txnSchema } from './etcd-wire.ts';
import type { Txn, TxnAnswer } from './etcd-wire.ts';

/** Which etcd a device has seen, and how far it had come. Kept by the device, so that a restore is noticed over its restarts too. */
export interface EtcdMark {
  readonly clusterId: string;
  readonly revision: number;
}

/** How long a lease that nobody uses may take to be given back, ms. */
const REVOKE_LIMIT_MS = 2_000;

/** A keepalive that was answered. */
interface KeptAlive {
  /** Seconds; 0: there is no such lease, says whoever answered. */
  readonly ttl: number;
  /** The term of the member that answered, from before it did. */
  readonly term: string;
}

/** The calls of the register, with a watch on whether etcd has gone back. Once it has, nothing is asked of it any more. */
export class EtcdLink {
  readonly #client: EtcdClient;
  readonly #onSeen: (mark: EtcdMark) => void;
  #mark: EtcdMark | null;
  #wentBack: Problem | null = null;
  #isClosed = false;

  constructor(client: EtcdClient, mark: EtcdMark | null, onSeen: (mark: EtcdMark) => void) {
    this.#client = client;
    this.#mark = mark;
    this.#onSeen = onSeen;
  }

  /**
   * One transaction. It has to hold an operation in the branch that is taken: etcd answers a transaction of conditions alone
   * from one member, which may have been cut off, and may be wrong.
   * @returns a problem when nobody knows what became of it.
   */
  async txn(txn: Txn, of: { readonly untilMs: number; readonly isRead: boolean }): Promise<Result<TxnAnswer, Problem>> {
    if (txn.success.length === 0 || (txn.compare.length > 0 && txn.failure.length === 0)) {
      throw new TypeError('A transaction without an operation may be answered by a member that was cut off.');
    }
    // What was seen before it was sent: answers that overtake each other are no step back.
    const before = this.#mark;
    if (this.#wentBack !== null) return err(this.#wentBack);
    const answer = needAnswer(await this.#client.call('/v3/kv/txn', { body: txn, schema: txnSchema, ...of }));
    if (!answer.ok) return answer;
    const { cluster_id: clusterId, revision } = answer.value.header;
    if (before !== null && before.clusterId !== clusterId) {
      return err(this.wentBack('Another etcd answers at its address.'));
    }
    if (before !== null && revision < before.revision) {
      return err(this.wentBack('etcd holds less than it did before, as after the restore of a backup.'));
    }
    if (this.#mark === null || revision > this.#mark.revision) {
      this.#mark = { clusterId, revision };
      if (!this.#isClosed) this.#onSeen(this.#mark);
    }
    return ok(answer.value);
  }

  /** Makes it final: from now on every question is answered so. `cause` is a whole sentence. */
  wentBack(cause: string): Problem {
    this.#wentBack ??= wentBackInEtcd(cause);
    return this.#wentBack;
  }

  /** A lease of at least this long. Should the answer be lost, etcd drops it by itself after that time. */
  async grant(ttlMs: number, untilMs: number): Promise<Result<string, Problem>> {
    const ttl = Math.ceil(ttlMs / 1_000);
    const body = { TTL: String(ttl) };
    const call = { body, schema: grantSchema, untilMs, isRead: false };
    const granted = needAnswer(await this.#client.call('/v3/lease/grant', call));
    if (granted.ok && granted.value.TTL < ttl) throw new Error('etcd grants a shorter time than it was asked for.');
    return granted.ok ? ok(granted.value.ID) : granted;
  }

  /** Not to be believed alone: a leader that was deposed and does not know it answers as well. */
  async keepAlive(leaseId: string, untilMs: number): Promise<Result<KeptAlive, Problem>> {
    const call = { body: { ID: leaseId }, schema: keepAliveSchema, untilMs, isRead: true };
    const kept = needAnswer(await this.#client.call('/v3/lease/keepalive', call));
    if (!kept.ok) return kept;
    const { TTL: ttl, header } = kept.value.result;
    return ok({ ttl, term: header.raft_term });
  }

  /** Seconds that are left, for display; `null` if nobody says. */
  async timeToLive(leaseId: string, untilMs: number): Promise<number | null> {
    const call = { body: { ID: leaseId }, schema: timeToLiveSchema, untilMs, isRead: true };
    const outcome = await this.#client.call('/v3/lease/timetolive', call);
    return outcome.kind === 'answered' ? Math.max(0, outcome.value.TTL) : null;
  }

  /** Gives a lease back that no key hangs on. Without an answer it runs out by itself, so nobody waits for this. */
  revoke(leaseId: string): void {
    const untilMs = performance.now() + REVOKE_LIMIT_MS;
    const call = { body: { ID: leaseId }, schema: revokeSchema, untilMs, isRead: false };
    void this.#client.call('/v3/lease/revoke', call);
  }

  close(): void {
    this.#isClosed = true;
    this.#client.close();
  }
}

/** `cause` is a whole sentence. */
function wentBackInEtcd(cause: string): Problem {
  return problem(
    'register-went-back',
    `The register that keeps the right to act, in etcd, is not as it was left. ${cause}`,
    'Nothing is sent. Ask whoever runs etcd what happened. If it was restored on purpose, confirm that under Settings.',
  );
}
