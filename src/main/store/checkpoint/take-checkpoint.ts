import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { CLOCK_AHEAD_LIMIT_MS, laterHybridTime } from '../../../shared/core/sync/hybrid-clock.ts';
import type { HybridTime } from '../../../shared/core/sync/hybrid-clock.ts';
import type { Operation } from '../../../shared/core/sync/operation.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { findCompacted, NOT_COMPACTED, noteCompacted } from '../compacted-runs.ts';
import { change, readAll, readOne, sha256 } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { foldedUpTo, readJournalHead, writeJournalHead } from '../foreign-journals.ts';
import { noteCut } from '../journal-cuts.ts';
import { noteGrant } from '../newest-grants.ts';
import { writeRows } from '../run-rows.ts';
import { NO_AGENT, noteStale } from '../stale-names.ts';
import { insertOperation, isTooLate } from '../transactions/fold-operations.ts';
import type { CheckpointLineOf } from './checkpoint-lines.ts';
import type { CheckpointJournal, ReadCheckpoint } from './read-checkpoint.ts';

type Family = CheckpointLineOf<'family'>;

const OTHER_STORY = 'A journal in it does not continue what is known of it here.';
const BEHIND = 'This device has a part of what was condensed, and the entries in between are not there any more.';

/**
 * Takes in what a checkpoint has of journals that is not here, inside a write of the store, all of it or nothing; the groups
 * are projected by `projectStale`. A journal that is here goes on from where it is. The error is a sentence: then nothing was
 * changed.
 */
export function takeCheckpoint(
  connection: Connection,
  checkpoint: ReadCheckpoint,
): Result<{ readonly journals: number; readonly entries: number }, string> {
  const { db, journal } = connection;
  const have = { ...foldedUpTo(db), [journal.deviceId]: journal.head.journalSeq };
  const taken = new Map<string, CheckpointJournal>();
  const begun = new Set<string>();
  for (const [deviceId, each] of checkpoint.journals) {
    const known = knownUpTo(have, deviceId);
    const isOwn = deviceId === journal.deviceId;
    if (known < each.cut.seq && (isOwn || known > 0)) return err(BEHIND);
    if (isOwn || known >= each.head.seq) continue;
    if (known === 0) begun.add(deviceId);
    const operations = each.operations.filter(({ seq }) => seq > known);
    taken.set(deviceId, { ...each, operations });
    if (known > 0 && !continues(connection, deviceId as DeviceId, operations)) return err(OTHER_STORY);
  }
  const latestMs = journal.nowMs() + CLOCK_AHEAD_LIMIT_MS;
  const all = [...taken.values()].flatMap(({ operations }) => operations);
  if (all.some(({ time }) => time.wallMs > latestMs)) return err('An entry in it is from a day that has not come yet.');
  const families: Family[] = [];
  for (const family of checkpoint.families) {
    const verdict = judgeFamily(connection, family, begun);
    if (verdict === 'conflict') return err(BEHIND);
    if (verdict === 'take') families.push(family);
  }
  const key = [...taken].find(([deviceId, { head }]) => isOtherKey(db, deviceId, head.publicKey));
  if (key !== undefined)
    return err('A journal in it is signed with another key than the one that its device is known by.');
  for (const text of checkpoint.texts)
    change(db, 'INSERT OR IGNORE INTO blobs (digest, body) VALUES (?,?)', sha256(text), text);
  for (const { family, rows } of families) {
    for (const run of family) noteCompacted(db, run);
    writeRows(db, rows);
    for (const run of rows.runs) noteGrant(db, String(run['agent_id']), family[0]?.epoch ?? 0);
  }
  const { entries, seq, time } = takeJournals(connection, taken);
  journal.advance({ seq, time }, { runIds: new Set(), agentIds: new Set() });
  return ok({ journals: taken.size, entries });
}

/** Whether entries of a journal go on from where it is here, and none comes before what was condensed here. */
function continues({ db }: Connection, deviceId: DeviceId, operations: readonly Operation[]): boolean {
  const isNext = operations[0]?.prevHash === readJournalHead(db, deviceId).opId;
  return isNext && !operations.some((operation) => isTooLate(db, operation));
}

/** A run that is here was written about by the journals that are here, and one that is not by those that begin with this. */
function judgeFamily({ db }: Connection, { family }: Family, begun: ReadonlySet<string>): 'take' | 'pass' | 'conflict' {
  const isKnown = family.some(
    ({ run_id: runId }) =>
      findCompacted(db, runId) !== null ||
      readOne(db, 'SELECT 1 FROM runs WHERE run_id = ?', runId) !== null ||
      readOne(db, 'SELECT 1 FROM ops WHERE run_id = ?', runId) !== null,
  );
  const devices = JSON.parse(family[0]?.devices ?? '[]') as string[];
  const fresh = devices.filter((deviceId) => begun.has(deviceId)).length;
  if (isKnown) return fresh === 0 ? 'pass' : 'conflict';
  return fresh === devices.length ? 'take' : 'conflict';
}

function isOtherKey(db: Connection['db'], deviceId: string, publicKey: string): boolean {
  const sql = 'SELECT 1 FROM journal_keys WHERE device_id = ? AND public_key <> ?';
  return readOne(db, sql, deviceId, publicKey) !== null;
}

function takeJournals({ db, journal }: Connection, taken: ReadonlyMap<string, CheckpointJournal>) {
  const first = journal.head.seq + 1;
  let { seq } = journal.head;
  let time: HybridTime = journal.head.time;
  for (const [name, { head, cut, operations }] of taken) {
    const deviceId = name as DeviceId;
    for (const operation of operations) insertOperation({ db }, operation, (seq += 1));
    const headTime = { wallMs: head.wallMs, counter: head.counter };
    writeJournalHead(db, { deviceId, seq: head.seq, opId: head.opId, time: headTime });
    if (cut.seq > 0) noteCut(db, cut);
    change(db, 'INSERT OR IGNORE INTO journal_keys (device_id, public_key) VALUES (?,?)', deviceId, head.publicKey);
    const sql = 'INSERT OR IGNORE INTO signatures (device_id, journal_seq, op_id, signature) VALUES (?,?,?,?)';
    change(db, sql, deviceId, head.seq, head.opId, head.signature);
    time = laterHybridTime(time, headTime);
  }
  noteStaleFrom(db, first);
  return { entries: seq - first + 1, seq, time };
}

/** Notes every group that entries from a place of the record on are about; what is condensed is projected already. */
function noteStaleFrom(db: Connection['db'], first: number): void {
  const ofAgents = `SELECT DISTINCT coalesce(agent_id, '') AS id FROM ops
    WHERE seq >= ? AND (run_id IS NULL OR kind = 'trigger.fired')`;
  for (const { id } of readAll<{ id: string }>(db, ofAgents, first))
    noteStale(db, { kind: 'agent', id: id === '' ? NO_AGENT : id });
  const ofRuns = `SELECT DISTINCT run_id AS id FROM ops WHERE seq >= ? AND run_id IS NOT NULL AND ${NOT_COMPACTED}`;
  for (const { id } of readAll<{ id: string }>(db, ofRuns, first)) noteStale(db, { kind: 'run', id });
}
