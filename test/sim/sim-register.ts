import BetterSqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { bootTerms } from '../../src/main/coordinators/sqlite/lease-terms.ts';
import { REGISTER_SCHEMA, SqliteRegister } from '../../src/main/coordinators/sqlite/sqlite-register.ts';
import { prepared } from '../../src/main/store/connection.ts';
import type { RegisterAnswer } from '../../src/main/coordinators/lease-coordinator.ts';
import type { AgentId, AttemptToken } from '../../src/shared/contract/identifiers.ts';
import type { RegisterView } from '../../src/shared/core/lease/lease.ts';
import type { RegisterVerb } from '../../src/shared/core/lease/register.ts';
import type { MachineClock } from './machine-clock.ts';
import { RegisterHistory } from './register-history.ts';
import type { Random } from '../harness/random.ts';
import { effectIdOf } from './effect-id.ts';
import { Forgotten } from './forgotten.ts';

/** What the register allowed last for an attempt. */
export interface Allowed {
  readonly epoch: number;
  readonly atMs: number;
}

/** What adding and taking away a moment may cost, ms. */
const ROUNDING_MS = 1;

/** Told about what the register decides, for the invariants about epochs. */
export interface RegisterWatch {
  granted(agentId: AgentId, grant: { epoch: number; nonce: string; isReplay: boolean; holdOff: boolean }): void;
  /** `register`: epochs of one agent are counted in each by itself, and a grant is above all of them. */
  epochIs(agentId: AgentId, epoch: number, register: string): void;
  revived(agentId: AgentId, epoch: number): void;
}

/** The real register over a real SQLite database, on a machine of its own that can stop and be put back. */
export class RegisterNode {
  isUp = true;
  readonly name: string;
  /** Agents that it took in from another register. */
  adopted = 0;
  /** How often it gave the right to act. */
  grants = 0;
  /** Entries of tails that were dropped because a relay had them. */
  pruned = 0;
  /** Until when each lease was told to last, by this machine's clock. */
  readonly #terms = new Map<AgentId, { bootId: string; untilMs: number; epoch: number }>();
  readonly announced = new Map<AttemptToken, Allowed>();
  readonly forgotten = new Forgotten();
  readonly history: RegisterHistory;
  readonly #clock: MachineClock;
  readonly #random: Random;
  readonly #trueMs: () => number;
  readonly #watch: RegisterWatch;
  #db: Database;
  #register: SqliteRegister;
  #copy: { readonly record: Buffer; readonly atMs: number } | null = null;

  constructor(of: { name: string; clock: MachineClock; random: Random; trueMs: () => number; watch: RegisterWatch }) {
    this.name = of.name;
    this.#clock = of.clock;
    this.#random = of.random;
    this.#trueMs = of.trueMs;
    this.#watch = of.watch;
    this.history = new RegisterHistory(of.trueMs);
    this.#db = new BetterSqlite(':memory:');
    this.#db.exec(REGISTER_SCHEMA);
    this.#register = this.#open();
  }

  #open(): SqliteRegister {
    return new SqliteRegister(this.#db, { terms: bootTerms(this.#clock), newId: () => this.#random.id() });
  }

  get identity(): RegisterView['coordinator'] {
    return this.#register.identity;
  }

  /** One verb, in one transaction. */
  ask(agentId: AgentId, verb: RegisterVerb): RegisterAnswer {
    const answer = this.#wholly(() => this.#register.ask(agentId, verb));
    const { reply, view } = answer;
    this.#watch.epochIs(agentId, view.epoch, this.name);
    this.#noteTerm(agentId, answer);
    if (reply.kind === 'adopted' && !reply.isReplay) this.adopted += 1;
    if (reply.kind === 'granted' && !reply.isReplay) this.grants += 1;
    if (reply.kind === 'granted' && verb.verb === 'acquire')
      this.#watch.granted(agentId, { ...reply, nonce: verb.nonce });
    if (reply.kind === 'pruned') this.pruned += reply.dropped;
    if (reply.kind === 'announced' && verb.verb === 'announce') {
      const { attemptToken: token, effect } = verb.entry;
      const atMs = this.#trueMs();
      this.announced.set(token, { epoch: verb.epoch, atMs });
      this.forgotten.announced({ token, effectId: effectIdOf(effect), atMs });
    }
    return answer;
  }

  #noteTerm(agentId: AgentId, { reply, view: { epoch, remainingMs } }: RegisterAnswer): void {
    const { bootId, bootMs } = this.#clock.instant();
    const known = this.#terms.get(agentId);
    const isOver = known?.bootId === bootId && known.epoch === epoch && bootMs > known.untilMs + ROUNDING_MS;
    if (reply.kind === 'renewed' && isOver) this.#watch.revived(agentId, epoch);
    this.#terms.set(agentId, { bootId, untilMs: bootMs + remainingMs, epoch });
  }

  /** One look is one question, and nobody else has this database. */
  current(agentId: AgentId): RegisterView {
    return this.#register.current(agentId);
  }

  #wholly<Value>(act: () => Value): Value {
    prepared(this.#db, 'BEGIN IMMEDIATE').run();
    try {
      const value = act();
      prepared(this.#db, 'COMMIT').run();
      return value;
    } catch (cause) {
      if (this.#db.inTransaction) prepared(this.#db, 'ROLLBACK').run();
      throw cause;
    }
  }

  /** What survives a stop is what was committed, which is everything that was answered. */
  restart(isReboot: boolean): void {
    if (isReboot) {
      this.#clock.reboot();
      this.history.rebooted();
    }
    this.#register = this.#open();
    this.isUp = true;
  }

  /** A backup is taken; `putBack` brings it in again, without anybody being told. */
  takeCopy(): void {
    this.#copy ??= { record: this.#db.serialize(), atMs: this.#trueMs() };
  }

  /** Answers whether there was a copy. The epochs in it are older than what was granted since. */
  putBack(): boolean {
    if (this.#copy === null) return false;
    this.history.putBack();
    this.#db.close();
    this.#db = new BetterSqlite(this.#copy.record);
    this.forgotten.putBackTo(this.#copy.atMs);
    this.#register = this.#open();
    return true;
  }

  epochOf(agentId: AgentId): number {
    return this.current(agentId).epoch;
  }

  close(): void {
    this.#db.close();
  }
}
