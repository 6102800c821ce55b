import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';

/** Writes 4 KiB and brings them to the disk: what the machine itself costs at this moment. */
export function createFlushProbe(folder: string): { probe(): void; close(): void } {
  const opened = openSync(join(folder, 'probe'), 'w');
  const page = new Uint8Array(4_096).fill(7);
  return {
    probe() {
      writeSync(opened, page, 0, page.length, 0);
      fdatasyncSync(opened);
    },
    close: () => closeSync(opened),
  };
}

/** The least that any durable effect costs on this database: two reads and two flushed commits, nothing decided. */
export interface RawCeiling {
  /** One effect on its own. */
  one(): void;
  /** So many effects that share both commits. */
  group(size: number): void;
  close(): void;
}

/** Opens it on a file of its own, with the durability that Fencepost's own record has. */
export function createRawCeiling(folder: string): RawCeiling {
  const db = new BetterSqlite(join(folder, 'raw.sqlite'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(`
    CREATE TABLE oracle (effect TEXT PRIMARY KEY, op TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE register (agent TEXT PRIMARY KEY, epoch INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE intents (seq INTEGER PRIMARY KEY, effect TEXT NOT NULL, body TEXT NOT NULL) STRICT;
    INSERT INTO register VALUES ('agent', 1);
  `);
  const readOracle = db.prepare('SELECT op FROM oracle WHERE effect = ?');
  const readEpoch = db.prepare(`SELECT epoch FROM register WHERE agent = 'agent'`);
  const intend = db.prepare('INSERT INTO intents (effect, body) VALUES (?, ?)');
  const settle = db.prepare('INSERT INTO oracle (effect, op) VALUES (?, ?)');
  const body = 'x'.repeat(300);
  let last = 0;
  const intendAll = db.transaction((effects: readonly string[]) => {
    for (const effect of effects) {
      if (readOracle.get(effect) !== undefined || readEpoch.get() === undefined)
        throw new Error('Not as it was set up.');
      intend.run(effect, body);
    }
  });
  const settleAll = db.transaction((effects: readonly string[]) => {
    for (const effect of effects) settle.run(effect, 'op');
  });
  const group = (size: number): void => {
    const effects = Array.from({ length: size }, () => `run#${String((last += 1)).padStart(12, '0')}`);
    intendAll.immediate(effects);
    settleAll.immediate(effects);
  };
  return { one: () => group(1), group, close: () => db.close() };
}
