import { randomUUID } from 'node:crypto';
import type { Database, Statement } from 'better-sqlite3';
import type { AgentId } from '../../../shared/contract/identifiers.ts';
import { isBefore } from '../../../shared/core/lease/clock.ts';
import type { CoordinatorIdentity, RegisterView } from '../../../shared/core/lease/lease.ts';
import { applyVerb } from '../../../shared/core/lease/register.ts';
import type { RegisterRecord, RegisterStep, RegisterVerb } from '../../../shared/core/lease/register.ts';
import type { HostClock } from '../../host/clock.ts';
import type { RegisterAnswer } from '../lease-coordinator.ts';

/** The register's tables. Rows are never deleted, and an epoch never goes down: triggers see to it. */
export const REGISTER_SCHEMA = `
CREATE TABLE register_identity (
  only           INTEGER PRIMARY KEY CHECK (only = 1),
  coordinator_id TEXT NOT NULL,
  incarnation    TEXT NOT NULL
) STRICT;
CREATE TABLE register (
  agent_id        TEXT PRIMARY KEY,
  epoch           INTEGER NOT NULL,
  record          TEXT NOT NULL,
  boot_id         TEXT NOT NULL,
  renewed_boot_ms REAL NOT NULL,
  expires_boot_ms REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER register_is_kept BEFORE DELETE ON register BEGIN
  SELECT RAISE(ABORT, 'a register row is never deleted');
END;
CREATE TRIGGER register_epoch_rises BEFORE UPDATE ON register WHEN new.epoch < old.epoch BEGIN
  SELECT RAISE(ABORT, 'an epoch never goes down');
END;
`;

interface Row {
  readonly epoch: number;
  readonly record: string;
  readonly boot_id: string;
  readonly renewed_boot_ms: number;
  readonly expires_boot_ms: number;
}

/** The register over an open database. Every method is to be called inside the caller's transaction. */
export class SqliteRegister {
  readonly identity: CoordinatorIdentity;
  readonly #clock: HostClock;
  readonly #find: Statement<unknown[]>;
  readonly #save: Statement<unknown[]>;

  constructor(db: Database, clock: HostClock) {
    this.#clock = clock;
    this.#find = db.prepare<unknown[]>('SELECT epoch, record, boot_id, renewed_boot_ms, expires_boot_ms FROM register WHERE agent_id = ?');
    this.#save = db.prepare<unknown[]>(
      `INSERT INTO register (agent_id, epoch, record, boot_id, renewed_boot_ms, expires_boot_ms) VALUES (?,?,?,?,?,?)
       ON CONFLICT (agent_id) DO UPDATE SET epoch = excluded.epoch, record = excluded.record, boot_id = excluded.boot_id,
         renewed_boot_ms = excluded.renewed_boot_ms, expires_boot_ms = excluded.expires_boot_ms`,
    );
    this.identity = ensureIdentity(db);
  }

  /** Decides one verb and keeps what it decided. */
  ask(agentId: AgentId, verb: RegisterVerb): RegisterAnswer {
    const row = this.#row(agentId);
    const record = row === null ? null : parseRecord(row);
    const step = applyVerb(record, verb, row !== null && this.#isLive(row));
    if (step.record !== record || step.leaseClock !== 'keep') this.#keep(agentId, row, step);
    return { reply: step.reply, view: this.current(agentId) };
  }

  /** What the register holds for an agent. */
  current(agentId: AgentId): RegisterView {
    const row = this.#row(agentId);
    if (row === null) {
      return { coordinator: this.identity, lease: null, epoch: 0, remainingMs: 0, tail: [], frontier: {} };
    }
    const { epoch, holder, nonce, ttlMs, tail, frontier } = parseRecord(row);
    const lease = holder === null || nonce === null ? null : { agentId, holder, epoch, nonce, ttlMs };
    const remainingMs = lease !== null && this.#isLive(row) ? row.expires_boot_ms - this.#clock.instant().bootMs : 0;
    return { coordinator: this.identity, lease, epoch, remainingMs, tail, frontier };
  }

  #row(agentId: AgentId): Row | null {
    return (this.#find.get(agentId) as Row | undefined) ?? null;
  }

  /** After a reboot every earlier holder is gone. Where the boot has no name, a clock that went back says the same. */
  #isLive(row: Row): boolean {
    const now = this.#clock.instant();
    if (now.bootMs < row.renewed_boot_ms) return false;
    return isBefore(now, { bootId: row.boot_id, bootMs: row.expires_boot_ms });
  }

  #keep(agentId: AgentId, row: Row | null, step: RegisterStep): void {
    const now = this.#clock.instant();
    const { record, leaseClock } = step;
    const isKept = leaseClock === 'keep' && row !== null;
    const bootId = isKept ? row.boot_id : now.bootId;
    const renewedMs = isKept ? row.renewed_boot_ms : now.bootMs;
    const expiresMs = isKept ? row.expires_boot_ms : now.bootMs + (leaseClock === 'restart' ? record.ttlMs : 0);
    this.#save.run(agentId, record.epoch, JSON.stringify(record), bootId, renewedMs, expiresMs);
  }
}

/** A row that does not read back is not trusted in part: nothing is decided on it. */
function parseRecord(row: Row): RegisterRecord {
  const record = JSON.parse(row.record) as RegisterRecord;
  const isSound = record.epoch === row.epoch && Number.isSafeInteger(record.epoch) && Array.isArray(record.tail);
  if (!isSound) throw new Error('A row of the register does not read back as it was written.');
  return record;
}

function ensureIdentity(db: Database): CoordinatorIdentity {
  db.prepare('INSERT OR IGNORE INTO register_identity (only, coordinator_id, incarnation) VALUES (1, ?, ?)').run(randomUUID(), randomUUID());
  const row = db.prepare('SELECT coordinator_id, incarnation FROM register_identity').get() as { coordinator_id: string; incarnation: string };
  return { coordinatorId: row.coordinator_id, incarnation: row.incarnation };
}
