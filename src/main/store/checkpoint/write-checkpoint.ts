import { longTextsOf } from '../../../shared/contract/ledger-file.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import type { Frontier } from '../../../shared/core/sync/sealed.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Json } from '../../../shared/lib/canonical-json.ts';
import { baseOf } from '../compacted-runs.ts';
import type { CompactedRun } from '../compacted-runs.ts';
import { prepared, readAll, readOne } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { readCuts } from '../journal-cuts.ts';
import type { OpRow } from '../journal-rows.ts';
import type { RunRows } from '../run-rows.ts';
import { CHECKPOINT_FORMAT } from './checkpoint-lines.ts';

interface SignedHead {
  readonly deviceId: string;
  readonly seq: number;
  readonly opId: string;
  readonly wallMs: number;
  readonly counter: number;
  readonly publicKey: string;
  readonly signature: string;
}

/** What a checkpoint is made of, as far as it can be told before it is written. */
export interface CheckpointPlan {
  readonly frontier: Frontier;
  readonly heads: readonly SignedHead[];
}

/**
 * Up to where a checkpoint of this record can be made: of every journal the last signed entry that is not behind `limit`.
 * `null` where a journal was condensed further than that; `ownKey` signed this device's own journal.
 */
export function planCheckpoint(
  { db, journal }: Connection,
  of: { readonly limit: Frontier; readonly ownKey: string },
): CheckpointPlan | null {
  const heads: SignedHead[] = [];
  for (const [deviceId, upTo] of Object.entries(of.limit)) {
    const signed = readOne<{ seq: number; signature: string }>(
      db,
      `SELECT journal_seq AS seq, signature FROM signatures WHERE device_id = ? AND journal_seq <= ?
       ORDER BY journal_seq DESC LIMIT 1`,
      deviceId,
      upTo,
    );
    const key = 'SELECT public_key AS publicKey FROM journal_keys WHERE device_id = ?';
    const known = readOne<{ publicKey: string }>(db, key, deviceId)?.publicKey ?? null;
    const publicKey = deviceId === journal.deviceId ? of.ownKey : known;
    // From the end of the record, where the newest entries are.
    const entry = 'SELECT * FROM ops WHERE device_id = ? AND journal_seq = ? ORDER BY seq DESC LIMIT 1';
    const row = signed === null ? null : readOne<OpRow>(db, entry, deviceId, signed.seq);
    if (signed === null || row === null || publicKey === null) continue;
    heads.push({ ...signed, deviceId, publicKey, opId: row.op_id, wallMs: row.wall_ms, counter: row.counter });
  }
  const frontier = Object.fromEntries(heads.map(({ deviceId, seq }) => [deviceId, seq]));
  const isCovered = readCuts(db).every(({ deviceId, seq }) => knownUpTo(frontier, deviceId) >= seq);
  return isCovered && heads.length > 0 ? { frontier, heads } : null;
}

/**
 * Everything that a device needs that has nothing yet: what condensed runs came to, all entries that were kept, and the texts
 * that either names. Lines with their line feeds, to be asked for within one turn: nothing may be written meanwhile.
 */
export function* checkpointLines({ db }: Connection, { frontier, heads }: CheckpointPlan): Generator<string> {
  let count = 0;
  const line = (said: object): string => {
    count += 1;
    return `${canonicalJson(said as Json)}\n`;
  };
  const given = new Set<string>();
  const texts = function* texts(digests: Iterable<string>): Generator<string> {
    for (const digest of digests) {
      if (given.has(digest)) continue;
      given.add(digest);
      const kept = readOne<{ body: string }>(db, 'SELECT body FROM blobs WHERE digest = ?', digest);
      if (kept !== null) yield line({ text: kept.body });
    }
  };
  yield line({ fencepost: 'checkpoint', format: CHECKPOINT_FORMAT, frontier });
  for (const { deviceId, ...head } of heads) yield line({ head: deviceId, ...head });
  for (const { deviceId, seq, opId } of readCuts(db)) yield line({ cut: deviceId, seq, opId });
  const roots = 'SELECT DISTINCT root_run_id AS root FROM compacted_runs ORDER BY root_run_id';
  for (const { root } of readAll<{ root: string }>(db, roots)) {
    const sql = 'SELECT * FROM compacted_runs WHERE root_run_id = ? ORDER BY run_id';
    const rows = baseOf(db, root);
    yield line({ family: readAll<CompactedRun>(db, sql, root), rows });
    yield* texts(textsOfRows(rows));
  }
  const page = prepared(db, 'SELECT * FROM ops WHERE device_id = ? AND seq > ? ORDER BY seq LIMIT 500');
  for (const { deviceId, seq: upTo } of heads) {
    for (let after = 0; ;) {
      const rows = page.all(deviceId, after) as OpRow[];
      for (const row of rows.filter((each) => each.journal_seq <= upTo)) {
        const { device_id, journal_seq: seq, op_id: opId, prev_hash: prevHash, wall_ms: wallMs } = row;
        const { counter, epoch, kind, payload } = row;
        yield line({ deviceId: device_id, seq, opId, prevHash, wallMs, counter, epoch, kind, payload });
        yield* texts(longTextsOf(payload) ?? []);
      }
      const last = rows.at(-1);
      if (last === undefined || last.journal_seq >= upTo) break;
      after = last.seq;
    }
  }
  yield line({ end: count });
}

/** Long texts that rows name: those that stand in them as JSON, and outputs that are too long to stand in their row. */
function* textsOfRows(rows: RunRows): Generator<string> {
  for (const { intent } of rows.attempts) yield* longTextsOf(String(intent)) ?? [];
  for (const { request } of rows.approvals) yield* longTextsOf(String(request)) ?? [];
  for (const { output, output_digest: digest } of rows.visits)
    if (output === null && typeof digest === 'string') yield digest;
  for (const { output, digest } of rows.parts) if (output === null && typeof digest === 'string') yield digest;
}
