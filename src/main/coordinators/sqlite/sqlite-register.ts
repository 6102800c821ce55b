import { randomUUID } from 'node:crypto';
import type { Database, Statement } from 'better-sqlite3';
import type { AgentId } from '../../../shared/contract/identifiers.ts';
import { CLOCK_DIVERGENCE_MS, isBefore } from '../../../shared/core/lease/clock.ts';
import type { LeaseInstant } from '../../../shared/core/lease/clock.ts';
import type { CoordinatorIdentity, RegisterView } from '../../../shared/core/lease/lease.ts';
import { applyVerb } from '../../../shared/core/lease/register.ts';
import type { RegisterRecord, RegisterVerb } from '../../../shared/core/lease/register.ts';
import { UNKNOWN_BOOT } from '../../host/clock.ts';
import type { HostClock } from '../../host/clock.ts';
import type { RegisterAnswer } from '../lease-coordinator.ts';
import { CorruptRegisterError, decodeRecord, encodeRecord } from '../register-record.ts';

/**
 * The register's tables. Rows are never deleted, and an epoch never goes down. The third trigger is for INSERT OR REPLACE,
 * which takes a row away without asking the first two.
 */
export const REGISTER_SCHEMA = `
CREATE TABLE register_identity (
  only           INTEGER PRIMARY KEY CHECK (only = 1),
  coordinator_id TEXT NOT NULL,
  incarnation    TEXT NOT NULL
) STRICT;
CREATE TRIGGER register_identity_is_kept BEFORE DELETE ON register_identity BEGIN
  SELECT RAISE(ABORT, 'a register keeps its name');
END;
CREATE TRIGGER register_keeps_its_name BEFORE UPDATE OF coordinator_id ON register_identity BEGIN
  SELECT RAISE(ABORT, 'a register keeps its name');
END;
CREATE TABLE register (
  agent_id        TEXT PRIMARY KEY,
  epoch           INTEGER NOT NULL CHECK (epoch >= 0),
  record          TEXT NOT NULL,
  boot_id         TEXT NOT NULL,
  renewed_boot_ms REAL NOT NULL,
  expires_boot_ms REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER register_is_kept BEFORE DELETE ON register BEGIN
  SELECT RAISE(ABORT, 'a register row is never deleted');
END;
CREATE TRIGGER register_epoch_rises BEFORE UPDATE ON register
WHEN new.epoch < old.epoch OR new.agent_id <> old.agent_id BEGIN
  SELECT RAISE(ABORT, 'an epoch never goes down');
END;
CREATE TRIGGER register_is_not_replaced BEFORE INSERT ON register
WHEN EXISTS (SELECT 1 FROM register WHERE agent_id = new.agent_id AND epoch > new.epoch) BEGIN
  SELECT RAISE(ABORT, 'an epoch never goes down');
END;
`;

const FIND = 'SELECT epoch, record, boot_id, renewed_boot_ms, expires_boot_ms FROM register WHERE agent_id = ?';
const SAVE = `
INSERT INTO register (agent_id, epoch, record, boot_id, renewed_boot_ms, expires_boot_ms) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (agent_id) DO UPDATE SET epoch = excluded.epoch, record = excluded.record, boot_id = excluded.boot_id,
  renewed_boot_ms = excluded.renewed_boot_ms, expires_boot_ms = excluded.expires_boot_ms`;

interface Row {
  readonly epoch: number;
  readonly record: string;
  readonly boot_id: string;
  readonly renewed_boot_ms: number;
  readonly expires_boot_ms: number;
}

/** When a lease was last confirmed, and when it runs out. */
interface LeaseTerm {
  readonly bootId: string;
  readonly renewedMs: number;
  readonly expiresMs: number;
}

interface Stored {
  readonly record: RegisterRecord;
  readonly term: LeaseTerm;
}

/** The register over an open database. Every method is to be called inside the caller's transaction. */
export class SqliteRegister {
  readonly identity: CoordinatorIdentity;
  readonly #clock: HostClock;
  readonly #find: Statement;
  readonly #save: Statement;
  /** What the last text of a row was read as. Compared by the text itself, so another process cannot make it wrong. */
  readonly #read = new Map<AgentId, { readonly text: string; readonly record: RegisterRecord }>();

  /** Names the register when it is new, so the first time needs a transaction as well. */
  constructor(db: Database, clock: HostClock) {
    this.#clock = clock;
    this.#find = db.prepare(FIND);
    this.#save = db.prepare(SAVE);
    this.identity = ensureIdentity(db);
  }

  /**
   * Decides one verb and keeps what it decided.
   * @throws CorruptRegisterError when the row does not read back; an error of SQLite otherwise. Both mean: unknown.
   */
  ask(agentId: AgentId, verb: RegisterVerb): RegisterAnswer {
    const now = this.#clock.instant();
    const stored = this.#stored(agentId);
    const step = applyVerb(stored?.record ?? null, verb, stored !== null && isLive(stored.term, now));
    const term = termAfter(stored?.term ?? null, step, now);
    const isChanged = step.leaseClock !== 'keep' || (stored !== null && step.record !== stored.record);
    if (isChanged) this.#keep(agentId, step.record, term);
    return { reply: step.reply, view: this.#view(agentId, { record: step.record, term }, now) };
  }

  /**
   * What the register holds for an agent.
   * @throws CorruptRegisterError when the row does not read back.
   */
  current(agentId: AgentId): RegisterView {
    const stored = this.#stored(agentId);
    if (stored !== null) return this.#view(agentId, stored, this.#clock.instant());
    return { coordinator: this.identity, lease: null, epoch: 0, remainingMs: 0, tail: [], frontier: {} };
  }

  #stored(agentId: AgentId): Stored | null {
    const row = this.#find.get(agentId) as Row | undefined;
    if (row === undefined) return null;
    const term = { bootId: row.boot_id, renewedMs: row.renewed_boot_ms, expiresMs: row.expires_boot_ms };
    const known = this.#read.get(agentId);
    const record = known?.text === row.record ? known.record : decodeRecord(row.record);
    if (record.epoch !== row.epoch) throw new CorruptRegisterError('A row of the register names two epochs.');
    this.#read.set(agentId, { text: row.record, record });
    return { record, term };
  }

  #keep(agentId: AgentId, record: RegisterRecord, term: LeaseTerm): void {
    const text = encodeRecord(record);
    this.#save.run(agentId, record.epoch, text, term.bootId, term.renewedMs, term.expiresMs);
    // What was just checked and written need not be read and checked again. If it is taken back, the text tells.
    this.#read.set(agentId, { text, record });
  }

  #view(agentId: AgentId, { record, term }: Stored, now: LeaseInstant): RegisterView {
    const { epoch, holder, nonce, ttlMs, tail, frontier } = record;
    const lease = holder === null || nonce === null ? null : { agentId, holder, epoch, nonce, ttlMs };
    const remainingMs = lease !== null && isLive(term, now) ? term.expiresMs - now.bootMs : 0;
    return { coordinator: this.identity, lease, epoch, remainingMs, tail, frontier };
  }
}

/**
 * After a restart of the machine every earlier holder is gone. Where the boot has no name, a clock that went back says the
 * same; where it has one, only a clock that went back further than clocks disagree anyway.
 */
function isLive(term: LeaseTerm, now: LeaseInstant): boolean {
  const allowedMs = now.bootId === UNKNOWN_BOOT ? 0 : CLOCK_DIVERGENCE_MS;
  if (now.bootMs < term.renewedMs - allowedMs) return false;
  return isBefore(now, { bootId: term.bootId, bootMs: term.expiresMs });
}

function termAfter(
  term: LeaseTerm | null,
  step: { readonly record: RegisterRecord; readonly leaseClock: 'keep' | 'restart' | 'end' },
  now: LeaseInstant,
): LeaseTerm {
  if (step.leaseClock === 'keep' && term !== null) return term;
  const ttlMs = step.leaseClock === 'restart' ? step.record.ttlMs : 0;
  return { bootId: now.bootId, renewedMs: now.bootMs, expiresMs: now.bootMs + ttlMs };
}

function ensureIdentity(db: Database): CoordinatorIdentity {
  const find = db.prepare('SELECT coordinator_id, incarnation FROM register_identity');
  let row = find.get() as { coordinator_id: string; incarnation: string } | undefined;
  if (row === undefined) {
    row = { coordinator_id: randomUUID(), incarnation: randomUUID() };
    const name = db.prepare('INSERT INTO register_identity (only, coordinator_id, incarnation) VALUES (1, ?, ?)');
    name.run(row.coordinator_id, row.incarnation);
  }
  return { coordinatorId: row.coordinator_id, incarnation: row.incarnation };
}
