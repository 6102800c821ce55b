import { escapeLiteral } from 'pg';
import type { QueryResult } from 'pg';
import type { AgentId } from '../../../shared/contract/identifiers.ts';
import type { CoordinatorIdentity } from '../../../shared/core/lease/lease.ts';

/**
 * Limits of the server, ms, all below the send window X: how long to wait for a row that another device holds, how long for one
 * statement, and how long a device that fell silent may keep a row from the others.
 */
const LOCK_LIMIT_MS = 1_500;
const STATEMENT_LIMIT_MS = 2_000;
const SILENCE_LIMIT_MS = 1_000;

/** Settings for one transaction alone: a pooler gives the next one to somebody else. */
const BEGIN = [
  'BEGIN ISOLATION LEVEL READ COMMITTED',
  'SET LOCAL synchronous_commit = on',
  `SET LOCAL lock_timeout = ${LOCK_LIMIT_MS}`,
  `SET LOCAL statement_timeout = ${STATEMENT_LIMIT_MS}`,
  `SET LOCAL idle_in_transaction_session_timeout = ${SILENCE_LIMIT_MS}`,
].join('; ');

/** The row of one agent, locked, with the time that was read after the lock was there. */
export interface LockedRow {
  readonly identity: CoordinatorIdentity;
  readonly schemaVersion: number;
  /** False after a failover, a restore or a copy, until a person confirmed it. Then nothing is locked, and the rest is empty. */
  readonly isSameServer: boolean;
  readonly epoch: number;
  readonly record: string | null;
  /** By the server's clock, which never goes back for this agent, microseconds. */
  readonly nowUs: number;
  /** What is left of the lease then, microseconds; 0 when it has run out. */
  readonly leftUs: number;
}

/** First half of a verb: opens the transaction and locks. Nothing of it is kept unless the second half follows. */
export function lockStatements(agentId: AgentId): string {
  return `${BEGIN}; SELECT * FROM fencepost.lock_agent(${literal(agentId)}, false)`;
}

/** A look, whole. */
export function lookStatements(agentId: AgentId): string {
  return `${BEGIN}; SELECT * FROM fencepost.lock_agent(${literal(agentId)}, true); COMMIT`;
}

/** What a verb leaves behind. `record: null`: it changed nothing but the time that was seen. */
export interface Saving {
  readonly nowUs: number;
  readonly record: { readonly epoch: number; readonly text: string } | null;
  /** `null`: the lease clock goes on as it was. 0: it ends. */
  readonly ttlMs: number | null;
}

/** Second half of a verb: writes what was decided, and commits. */
export function saveStatements(agentId: AgentId, { nowUs, record, ttlMs }: Saving): string {
  const changes = [`clock_high_water = ${instant(nowUs)}`];
  if (record !== null) changes.push(`epoch = ${record.epoch}`, `record = ${literal(record.text)}`);
  if (ttlMs !== null) changes.push(`expires_at = ${instant(nowUs + Math.round(ttlMs * 1_000))}`);
  if (record !== null || ttlMs !== null) changes.push('updated_at = clock_timestamp()');
  const where = `agent_id = ${literal(agentId)}`;
  return `UPDATE fencepost.register SET ${changes.join(', ')} WHERE ${where}; COMMIT`;
}

/** A text of the server ends at a zero, which would cut a statement short. */
function literal(text: string): string {
  if (text.includes('\0')) throw new TypeError('A text with a zero in it cannot be kept.');
  return escapeLiteral(text);
}

/** Exact: neither a time zone nor a style of dates has a say in it. */
function instant(us: number): string {
  return `timestamptz 'epoch' + ${us} * interval '1 microsecond'`;
}

type Results = readonly QueryResult<Record<string, unknown>>[];

/** @throws TypeError when the answer does not have the shape of `fencepost.lock_agent` */
export function readLockedRow(results: Results): LockedRow {
  const row = results.find(({ command }) => command === 'SELECT')?.rows[0];
  if (row === undefined) throw new TypeError('The register sent no row.');
  return {
    identity: { coordinatorId: textOf(row, 'coordinator_id'), incarnation: textOf(row, 'incarnation') },
    schemaVersion: countOf(row, 'schema_version'),
    isSameServer: row['is_same_server'] === true,
    epoch: countOf(row, 'epoch'),
    record: row['record'] === null ? null : textOf(row, 'record'),
    nowUs: countOf(row, 'now_us'),
    leftUs: countOf(row, 'left_us'),
  };
}

/** @throws TypeError unless the transaction was committed: PostgreSQL answers the COMMIT of a failed one with ROLLBACK */
export function needCommit(results: Results, savedRows: number): void {
  const saved = results
    .filter(({ command }) => command === 'UPDATE')
    .reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
  if (results.at(-1)?.command !== 'COMMIT' || saved !== savedRows) throw new TypeError('The register kept nothing.');
}

function textOf(row: Record<string, unknown>, column: string): string {
  const value = row[column];
  if (typeof value !== 'string' || value === '') throw new TypeError(`The register sent no ${column}.`);
  return value;
}

/** Numbers of eight bytes arrive as text. */
function countOf(row: Record<string, unknown>, column: string): number {
  const value = row[column];
  const count = typeof value === 'string' && /^\d+$/u.test(value) ? Number(value) : value;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    throw new TypeError(`The register sent no ${column}.`);
  }
  return count;
}
