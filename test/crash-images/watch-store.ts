import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { readAll } from '../../src/main/store/connection.ts';
import { Store } from '../../src/main/store/store.ts';
import type { RegisterRecord } from '../../src/shared/core/lease/register.ts';
import type { Mark, RegisterFact } from './acknowledged.ts';

/** Says something into the log of the disk, between the operations before it and those after it. */
export type SayMark = (mark: Mark) => void;

/** Opens the way into the log; outside a watched process it is a file like any other. */
export function openMarks(root: string): SayMark {
  const file = openSync(join(root, '.marks'), 'w');
  return (mark) => void writeSync(file, JSON.stringify(mark));
}

/** Reads every row of a register. */
export function readRegister(db: Database): RegisterFact[] {
  const rows = readAll<{ agent_id: string; record: string; expires_boot_ms: number }>(
    db,
    'SELECT agent_id, record, expires_boot_ms FROM register',
  );
  return rows.map((row) => {
    const { epoch, holder, nonce, tail, frontier } = JSON.parse(row.record) as RegisterRecord;
    return {
      agentId: row.agent_id,
      epoch,
      holder,
      nonce,
      expiresMs: row.expires_boot_ms,
      frontier,
      tail: tail.map(({ effect, attemptToken, status, deviceId, seq }) => ({
        effect,
        attemptToken,
        status,
        deviceId,
        seq,
      })),
    };
  });
}

interface Appended {
  readonly seq: number;
  readonly op_id: string;
  readonly kind: string;
  readonly payload: string;
}

/** A knob of the tests alone: what the connection is set to after the product has set and checked it. */
export type Weakening = 'FULL' | 'NORMAL' | 'OFF';

/**
 * From now on every write through any store says what it wrote, after its promise has resolved and before its caller goes
 * on. So *acknowledged* is exactly what a caller could know, and nothing in between writes to the disk.
 */
export function watchStores(
  sayOf: (file: string) => SayMark,
  knobs: { readonly synchronous?: Weakening; readonly checkpointPages?: number } = {},
): void {
  // The method belongs to the class and is called on each store in turn.
  // oxlint-disable-next-line typescript/unbound-method
  const original = Store.prototype.write;
  const weakened = new WeakSet<Database>();
  const told = new Map<string, string>();
  Store.prototype.write = async function watched(this: Store, job) {
    const db = this.connection()?.db;
    if (db !== undefined && !weakened.has(db)) {
      weakened.add(db);
      if (knobs.synchronous !== undefined) db.pragma(`synchronous = ${knobs.synchronous}`);
      if (knobs.checkpointPages !== undefined) db.pragma(`wal_autocheckpoint = ${knobs.checkpointPages}`);
    }
    let appended: Appended[] = [];
    let rows: RegisterFact[] = [];
    let file = '';
    const result = await original.call(this, (connection) => {
      const before = connection.journal.head.seq;
      file = connection.db.name;
      const value = job(connection);
      appended = readAll(connection.db, 'SELECT seq, op_id, kind, payload FROM ops WHERE seq > ? ORDER BY seq', before);
      rows = readRegister(connection.db);
      return value;
    });
    if (result.ok) {
      const say = sayOf(file);
      for (const each of appended) say(operationMark(each));
      for (const row of rows) {
        const text = JSON.stringify(row);
        if (told.get(`${file} ${row.agentId}`) === text) continue;
        told.set(`${file} ${row.agentId}`, text);
        say({ fact: 'register', row });
      }
    }
    // Whatever the job answered is passed on as it is.
    return result as never;
  };
}

function operationMark({ seq, op_id: opId, kind, payload }: Appended): Mark {
  const { agentId, epoch, idempotencyKey } = JSON.parse(payload) as {
    agentId?: string;
    epoch?: number;
    idempotencyKey?: string;
  };
  const isGrant = kind === 'lease.acquired' && agentId !== undefined && epoch !== undefined;
  const startedId = kind === 'effect.started' ? (idempotencyKey ?? null) : null;
  return { fact: 'operation', seq, opId, kind, grant: isGrant ? { agentId, epoch } : null, startedId };
}
