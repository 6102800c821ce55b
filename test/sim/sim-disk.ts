import { existsSync, rmSync, writeFileSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import type { Database, Statement } from 'better-sqlite3';
import { openDatabase } from '../../src/main/store/database.ts';
import { markForNewIdentity } from '../../src/main/store/identity.ts';
import { problem } from '../../src/shared/contract/errors.ts';
import { err } from '../../src/shared/lib/result.ts';
import type { FaultLog } from './fault-log.ts';
import type { Random } from '../harness/random.ts';
import type { Swarm } from './swarm.ts';

/** What a disk needs from the machine it is in. */
export interface DiskOptions {
  readonly trueMs: () => number;
  readonly random: Random;
  readonly swarm: Swarm;
  readonly faults: FaultLog;
  /** The power goes, or the process is killed, at this moment. */
  readonly crash: () => void;
}

/**
 * What a disk loses that did not mean *written*: the record, or what was written since it began to lie. In the latter case
 * a person sees it and lets the record go on as another device, or nobody does.
 */
type Lie = 'wholly' | 'in-part' | 'unnoticed';

/** How often a record that another program keeps busy is busy at the moment it is asked for. */
const STORM_SHARE = 0.8;

/** What every record begins as: made by the product's own migrations the first time, and a copy of that from then on. */
let newRecord: Uint8Array | null = null;

/**
 * A disk under the real SQLite. What a crash leaves is what was committed. A disk that lied loses everything with it, or
 * what was written since it began to. Cuts inside one write are the matter of the crash images, which see each of them.
 */
export class SimDisk {
  readonly #of: DiskOptions;
  #brokenUntilMs = 0;
  #db: Database | null = null;
  #file = '';
  #lie: Lie | null = null;
  /** What a disk that lies in part really holds. */
  #flushed: Uint8Array | null = null;
  #isBroken = false;
  #busyUntilMs = 0;

  constructor(of: DiskOptions) {
    this.#of = of;
  }

  /** Opens as the product does, and stands between it and every COMMIT. */
  readonly open: typeof openDatabase = (file, options) => {
    if (this.#isBroken || this.#of.trueMs() < this.#brokenUntilMs)
      return err(problem('store-unsure', 'The disk does not answer.'));
    const isNew = options.mustExist !== true && !existsSync(file);
    if (isNew && newRecord !== null) writeFileSync(file, newRecord, { mode: 0o600 });
    const opened = openDatabase(file, options);
    if (opened.ok) {
      this.#file = file;
      this.#db = opened.value;
      if (isNew) newRecord ??= opened.value.serialize();
      // Nobody else opens it, so it need not be locked and let go again for each look, which takes longer than the look.
      opened.value.pragma('locking_mode = EXCLUSIVE');
      // What a crash leaves is decided here, and the machine below does not crash: neither a flush nor a log is of use.
      opened.value.pragma('synchronous = OFF');
      opened.value.pragma('journal_mode = MEMORY');
      this.#standBetween(opened.value);
    }
    return opened;
  };

  #standBetween(db: Database): void {
    const prepare = db.prepare.bind(db);
    const replace = (sql: string, run: (real: Statement) => unknown): Statement => {
      const real = prepare(sql);
      return Object.assign(Object.create(real) as Statement, { run: () => run(real) });
    };
    Object.assign(db, {
      prepare: (sql: string) => {
        if (sql === 'COMMIT') return replace(sql, (real) => this.#commit(real));
        if (sql === 'BEGIN IMMEDIATE') return replace(sql, (real) => this.#begin(real));
        return prepare(sql);
      },
    });
  }

  #begin(real: Statement): unknown {
    this.#failIfBroken();
    if (this.#of.trueMs() < this.#busyUntilMs && this.#of.random.chance(STORM_SHARE)) {
      this.#of.faults.count('busy-storm');
      throw new BetterSqlite.SqliteError('database is locked', 'SQLITE_BUSY');
    }
    if (this.#happens('disk-busy', 0.004)) throw new BetterSqlite.SqliteError('database is locked', 'SQLITE_BUSY');
    return real.run();
  }

  #commit(real: Statement): unknown {
    this.#failIfBroken();
    const { random, crash, trueMs } = this.#of;
    if (this.#happens('disk-full', 0.002)) {
      this.#brokenUntilMs = trueMs() + random.heavyTail(3_000);
      throw new BetterSqlite.SqliteError('database or disk is full', 'SQLITE_FULL');
    }
    if (this.#happens('commit-error', 0.004)) {
      const wasWritten = random.chance(0.5);
      if (wasWritten) real.run();
      if (random.chance(0.3)) this.#brokenUntilMs = trueMs() + random.heavyTail(5_000);
      throw new BetterSqlite.SqliteError('disk I/O error', wasWritten ? 'SQLITE_IOERR_FSYNC' : 'SQLITE_IOERR_WRITE');
    }
    if (this.#happens('crash-at-commit', 0.002)) {
      if (random.chance(0.5)) real.run();
      crash();
      throw new BetterSqlite.SqliteError('the power is gone', 'SQLITE_IOERR');
    }
    return real.run();
  }

  #happens(fault: 'disk-busy' | 'disk-full' | 'commit-error' | 'crash-at-commit', probability: number): boolean {
    const { swarm, faults, random } = this.#of;
    if (faults.isOver || !swarm.faults.has(fault) || !random.chance(probability * swarm.intensity)) return false;
    faults.count(fault);
    return true;
  }

  /** EIO at every write and flush, until it is healed. */
  #failIfBroken(): void {
    if (!this.#isBroken) return;
    this.#of.faults.count('disk-dead');
    throw new BetterSqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_WRITE');
  }

  break(): void {
    this.#isBroken = true;
  }

  /** Another program has the record most of the time. */
  storm(forMs: number): void {
    this.#busyUntilMs = this.#of.trueMs() + forMs;
  }

  /** From now on it says *written* and does not mean it. */
  lie(how: Lie): void {
    const isOpen = this.#db?.open === true;
    if (this.#lie !== null || (how !== 'wholly' && !isOpen)) return;
    this.#lie = how;
    if (how !== 'wholly') this.#flushed = this.#db?.serialize() ?? null;
  }

  /**
   * The process is gone. Answers whether the disk broke its promise. A record that went back must not act under its old
   * name, since it would take what it forgot for never begun; so its person goes on as a new device, with what is left.
   */
  lose(): boolean {
    if (this.#db?.open === true) this.#db.close();
    this.#db = null;
    const [lie, flushed] = [this.#lie, this.#flushed];
    [this.#lie, this.#flushed] = [null, null];
    if (lie === null || this.#file === '') return false;
    for (const end of ['', '-wal', '-shm']) rmSync(`${this.#file}${end}`, { force: true });
    if (flushed === null) return true;
    writeFileSync(this.#file, flushed, { mode: 0o600 });
    if (lie === 'in-part') {
      const db = new BetterSqlite(this.#file);
      markForNewIdentity(db, { reason: 'asked', by: 'Person' });
      db.close();
    }
    return true;
  }

  heal(): void {
    this.#brokenUntilMs = 0;
    this.#busyUntilMs = 0;
    this.#isBroken = false;
  }
}
