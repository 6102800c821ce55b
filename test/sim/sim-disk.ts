import { existsSync, rmSync, writeFileSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import type { Database, Statement } from 'better-sqlite3';
import { openDatabase } from '../../src/main/store/database.ts';
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

/** What every record begins as: made by the product's own migrations the first time, and a copy of that from then on. */
let newRecord: Uint8Array | null = null;

/**
 * A disk under the real SQLite. What a crash leaves is what was committed. A disk that
 * lied loses everything with it. Cuts inside one write are the matter of the crash images, which see each of them.
 */
export class SimDisk {
  readonly #of: DiskOptions;
  #brokenUntilMs = 0;
  #db: Database | null = null;
  #file = '';
  #isLying = false;

  constructor(of: DiskOptions) {
    this.#of = of;
  }

  /** Opens as the product does, and stands between it and every COMMIT. */
  readonly open: typeof openDatabase = (file, options) => {
    if (this.#of.trueMs() < this.#brokenUntilMs) return err(problem('store-unsure', 'The disk does not answer.'));
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
    if (this.#happens('disk-busy', 0.004)) throw new BetterSqlite.SqliteError('database is locked', 'SQLITE_BUSY');
    return real.run();
  }

  #commit(real: Statement): unknown {
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

  /** From now on it says *written* and does not mean it. */
  lie(): void {
    this.#isLying = true;
  }

  /**
   * The process is gone. Answers whether the disk broke its promise. A record that went back must not act under its old
   * name, since it would take what it forgot for never begun; so its person begins again, with a new device.
   */
  lose(): boolean {
    if (this.#db?.open === true) this.#db.close();
    this.#db = null;
    if (!this.#isLying || this.#file === '') return false;
    for (const end of ['', '-wal', '-shm']) rmSync(`${this.#file}${end}`, { force: true });
    this.#isLying = false;
    return true;
  }

  heal(): void {
    this.#brokenUntilMs = 0;
  }
}
