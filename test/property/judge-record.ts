import type { Database } from 'better-sqlite3';
import { expect } from 'vitest';
import { readAll } from '../../src/main/store/connection.ts';
import { PROJECTION_TABLES } from '../../src/main/store/migrations/0010-initial.ts';
import { rebuildProjections } from '../../src/main/store/projections/rebuild.ts';
import type { AttemptRecord, RunRecord } from '../../src/main/store/rows.ts';
import { effectIdOf } from '../sim/effect-id.ts';
import type { CountingWorld } from './counting-world.ts';

/** Judges a record in which nothing will change any more, against what the world counted. Throws what is wrong. */
export function judgeRecord(db: Database, world: CountingWorld): void {
  judgeOnce(db);
  judgeKeys(db, world);
  judgeCounts(db, world);
  const before = rowsOf(db);
  rebuildProjections(db);
  expect(rowsOf(db), 'the same journal reads differently the second time').toEqual(before);
}

/** Every way out is released once, every step of several parts is concluded once, and a branch is begun once. */
function judgeOnce(db: Database): void {
  const twice = readAll(
    db,
    `SELECT kind, run_id, count(*) AS count FROM ops
       WHERE kind IN ('successor.released', 'run.concluded') GROUP BY kind, run_id,
       coalesce(json_extract(payload, '$.fromStateId'), json_extract(payload, '$.stateId')),
       coalesce(json_extract(payload, '$.fromStateVisit'), json_extract(payload, '$.stateVisit')) HAVING count(*) > 1
     UNION ALL SELECT 'branch', parent_run_id, count(*) FROM runs WHERE parent_run_id IS NOT NULL
       GROUP BY parent_run_id, parent_state_id, parent_state_visit, branch HAVING count(*) > 1
     UNION ALL SELECT 'end', run_id, count(*) FROM ops WHERE kind = 'run.ended' GROUP BY run_id HAVING count(*) > 1`,
  );
  expect(twice, 'something was done twice').toEqual([]);
}

/** A key says where its effect belongs, is the only one there, and stands for one input, whatever happened in between. */
function judgeKeys(db: Database, world: CountingWorld): void {
  const attempts = readAll<AttemptRecord>(db, 'SELECT * FROM attempts ORDER BY rowid');
  const byKey = Map.groupBy(attempts, (attempt) => `${attempt.run_id} ${attempt.effect_key}`);
  for (const [key, own] of byKey) {
    const places = new Set(own.map((each) => `${each.state_id}#${each.state_visit}`));
    expect(places.size, key).toBe(1);
    const [place = ''] = places;
    const part = own[0]?.effect_key.slice(place.length) ?? '';
    expect(own[0]?.effect_key.startsWith(place), key).toBe(true);
    expect(part, key).toMatch(/^(?:\/[1-9]\d*(?:\.[\w-]+)?)?$/u);
    expect(new Set(own.map((each) => each.input_digest)).size, `${key} has another input after a resume`).toBe(1);
    expect(
      own.map((each) => each.attempt_number),
      key,
    ).toEqual(own.map((_, index) => index + 1));
  }
  const known = new Set(attempts.map((each) => effectIdOf(identityOf(each))));
  for (const { effectId, target } of world.effects.values())
    expect(known.has(effectId), `${target} has no record`).toBe(true);
}

/** What happened, happened once; and to one target goes no more than its state was visited. */
function judgeCounts(db: Database, world: CountingWorld): void {
  const attempts = readAll<AttemptRecord>(db, 'SELECT * FROM attempts');
  const byEffect = Map.groupBy(attempts, (attempt) => effectIdOf(identityOf(attempt)));
  const sql = `SELECT kind, json_extract(payload, '$.effect.effectKey') AS effect_key, run_id FROM ops
    WHERE kind = 'recovery.repeated' OR (kind = 'recovery.decided' AND json_extract(payload, '$.choice') = 'send-again')`;
  const again = readAll<{ run_id: string; effect_key: string }>(db, sql);
  for (const effect of world.effects.values()) {
    const { effectId, target, kind, happened, starts } = effect;
    expect(happened, `${target} (${kind}) happened more than once`).toBeLessThanOrEqual(1);
    const own = byEffect.get(effectId) ?? [];
    const decided = again.filter(
      (each) => each.run_id === own[0]?.run_id && each.effect_key === own[0].effect_key,
    ).length;
    const refused = own.filter((each) => each.outcome?.includes('"failure"') === true).length;
    expect(starts, `${target} (${kind}) left without a rule that says so`).toBeLessThanOrEqual(
      Math.max(1, decided + refused + 1),
    );
  }
  const visits = new Map(
    readAll<{ run_id: string; state_id: string; count: number }>(
      db,
      'SELECT run_id, state_id, count(*) AS count FROM visits GROUP BY run_id, state_id',
    ).map((row) => [`${row.run_id} ${row.state_id}`, row.count]),
  );
  for (const [target, effects] of world.byTarget()) {
    if (target.includes('muse')) continue;
    const [own] = byEffect.get(effects[0]?.effectId ?? '') ?? [];
    expect(effects.length, `${target} under too many keys`).toBeLessThanOrEqual(
      visits.get(`${own?.run_id} ${own?.state_id}`) ?? 0,
    );
  }
}

/** Runs that go on no more and show nothing that a person could do about it. */
export function unseenRuns(db: Database): readonly RunRecord[] {
  return readAll<RunRecord>(db, 'SELECT * FROM runs WHERE ending IS NULL').filter((run) => {
    const has = (sql: string): boolean => readAll(db, `SELECT 1 FROM ${sql} LIMIT 1`, run.run_id).length > 0;
    if (run.phase === 'needs-recovery')
      return !has(
        `attempts WHERE run_id = ? AND in_doubt_at_ms IS NOT NULL AND decision IS NULL AND progress <> 'settled'`,
      );
    if (run.phase === 'branching') return !has('runs WHERE parent_run_id = ? AND ending IS NULL');
    return run.is_refused !== 1 || !has('refusals WHERE run_id = ?');
  });
}

function identityOf(attempt: AttemptRecord): Parameters<typeof effectIdOf>[0] {
  return { agentId: attempt.agent_id, runId: attempt.run_id, effectKey: attempt.effect_key };
}

function rowsOf(db: Database): Record<string, unknown[]> {
  return Object.fromEntries(
    PROJECTION_TABLES.map((table) => [table, readAll(db, `SELECT * FROM ${table} ORDER BY 1, 2, 3`)]),
  );
}
