import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { laterHybridTime } from '../../../shared/core/sync/hybrid-clock.ts';
import type { HybridTime } from '../../../shared/core/sync/hybrid-clock.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { findCompacted, NOT_COMPACTED, noteCompacted } from '../compacted-runs.ts';
import { change, readAll, readOne, sha256 } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { foldedUpTo, writeJournalHead } from '../foreign-journals.ts';
import { noteCut } from '../journal-cuts.ts';
import { noteGrant } from '../newest-grants.ts';
import { writeRows } from '../run-rows.ts';
import { NO_AGENT, noteStale } from '../stale-names.ts';
import { insertOperation } from '../transactions/fold-operations.ts';
import type { CheckpointLineOf } from './checkpoint-lines.ts';
import type { CheckpointJournal, ReadCheckpoint } from './read-checkpoint.ts';

type Family = CheckpointLineOf<'family'>;

const BEHIND = 'This device has a part of what was condensed, and the entries in between are not there any more.';

/**
 * Takes in the journals of a checkpoint of which nothing is here, inside a write of the store, all of them or none; their
 * groups are projected by `projectStale`. Journals that are here go on from where they are. The error is a sentence: then
 * nothing was changed.
 */
export function takeCheckpoint(
  connection: Connection,
  checkpoint: ReadCheckpoint,
): Result<{ readonly journals: number; readonly entries: number }, string> {
  const { db, journal } = connection;
  const have = { ...foldedUpTo(db), [journal.deviceId]: journal.head.journalSeq };
  const taken = new Map<string, CheckpointJournal>();
  for (const [deviceId, each] of checkpoint.journals) {
    if (deviceId !== journal.deviceId && knownUpTo(have, deviceId) === 0) taken.set(deviceId, each);
    else if (knownUpTo(have, deviceId) < each.cut.seq) return err(BEHIND);
  }
  const families: Family[] = [];
  for (const family of checkpoint.families) {
    const verdict = judgeFamily(connection, family, taken);
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

/** A run that is here was written about by the journals that are here, and one that is not by those that are taken. */
function judgeFamily(
  { db }: Connection,
  { family }: Family,
  taken: ReadonlyMap<string, CheckpointJournal>,
): 'take' | 'pass' | 'conflict' {
  const isKnown = family.some(
    ({ run_id: runId }) =>
      findCompacted(db, runId) !== null ||
      readOne(db, 'SELECT 1 FROM runs WHERE run_id = ?', runId) !== null ||
      readOne(db, 'SELECT 1 FROM ops WHERE run_id = ?', runId) !== null,
  );
  const devices = JSON.parse(family[0]?.devices ?? '[]') as string[];
  const fresh = devices.filter((deviceId) => taken.has(deviceId)).length;
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
