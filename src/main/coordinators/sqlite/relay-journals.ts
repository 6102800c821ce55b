import type { Database } from 'better-sqlite3';
import type { Problem } from '../../../shared/contract/errors.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import type { Frontier, SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { forkProblem, gapProblem, relayFullProblem, truncatedProblem } from '../../hub/relay/relay-problem.ts';
import { RELAY_DEVICE_LIMIT } from '../../hub/relay/relay-storage.ts';
import { RELAY_BATCH_CHARACTERS, RELAY_BATCH_OPERATIONS } from '../../relays/relay.ts';
import type { PulledOperations } from '../../relays/relay.ts';
import { TakeBackError } from './relay-file.ts';

interface Journal {
  readonly deviceId: string;
  readonly head: number;
  readonly floor: number;
}

const SELECT_OPERATION = 'SELECT device_id AS deviceId, seq, wall_ms AS wallMs, counter, box FROM relay_operation';

/** Adds what continues a journal. What stands before a refusal is kept; the caller learns of both. */
export function pushOperations(
  db: Database,
  deviceId: string,
  operations: readonly SealedOperation[],
): { readonly result: Result<{ readonly head: number }, Problem>; readonly isNew: boolean } {
  const before = readJournal(db, deviceId);
  const find = db.prepare(`${SELECT_OPERATION} WHERE device_id = ? AND seq = ?`);
  const insert = db.prepare(
    'INSERT INTO relay_operation (device_id, seq, wall_ms, counter, box) VALUES (?, ?, ?, ?, ?)',
  );
  let { head } = before;
  let refusal: Problem | null = null;
  for (const operation of operations) {
    const { seq, wallMs, counter, box } = operation;
    if (seq > head + 1) {
      refusal = gapProblem({ head, seq });
      break;
    }
    if (seq === head + 1) {
      insert.run(deviceId, seq, wallMs, counter, box);
      head = seq;
      continue;
    }
    const held = find.get(deviceId, seq) as SealedOperation | undefined;
    // What was dropped below a checkpoint counts as held, and there is nothing left to compare it with.
    if (held === undefined || isSameOperation(held, operation)) continue;
    refusal = forkProblem(seq);
    break;
  }
  const isNew = head > before.head;
  if (isNew && before.head === 0 && countJournals(db) >= RELAY_DEVICE_LIMIT) throw crowded();
  if (isNew) writeJournal(db, { deviceId, head, floor: before.floor });
  return { result: refusal === null ? ok({ head }) : err(refusal), isNew };
}

/** There are more devices than a hub carries for. */
export function crowded(): TakeBackError {
  const sentence = `It carries for ${RELAY_DEVICE_LIMIT} devices at most, those of former times among them.`;
  return new TakeBackError(relayFullProblem(sentence));
}

/** One page of what `have` lacks, device by device. */
export function pullOperations(db: Database, have: Frontier): Result<PulledOperations, Problem> {
  const journals = allJournals(db).filter(({ deviceId, head }) => knownUpTo(have, deviceId) < head);
  if (journals.some(({ deviceId, floor }) => knownUpTo(have, deviceId) < floor)) return err(truncatedProblem());
  const after = db.prepare(`${SELECT_OPERATION} WHERE device_id = ? AND seq > ? ORDER BY seq LIMIT ?`);
  const operations: SealedOperation[] = [];
  let characters = 0;
  for (const { deviceId } of journals) {
    const room = RELAY_BATCH_OPERATIONS - operations.length + 1;
    for (const row of after.iterate(deviceId, knownUpTo(have, deviceId), room)) {
      const operation = row as SealedOperation;
      characters += operation.box.length;
      const isFull = operations.length === RELAY_BATCH_OPERATIONS || characters > RELAY_BATCH_CHARACTERS;
      // One always fits, however long it is.
      if (isFull && operations.length > 0) return ok({ operations, isMore: true });
      operations.push(operation);
    }
  }
  return ok({ operations, isMore: false });
}

/** Up to where each journal is held. */
export function headsOf(db: Database): Frontier {
  return Object.fromEntries(allJournals(db).map(({ deviceId, head }) => [deviceId, head]));
}

/** A checkpoint counts as held up to its frontier: journals that lag behind it go on after it. */
export function raiseToCheckpoint(db: Database, frontier: Frontier): void {
  for (const [deviceId, seq] of Object.entries(frontier)) {
    if (seq > readJournal(db, deviceId).head) writeJournal(db, { deviceId, head: seq, floor: seq });
  }
  if (countJournals(db) > RELAY_DEVICE_LIMIT) throw crowded();
}

/** Gives out no entry up to `stable` any more, which makes those that can be dropped. */
export function raiseFloors(db: Database, stable: Frontier): void {
  for (const { deviceId, head, floor } of allJournals(db)) {
    const raised = Math.min(head, knownUpTo(stable, deviceId));
    if (raised > floor) writeJournal(db, { deviceId, head, floor: raised });
  }
}

/** Drops at most `limit` entries up to `stable`; answers how many, which is less only when there are no more. */
export function dropOperations(db: Database, stable: Frontier, limit: number): number {
  const drop = db.prepare(`DELETE FROM relay_operation WHERE rowid IN (
    SELECT rowid FROM relay_operation WHERE device_id = ? AND seq <= ? ORDER BY seq LIMIT ?)`);
  let dropped = 0;
  for (const [deviceId, seq] of Object.entries(stable)) {
    if (dropped === limit) break;
    dropped += drop.run(deviceId, seq, limit - dropped).changes;
  }
  return dropped;
}

function isSameOperation(one: SealedOperation, other: SealedOperation): boolean {
  return one.box === other.box && one.wallMs === other.wallMs && one.counter === other.counter;
}

function allJournals(db: Database): readonly Journal[] {
  return db
    .prepare('SELECT device_id AS deviceId, head, floor FROM relay_device ORDER BY device_id')
    .all() as Journal[];
}

function readJournal(db: Database, deviceId: string): Journal {
  const find = db.prepare('SELECT device_id AS deviceId, head, floor FROM relay_device WHERE device_id = ?');
  return (find.get(deviceId) as Journal | undefined) ?? { deviceId, head: 0, floor: 0 };
}

function writeJournal(db: Database, { deviceId, head, floor }: Journal): void {
  const write = `INSERT INTO relay_device (device_id, head, floor) VALUES (?, ?, ?)
    ON CONFLICT (device_id) DO UPDATE SET head = excluded.head, floor = excluded.floor`;
  db.prepare(write).run(deviceId, head, floor);
}

function countJournals(db: Database): number {
  return (db.prepare('SELECT count(*) AS count FROM relay_device').get() as { count: number }).count;
}
