import type { AgentId } from '../../../shared/contract/identifiers.ts';
import { judgeCondensing } from '../../../shared/core/sync/condensing.ts';
import type { FamilyFacts } from '../../../shared/core/sync/condensing.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import type { Frontier } from '../../../shared/core/sync/sealed.ts';
import { findCompacted, noteCompacted, NOT_COMPACTED } from '../compacted-runs.ts';
import { change, readAll, readOne } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { foldedUpTo } from '../foreign-journals.ts';
import { noteCut } from '../journal-cuts.ts';
import { FOLD_ORDER } from '../journal-rows.ts';
import type { OpRow } from '../journal-rows.ts';
import { familyOf } from '../projections/reproject.ts';

/** The end of a run that something is to follow: those of an agent (`null`: of any) behind a place in this record. */
export interface AwaitedEnds {
  readonly agentId: string | null;
  readonly afterSeq: number;
}

/** Where a look at ended runs stands. */
export interface CondensingPlace {
  readonly endedAtMs: number;
  readonly runNumber: number;
}

export interface CondensingRequest {
  /** Up to where every journal may be touched. */
  readonly cut: Frontier;
  readonly nowMs: number;
  readonly retentionMs: number;
  readonly awaited: readonly AwaitedEnds[];
  /** Agents of which every device that ever held them takes part in this record; `null`: all of them are. */
  readonly agentIds: ReadonlySet<string> | null;
  readonly after: CondensingPlace;
  /** How many runs are looked at in this write. */
  readonly limit: number;
}

/** What one look came to; `next` is `null` where no run is left to look at. */
export interface Condensed {
  readonly runs: number;
  readonly entries: number;
  readonly next: CondensingPlace | null;
}

interface Candidate {
  readonly run_id: string;
  readonly agent_id: string;
  readonly run_number: number;
  readonly ended_at_ms: number;
}

export const FIRST_PLACE: CondensingPlace = { endedAtMs: -1, runNumber: 0 };

/**
 * Drops the single entries of runs that ended long ago and that everybody has, inside a write of the store. What is projected
 * of them stays, the oracle with it, and so do the starts of runs, which belong to their agent.
 */
export function condenseRuns(connection: Connection, request: CondensingRequest): Condensed {
  const { db } = connection;
  const { after, limit, nowMs, retentionMs } = request;
  const candidates = readAll<Candidate>(
    db,
    `SELECT run_id, agent_id, run_number, ended_at_ms FROM runs WHERE ended_at_ms IS NOT NULL AND parent_run_id IS NULL
       AND ended_at_ms <= ? AND (ended_at_ms, run_number) > (?,?) ORDER BY ended_at_ms, run_number LIMIT ?`,
    nowMs - retentionMs,
    after.endedAtMs,
    after.runNumber,
    limit,
  );
  let runs = 0;
  let entries = 0;
  for (const candidate of candidates) {
    if (isDone(db, candidate.run_id)) continue;
    const family = familyOf(db, candidate.run_id);
    const facts = factsOf(connection, { candidate, family, request });
    if (judgeCondensing(facts, { nowMs, retentionMs }).kind !== 'condense') continue;
    entries += condense(connection, { root: candidate.run_id, family, nowMs });
    runs += 1;
  }
  const last = candidates.length < limit ? undefined : candidates.at(-1);
  return {
    runs,
    entries,
    next: last === undefined ? null : { endedAtMs: last.ended_at_ms, runNumber: last.run_number },
  };
}

/** Agents of which a run ended long enough ago, whether or not it was condensed. */
export function agentsToCondense({ db }: Connection, endedByMs: number): readonly AgentId[] {
  const sql = 'SELECT DISTINCT agent_id FROM runs WHERE ended_at_ms <= ? AND parent_run_id IS NULL';
  return readAll<{ agent_id: AgentId }>(db, sql, endedByMs).map((row) => row.agent_id);
}

/** Whether it was condensed, and nothing came behind that. */
function isDone(db: Connection['db'], runId: string): boolean {
  const sql = `SELECT 1 FROM compacted_runs AS compacted WHERE run_id = ?
    AND NOT EXISTS (SELECT 1 FROM compacted_bases AS base WHERE base.root_run_id = compacted.root_run_id)`;
  return readOne(db, sql, runId) !== null;
}

function factsOf(
  { db }: Connection,
  of: { readonly candidate: Candidate; readonly family: readonly string[]; readonly request: CondensingRequest },
): FamilyFacts {
  const { candidate, family, request } = of;
  const ids = JSON.stringify(family);
  const within = 'run_id IN (SELECT value FROM json_each(@ids))';
  const count = (sql: string, more: object = {}): number =>
    readOne<{ count: number }>(db, `SELECT count(*) AS count FROM ${sql}`, { ids, ...more })?.count ?? 0;
  const ended = readOne<{ count: number; atMs: number | null }>(
    db,
    `SELECT count(*) AS count, max(ended_at_ms) AS atMs FROM runs WHERE ${within} AND ending IS NOT NULL`,
    { ids },
  );
  const endSeq = readOne<{ seq: number | null }>(
    db,
    `SELECT max(seq) AS seq FROM ops WHERE run_id = ? AND kind = 'run.ended'`,
    candidate.run_id,
  );
  return {
    openRuns: family.length - (ended?.count ?? 0),
    openAttempts: count(`attempts WHERE ${within} AND progress <> 'settled'`),
    openQuestions: count(`approvals WHERE ${within} AND state = 'open'`),
    isStale: count(`stale_groups WHERE kind = 'run' AND id IN (SELECT value FROM json_each(@ids))`) > 0,
    isAwaited: request.awaited.some(
      ({ agentId, afterSeq }) => (agentId === null || agentId === candidate.agent_id) && (endSeq?.seq ?? 0) > afterSeq,
    ),
    evidenceCount:
      count(`attempts WHERE ${within} AND evidence IS NOT NULL`) +
      count(`(SELECT 1 FROM attempts WHERE ${within} AND started_at_ms IS NOT NULL GROUP BY run_id, effect_key
        HAVING count(DISTINCT json_extract(owner, '$.deviceId')) > 1)`),
    entriesAboveCut: count(
      `ops WHERE ${within} AND journal_seq > coalesce((SELECT value FROM json_each(@cut) WHERE key = device_id), 0)`,
      { cut: JSON.stringify(request.cut) },
    ),
    isHeldOutside: request.agentIds?.has(candidate.agent_id) === false,
    endedAtMs: ended?.atMs ?? Number.NaN,
  };
}

/** Answers how many entries were dropped. */
function condense(
  { db, journal }: Connection,
  of: { readonly root: string; readonly family: readonly string[]; readonly nowMs: number },
): number {
  const { root, family, nowMs } = of;
  const rows = readAll<OpRow>(
    db,
    `SELECT * FROM ops WHERE run_id IN (SELECT value FROM json_each(?)) AND ${NOT_COMPACTED} ORDER BY ${FOLD_ORDER}`,
    JSON.stringify(family),
  );
  const last = rows.at(-1);
  if (last === undefined) return 0;
  const heads = { ...foldedUpTo(db), [journal.deviceId]: journal.head.journalSeq };
  // A journal goes on from its newest entry, so that one stays; a start belongs to its agent as well.
  const gone = rows.filter((row) => row.kind !== 'trigger.fired' && row.journal_seq < knownUpTo(heads, row.device_id));
  const { epoch, wall_ms, counter, op_id } = last;
  const before = JSON.parse(findCompacted(db, root)?.devices ?? '[]') as string[];
  const devices = JSON.stringify([...new Set([...before, ...rows.map((row) => row.device_id)])].toSorted());
  for (const runId of family) {
    const entries = gone.filter((row) => row.run_id === runId).length;
    const place = { epoch, wall_ms, counter, op_id };
    noteCompacted(db, { run_id: runId, root_run_id: root, ...place, at_ms: nowMs, entries, devices });
  }
  // Also of those that stay: what is known of the run is known up to all of them.
  for (const row of rows) noteCut(db, { deviceId: row.device_id, seq: row.journal_seq, opId: row.op_id });
  for (const row of gone) {
    change(db, 'DELETE FROM ops WHERE seq = ?', row.seq);
    // The newest one stays: it says up to where a journal was signed.
    change(
      db,
      `DELETE FROM signatures WHERE device_id = @deviceId AND journal_seq = @seq AND EXISTS
         (SELECT 1 FROM signatures AS later WHERE later.device_id = @deviceId AND later.journal_seq > @seq)`,
      { deviceId: row.device_id, seq: row.journal_seq },
    );
  }
  return gone.length;
}
