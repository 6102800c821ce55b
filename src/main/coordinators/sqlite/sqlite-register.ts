import type { Database, Statement } from 'better-sqlite3';
import type { AgentId } from '../../../shared/contract/identifiers.ts';
import type { LeaseInstant } from '../../../shared/core/lease/clock.ts';
import type { CoordinatorIdentity, RegisterView } from '../../../shared/core/lease/lease.ts';
import { registerView } from '../../../shared/core/lease/register-view.ts';
import { applyVerb } from '../../../shared/core/lease/register.ts';
import type { RegisterRecord, RegisterVerb } from '../../../shared/core/lease/register.ts';
import type { RegisterAnswer } from '../lease-coordinator.ts';
import { CorruptRegisterError, decodeRecord, encodeRecord } from '../register-record.ts';
import type { LeaseTerm, LeaseTerms } from './lease-terms.ts';

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

const SAVE_TERM = 'UPDATE register SET boot_id = ?, renewed_boot_ms = ?, expires_boot_ms = ? WHERE agent_id = ?';

interface Row {
  readonly epoch: number;
  readonly record: string;
  readonly boot_id: string;
  readonly renewed_boot_ms: number;
  readonly expires_boot_ms: number;
}

interface Stored {
  readonly record: RegisterRecord;
  readonly term: LeaseTerm;
}

/** The register over an open database. Every method is to be called inside the caller's transaction. */
export class SqliteRegister {
  readonly identity: CoordinatorIdentity;
  readonly #terms: LeaseTerms;
  readonly #find: Statement;
  readonly #save: Statement;
  readonly #saveTerm: Statement;
  /** What the last text of a row was read as. Compared by the text itself, so another process cannot make it wrong. */
  readonly #read = new Map<AgentId, { readonly text: string; readonly record: RegisterRecord }>();

  /** Names the register when it is new, so the first time needs a transaction as well. */
  constructor(db: Database, { terms, newId }: { readonly terms: LeaseTerms; readonly newId: () => string }) {
    this.#terms = terms;
    this.#find = db.prepare(FIND);
    this.#save = db.prepare(SAVE);
    this.#saveTerm = db.prepare(SAVE_TERM);
    this.identity = ensureIdentity(db, newId);
  }

  /**
   * Decides one verb and keeps what it decided.
   * @throws CorruptRegisterError when the row does not read back; an error of SQLite otherwise. Both mean: unknown.
   */
  ask(agentId: AgentId, verb: RegisterVerb): RegisterAnswer {
    const now = this.#terms.instant();
    const stored = this.#stored(agentId);
    const step = applyVerb(stored?.record ?? null, verb, stored !== null && this.#remainingMs(stored, now) > 0);
    const after = { record: step.record, term: termAfter(stored?.term ?? null, step, now) };
    const term = this.#toldTerm(after, now);
    const isChanged =
      step.leaseClock !== 'keep' || (stored !== null && (step.record !== stored.record || term !== stored.term));
    if (isChanged) this.#keep(agentId, step.record, term);
    return { reply: step.reply, view: this.#view(agentId, { record: step.record, term }, now) };
  }

  /**
   * What the register holds for an agent.
   * @throws CorruptRegisterError when the row does not read back.
   */
  current(agentId: AgentId): RegisterView {
    const now = this.#terms.instant();
    const stored = this.#stored(agentId);
    if (stored === null) return this.#view(agentId, null, now);
    const term = this.#toldTerm(stored, now);
    if (term !== stored.term) this.#keep(agentId, stored.record, term);
    return this.#view(agentId, { record: stored.record, term }, now);
  }

  #remainingMs({ record, term }: Stored, now: LeaseInstant): number {
    return this.#terms.remainingMs(term, { ttlMs: record.ttlMs, now });
  }

  /** The term to keep, now that somebody is told about it. */
  #toldTerm(stored: Stored, now: LeaseInstant): LeaseTerm {
    const { ended } = this.#terms;
    if (ended === null || stored.record.holder === null || stored.term.bootId === ended.bootId) return stored.term;
    return this.#remainingMs(stored, now) > 0 ? stored.term : ended;
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
    // A renewal, by far the most frequent verb, changes nothing but the term: what the row holds was read a moment ago.
    if (this.#read.get(agentId)?.record === record) {
      this.#saveTerm.run(term.bootId, term.renewedMs, term.expiresMs, agentId);
      return;
    }
    const text = encodeRecord(record);
    this.#save.run(agentId, record.epoch, text, term.bootId, term.renewedMs, term.expiresMs);
    // What was just checked and written need not be read and checked again. If it is taken back, the text tells.
    this.#read.set(agentId, { text, record });
  }

  #view(agentId: AgentId, stored: Stored | null, now: LeaseInstant): RegisterView {
    const remainingMs = stored === null ? 0 : this.#remainingMs(stored, now);
    return registerView(stored?.record ?? null, { agentId, coordinator: this.identity, remainingMs });
  }
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

function ensureIdentity(db: Database, newId: () => string): CoordinatorIdentity {
  const find = db.prepare('SELECT coordinator_id, incarnation FROM register_identity');
  let row = find.get() as { coordinator_id: string; incarnation: string } | undefined;
  if (row === undefined) {
    row = { coordinator_id: newId(), incarnation: newId() };
    const name = db.prepare('INSERT INTO register_identity (only, coordinator_id, incarnation) VALUES (1, ?, ?)');
    name.run(row.coordinator_id, row.incarnation);
  }
  return { coordinatorId: row.coordinator_id, incarnation: row.incarnation };
}
