import type { Problem } from '../../../shared/contract/errors.ts';
import type { AgentId } from '../../../shared/contract/identifiers.ts';
import type { RegisterView } from '../../../shared/core/lease/lease.ts';
import { registerView } from '../../../shared/core/lease/register-view.ts';
import { applyVerb } from '../../../shared/core/lease/register.ts';
import type { RegisterRecord, RegisterReply, RegisterStep, RegisterVerb } from '../../../shared/core/lease/register.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { sentenceOf, unreachableProblem } from '../register-problem.ts';
import { agentKeys, decodeMeta, decodeState, encodeEnvelope, metaKey, stateRanges } from './etcd-agent-keys.ts';
import type { AgentKeys, AgentState, Meta } from './etcd-agent-keys.ts';
import { VERB_LIMIT_MS } from './etcd-client.ts';
import type { EtcdLink } from './etcd-link.ts';
import { EtcdQueue } from './etcd-queue.ts';
import type { Answer, Batch } from './etcd-queue.ts';
import { isCreatedAt, isOnLease, isUnchanged, put, remove } from './etcd-wire.ts';
import type { Compare, Operation, TxnAnswer } from './etcd-wire.ts';

/** How often a decision is made anew because somebody else was first. Each time, one of the others got on. */
const DECISION_LIMIT = 64;
/** A lease that waited this long for its use is given back, ms: the time of a grant begins with the grant. */
const SPARE_LIMIT_MS = 300;

const BUSY = 'Others keep changing the same record, or etcd keeps changing its leader.';

/** A verb with its answer and the record behind it. */
interface Decided {
  readonly reply: RegisterReply;
  readonly record: RegisterRecord;
}

/** What a batch comes to. Only the first verb may touch the clock of the lease, and then it is alone. */
interface Plan {
  readonly decided: readonly Decided[];
  readonly record: RegisterRecord;
  readonly leaseClock: RegisterStep['leaseClock'];
  readonly isChanged: boolean;
}

/** A lease of etcd that nothing hangs on yet. */
interface Spare {
  readonly leaseId: string;
  readonly sentMs: number;
}

/** How one try to write ended. `lost`: the keys had changed, so nothing was written for sure. */
type Written =
  | { readonly kind: 'written'; readonly isLive: boolean; readonly leaseId: string | null }
  | { readonly kind: 'lost'; readonly answer: TxnAnswer }
  | { readonly kind: 'problem'; readonly ok: false; readonly error: Problem };

interface Decision {
  readonly keys: AgentKeys;
  readonly untilMs: number;
  spare: Spare | null;
}

/** The register over an open connection: reads, has `applyVerb` decide, and writes if nothing has changed meanwhile. */
export class EtcdRegister {
  readonly #link: EtcdLink;
  readonly #prefix: string;
  readonly #meta: Meta;
  readonly #now: () => number;
  readonly #queue = new EtcdQueue((batch) => this.#decide(batch));
  /** When the lease of an agent runs out, as far as this connection has heard; for display only. */
  readonly #terms = new Map<AgentId, { readonly leaseId: string; readonly untilMs: number }>();

  constructor(link: EtcdLink, of: { readonly prefix: string; readonly meta: Meta; readonly now: () => number }) {
    this.#link = link;
    this.#prefix = of.prefix;
    this.#meta = of.meta;
    this.#now = of.now;
  }

  ask(agentId: AgentId, verb: RegisterVerb): Promise<Answer> {
    return this.#queue.ask(agentId, verb);
  }

  async current(agentId: AgentId): Promise<Result<RegisterView, Problem>> {
    const untilMs = performance.now() + VERB_LIMIT_MS;
    try {
      const read = await this.#read(agentKeys(this.#prefix, agentId), untilMs);
      if (!read.ok) return read;
      const { record, leaseId, isLive } = read.value;
      if (isLive && leaseId !== null && this.#terms.get(agentId)?.leaseId !== leaseId) {
        const left = await this.#link.timeToLive(leaseId, untilMs);
        if (left !== null) this.#terms.set(agentId, { leaseId, untilMs: this.#now() + left * 1_000 });
      }
      return ok(this.#view(agentId, record, isLive ? leaseId : null));
    } catch (cause) {
      return err(unreachableProblem(sentenceOf(cause)));
    }
  }

  async #decide({ agentId, verbs, untilMs }: Batch): Promise<readonly Answer[]> {
    const decision: Decision = { keys: agentKeys(this.#prefix, agentId), untilMs, spare: null };
    let read: Result<AgentState, Problem> = await this.#read(decision.keys, untilMs);
    for (let count = 0; count < DECISION_LIMIT; count += 1) {
      if (!read.ok) {
        const { error } = read;
        return verbs.map(() => err(error));
      }
      const state: AgentState = read.value;
      const plan = planOf(state, verbs);
      const written = await this.#write(state, plan, decision);
      if (written.kind === 'problem') return plan.decided.map(() => err(written.error));
      if (written.kind === 'written') {
        const { leaseId, isLive } = written;
        if (plan.leaseClock === 'restart' && leaseId !== null) {
          this.#terms.set(agentId, { leaseId, untilMs: this.#now() + plan.record.ttlMs });
        }
        this.#giveBack(decision, state.isLive && state.leaseId !== leaseId ? state.leaseId : null);
        return plan.decided.map(({ reply, record }) =>
          ok({ reply, view: this.#view(agentId, record, isLive ? leaseId : null) }),
        );
      }
      read = this.#decode(written.answer);
    }
    this.#giveBack(decision, null);
    return [err(unreachableProblem(BUSY))];
  }

  async #read(keys: AgentKeys, untilMs: number): Promise<Result<AgentState, Problem>> {
    const ranges = stateRanges(keys, metaKey(this.#prefix));
    const answer = await this.#link.txn({ compare: [], success: ranges, failure: [] }, { untilMs, isRead: true });
    return answer.ok ? this.#decode(answer.value) : answer;
  }

  #decode(answer: TxnAnswer): Result<AgentState, Problem> {
    const state = decodeState(answer);
    const meta = state.meta === null ? null : decodeMeta(state.meta.value);
    if (meta === null) return err(this.#link.wentBack('Its name is gone.'));
    const { coordinatorId, incarnation, clusterId } = this.#meta;
    if (meta.coordinatorId !== coordinatorId || meta.clusterId !== clusterId) {
      return err(this.#link.wentBack('It has another name now.'));
    }
    if (meta.incarnation !== incarnation) return err(this.#link.wentBack('Somebody has confirmed a restore of it.'));
    return ok(state);
  }

  async #write(state: AgentState, plan: Plan, decision: Decision): Promise<Written> {
    const { keys, untilMs } = decision;
    const { leaseId, isLive } = state;
    const { record, leaseClock, isChanged } = plan;
    if (leaseClock === 'keep' && !isChanged) return { kind: 'written', isLive, leaseId };
    if (leaseClock === 'restart' && !isChanged && isLive && leaseId !== null) {
      return this.#confirmRenewal(state, leaseId, decision);
    }
    if (leaseClock === 'keep') {
      const success = [put(keys.rec, encodeEnvelope(record, leaseId))];
      return this.#commit(state, { success, untilMs, keys, after: { isLive, leaseId } });
    }
    if (leaseClock === 'end') {
      const success = [put(keys.rec, encodeEnvelope(record, null)), remove(keys.live)];
      return this.#commit(state, { success, untilMs, keys, after: { isLive: false, leaseId: null } });
    }
    return this.#grant(state, record, decision);
  }

  /** A new grant, on a lease of etcd of its own. */
  async #grant(state: AgentState, record: RegisterRecord, decision: Decision): Promise<Written> {
    const { keys, untilMs } = decision;
    // First, so that a wrong record is found before anything is asked for.
    encodeEnvelope(record, null);
    if (decision.spare !== null && performance.now() - decision.spare.sentMs > SPARE_LIMIT_MS) {
      this.#giveBack(decision, null);
    }
    if (decision.spare === null) {
      const sentMs = performance.now();
      const granted = await this.#link.grant(record.ttlMs, untilMs);
      if (!granted.ok) return { kind: 'problem', ...granted };
      decision.spare = { leaseId: granted.value, sentMs };
    }
    const { leaseId } = decision.spare;
    const success = [put(keys.rec, encodeEnvelope(record, leaseId)), put(keys.live, record.nonce ?? '', leaseId)];
    const written = await this.#commit(state, { success, untilMs, keys, after: { isLive: true, leaseId } });
    // Where nobody knows, the keys may yet come to hang on it: then it has to run out by itself.
    if (written.kind !== 'lost') decision.spare = null;
    return written;
  }

  /**
   * The time starts anew with the keepalive, and the transaction proves that it reached the leader: the lease is there, and the
   * term is still the one in which the keepalive was answered. A deposed leader can do the one but not the other.
   */
  async #confirmRenewal(state: AgentState, leaseId: string, { keys, untilMs }: Decision): Promise<Written> {
    const kept = await this.#link.keepAlive(leaseId, untilMs);
    if (!kept.ok) return { kind: 'problem', ...kept };
    const ranges = stateRanges(keys, metaKey(this.#prefix));
    const compare = [...this.#unchanged(state, keys), isOnLease(keys.live, leaseId)];
    const answer = await this.#link.txn({ compare, success: ranges, failure: ranges }, { untilMs, isRead: true });
    if (!answer.ok) return { kind: 'problem', ...answer };
    const { succeeded, header } = answer.value;
    const isConfirmed = succeeded && kept.value.ttl > 0 && header.raft_term === kept.value.term;
    return isConfirmed ? { kind: 'written', isLive: true, leaseId } : { kind: 'lost', answer: answer.value };
  }

  async #commit(
    state: AgentState,
    of: {
      readonly success: readonly Operation[];
      readonly keys: AgentKeys;
      readonly untilMs: number;
      readonly after: { readonly isLive: boolean; readonly leaseId: string | null };
    },
  ): Promise<Written> {
    const { success, keys, untilMs, after } = of;
    const failure = stateRanges(keys, metaKey(this.#prefix));
    const answer = await this.#link.txn(
      { compare: this.#unchanged(state, keys), success, failure },
      { untilMs, isRead: false },
    );
    if (!answer.ok) return { kind: 'problem', ...answer };
    return answer.value.succeeded ? { kind: 'written', ...after } : { kind: 'lost', answer: answer.value };
  }

  #unchanged({ recRevision, liveRevision, meta }: AgentState, { rec, live }: AgentKeys): Compare[] {
    return [
      isUnchanged(rec, recRevision),
      isCreatedAt(live, liveRevision),
      isUnchanged(metaKey(this.#prefix), meta?.modRevision ?? '0'),
    ];
  }

  /** Leases that nothing hangs on any more. */
  #giveBack(decision: Decision, formerLeaseId: string | null): void {
    if (decision.spare !== null) this.#link.revoke(decision.spare.leaseId);
    decision.spare = null;
    if (formerLeaseId !== null) this.#link.revoke(formerLeaseId);
  }

  /** `leaseId` is that of a live lease. What is left is not asked for: the TTL stands in for what was never heard. */
  #view(agentId: AgentId, record: RegisterRecord | null, leaseId: string | null): RegisterView {
    const coordinator = { coordinatorId: this.#meta.coordinatorId, incarnation: this.#meta.incarnation };
    const term = this.#terms.get(agentId);
    const ttlMs = record?.ttlMs ?? 0;
    const leftMs = term !== undefined && term.leaseId === leaseId ? term.untilMs - this.#now() : ttlMs;
    const remainingMs = leaseId === null ? 0 : Math.min(ttlMs, Math.max(1, leftMs));
    return registerView(record, { agentId, coordinator, remainingMs });
  }
}

/** Verbs that leave the lease clock alone are decided one on the other; the first that does not waits for its own turn. */
function planOf({ record: stored, isLive }: AgentState, verbs: readonly RegisterVerb[]): Plan {
  const decided: Decided[] = [];
  let record = stored;
  for (const verb of verbs) {
    const step = applyVerb(record, verb, isLive);
    const { leaseClock, reply } = step;
    if (leaseClock !== 'keep' && decided.length > 0) break;
    decided.push({ reply, record: step.record });
    if (leaseClock !== 'keep') return { decided, record: step.record, leaseClock, isChanged: step.record !== stored };
    // A refusal about an agent that nobody has held yet makes no record of it.
    if (record !== null) ({ record } = step);
  }
  const last = decided.at(-1);
  if (last === undefined) throw new TypeError('There is nothing to decide.');
  return { decided, record: last.record, leaseClock: 'keep', isChanged: record !== stored };
}
