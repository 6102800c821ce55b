import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { CLOCK_AHEAD_LIMIT_MS, laterHybridTime } from '../../../shared/core/sync/hybrid-clock.ts';
import type { HybridTime } from '../../../shared/core/sync/hybrid-clock.ts';
import type { Operation } from '../../../shared/core/sync/operation.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { findCompacted, NOT_COMPACTED, noteCompacted } from '../compacted-runs.ts';
import { change, prepared, readAll, readOne, sha256 } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { foldedUpTo, readJournalHead, writeJournalHead } from '../foreign-journals.ts';
import { noteCut } from '../journal-cuts.ts';
import { noteGrant } from '../newest-grants.ts';
import { writeRows } from '../run-rows.ts';
import { NO_AGENT, noteStale } from '../stale-names.ts';
import { insertOperation, isTooLate } from '../transactions/fold-operations.ts';
import { LineSplitter, readAgain } from './checkpoint-lines.ts';
import type { CheckpointLine, CheckpointLineOf } from './checkpoint-lines.ts';
import { operationOf } from './read-checkpoint.ts';
import type { CheckpointJournal, ReadCheckpoint } from './read-checkpoint.ts';

type Family = CheckpointLineOf<'family'>;

const OTHER_STORY = 'A journal in it does not continue what is known of it here.';
const BEHIND = 'This device has a part of what was condensed, and the entries in between are not there any more.';

/** What of a checkpoint's journal is not here yet. */
interface Wanted {
  readonly journal: CheckpointJournal;
  /** The last entry of it that is here; 0 for none. */
  readonly known: number;
}

interface Taking {
  readonly connection: Connection;
  readonly wanted: ReadonlyMap<string, Wanted>;
  /** No entry may be later, wall ms. */
  readonly latestMs: number;
  /** Of which journals this device had nothing. */
  readonly begun: ReadonlySet<string>;
  /** The journals of which an entry was seen to go on from what is here. */
  readonly continued: Set<string>;
  /** The place in the record that was given last. */
  seq: number;
}

/**
 * Takes in what a checkpoint has of journals that is not here, inside a write of the store, all of it or nothing; the groups
 * are projected by `projectStale`. A journal that is here goes on from where it is. `chunks` are those that `checkpoint` was
 * read from, once more. The error is a sentence: then nothing was changed.
 */
export function takeCheckpoint(
  connection: Connection,
  checkpoint: ReadCheckpoint,
  chunks: Iterable<string>,
): Result<{ readonly journals: number; readonly entries: number }, string> {
  const { db, journal } = connection;
  const have = { ...foldedUpTo(db), [journal.deviceId]: journal.head.journalSeq };
  const wanted = new Map<string, Wanted>();
  for (const [deviceId, each] of checkpoint.journals) {
    const known = knownUpTo(have, deviceId);
    const isOwn = deviceId === journal.deviceId;
    if (known < each.cut.seq && (isOwn || known > 0)) return err(BEHIND);
    if (!isOwn && known < each.head.seq) wanted.set(deviceId, { journal: each, known });
  }
  const key = [...wanted].find(
    ([
      deviceId,
      {
        journal: { head },
      },
    ]) => isOtherKey(db, deviceId, head.publicKey),
  );
  if (key !== undefined)
    return err('A journal in it is signed with another key than the one that its device is known by.');
  const begun = new Set([...wanted].flatMap(([deviceId, { known }]) => (known === 0 ? [deviceId] : [])));
  const latestMs = journal.nowMs() + CLOCK_AHEAD_LIMIT_MS;
  const taking = { connection, wanted, latestMs, begun, continued: new Set<string>(), seq: journal.head.seq };
  // What is seen to be wrong only further down takes back what came before it.
  prepared(db, 'SAVEPOINT checkpoint').run();
  const wrong = takeLines(taking, chunks);
  if (wrong !== null) prepared(db, 'ROLLBACK TO checkpoint').run();
  prepared(db, 'RELEASE checkpoint').run();
  if (wrong !== null) return err(wrong);
  const first = journal.head.seq + 1;
  const time = noteHeads(connection, wanted);
  noteStaleFrom(db, first);
  journal.advance({ seq: taking.seq, time }, { runIds: new Set(), agentIds: new Set() });
  return ok({ journals: wanted.size, entries: taking.seq - first + 1 });
}

/** Puts one line after the other into the record, up to the first that may not be there; what is wrong with that one. */
function takeLines(taking: Taking, chunks: Iterable<string>): string | null {
  const splitter = new LineSplitter();
  for (const chunk of chunks) {
    for (const text of splitter.add(chunk)) {
      const wrong = takeLine(taking, readAgain(text));
      if (wrong !== null) return wrong;
    }
  }
  return null;
}

function takeLine(taking: Taking, each: CheckpointLine): string | null {
  const { db } = taking.connection;
  if (each.kind === 'operation') return takeEntry(taking, operationOf(each.line));
  if (each.kind === 'family') return takeFamily(taking, each.line);
  if (each.kind === 'text') {
    const { text } = each.line;
    change(db, 'INSERT OR IGNORE INTO blobs (digest, body) VALUES (?,?)', sha256(text), text);
  }
  return null;
}

function takeFamily({ connection, begun }: Taking, family: Family): string | null {
  const { db } = connection;
  const verdict = judgeFamily(connection, family, begun);
  if (verdict === 'conflict') return BEHIND;
  if (verdict === 'pass') return null;
  for (const run of family.family) noteCompacted(db, run);
  writeRows(db, family.rows);
  for (const run of family.rows.runs) noteGrant(db, String(run['agent_id']), family.family[0]?.epoch ?? 0);
  return null;
}

function takeEntry(taking: Taking, operation: Operation): string | null {
  const { connection, wanted, latestMs, continued } = taking;
  const { db } = connection;
  const { deviceId } = operation;
  const known = wanted.get(deviceId)?.known ?? Number.MAX_SAFE_INTEGER;
  if (operation.seq <= known) return null;
  if (operation.time.wallMs > latestMs) return 'An entry in it is from a day that has not come yet.';
  if (known > 0) {
    const isNext = continued.has(deviceId) || operation.prevHash === readJournalHead(db, deviceId as DeviceId).opId;
    // None may come before what was condensed here.
    if (!isNext || isTooLate(db, operation)) return OTHER_STORY;
    continued.add(deviceId);
  }
  taking.seq += 1;
  insertOperation({ db }, operation, taking.seq);
  return null;
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

/** Notes where the journals stand now; answers the newest time of all. */
function noteHeads({ db, journal }: Connection, wanted: ReadonlyMap<string, Wanted>): HybridTime {
  let time: HybridTime = journal.head.time;
  for (const [name, { journal: each }] of wanted) {
    const { head, cut } = each;
    const deviceId = name as DeviceId;
    const headTime = { wallMs: head.wallMs, counter: head.counter };
    writeJournalHead(db, { deviceId, seq: head.seq, opId: head.opId, time: headTime });
    if (cut.seq > 0) noteCut(db, cut);
    change(db, 'INSERT OR IGNORE INTO journal_keys (device_id, public_key) VALUES (?,?)', deviceId, head.publicKey);
    const sql = 'INSERT OR IGNORE INTO signatures (device_id, journal_seq, op_id, signature) VALUES (?,?,?,?)';
    change(db, sql, deviceId, head.seq, head.opId, head.signature);
    time = laterHybridTime(time, headTime);
  }
  return time;
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
