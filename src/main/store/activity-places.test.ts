import { beforeEach, describe, expect, it } from 'vitest';
import { kindsOf } from '../../shared/contract/acts.ts';
import { devicesOfRecord, findPlaces, newestPlace } from './activity-places.ts';
import type { PlaceFilter } from './activity-places.ts';
import type { Connection } from './connection.ts';
import { connectionOf, openStore } from './testing/store-bench.ts';
import { useTemporaryFolders } from './testing/temporary-folder.ts';

const newFolder = useTemporaryFolders();
const ALL: PlaceFilter = { kinds: null, agentId: null, deviceId: null, sinceMs: null };
const COUNT = 50_000;
const DAY_ONE_MS = 1_700_000_000_000;

let db: Connection['db'];
let close: () => void;
/** One entry in a thousand is a decision, and the first hundred are of an agent that nobody uses any more. */
beforeEach(() => {
  const store = openStore(newFolder());
  db = connectionOf(store).db;
  db.exec(`WITH RECURSIVE numbers (place) AS (SELECT 1 UNION ALL SELECT place + 1 FROM numbers WHERE place < ${COUNT})
    INSERT INTO ops (seq, op_id, prev_hash, device_id, wall_ms, counter, kind, run_id, payload, journal_seq, epoch, agent_id)
    SELECT place, 'id' || place, '', CASE WHEN place % 4 = 0 THEN 'b' ELSE 'a' END, ${DAY_ONE_MS} + place * 1000, 0,
      CASE WHEN place % 1000 = 0 THEN 'recovery.decided' ELSE 'effect.started' END, NULL, '{}', place, 0,
      CASE WHEN place <= 100 THEN 'old' ELSE 'busy' END FROM numbers`);
  close = () => store.close();
  return close;
});

/** Every place that fits, page by page, and how many answers that took. */
function walk(filter: PlaceFilter, limit: number) {
  const places: number[] = [];
  let answers = 0;
  for (let before: number | null = newestPlace(db) + 1; before !== null; answers += 1) {
    const found = findPlaces(db, filter, { from: 1, before, limit });
    places.push(...found.places);
    before = found.before;
  }
  return { places, answers };
}

function expected(condition: string): number[] {
  return (db.prepare(`SELECT seq FROM ops WHERE ${condition} ORDER BY seq DESC`).all() as { seq: number }[]).map(
    (row) => row.seq,
  );
}

describe('looking back through the record', () => {
  it.each<[string, Partial<PlaceFilter>, string]>([
    ['everything', {}, '1'],
    ['a kind that is seldom', { kinds: kindsOf(['decisions']) }, `kind = 'recovery.decided'`],
    ['a kind that is not', { kinds: kindsOf(['effects', 'decisions']) }, '1'],
    ['an agent of long ago', { agentId: 'old' }, `agent_id = 'old'`],
    ['a device', { deviceId: 'b' }, `device_id = 'b'`],
    ['a time', { sinceMs: DAY_ONE_MS + 49_000_000 }, `wall_ms >= ${DAY_ONE_MS + 49_000_000}`],
    [
      'all at once',
      { kinds: kindsOf(['decisions']), agentId: 'busy', deviceId: 'b', sinceMs: DAY_ONE_MS + 20_000_000 },
      `kind = 'recovery.decided' AND agent_id = 'busy' AND device_id = 'b' AND wall_ms >= ${DAY_ONE_MS + 20_000_000}`,
    ],
    ['nobody', { agentId: 'nobody' }, '0'],
  ])('skips an entry between two pages, or shows one twice: %s', (_name, filter, condition) => {
    expect(walk({ ...ALL, ...filter }, 97).places).toEqual(expected(condition));
  });

  it('reads all of the record for one answer, or ends before its beginning', () => {
    const { places, answers } = walk({ ...ALL, agentId: 'old' }, 500);
    expect(places).toHaveLength(100);
    expect(answers).toBe(Math.ceil(COUNT / 20_000));
  });

  it('shows another page for the same place once something was added', () => {
    const before = findPlaces(db, ALL, { from: 1, before: COUNT - 10, limit: 50 });
    db.exec(`INSERT INTO ops (op_id, prev_hash, device_id, wall_ms, counter, kind, payload)
      VALUES ('later', '', 'c', 1, 0, 'run.ended', '{}')`);
    expect(findPlaces(db, ALL, { from: 1, before: COUNT - 10, limit: 50 })).toEqual(before);
    expect(devicesOfRecord(db)).toEqual(['a', 'b', 'c']);
  });

  it('reads what the entries say to find those of an agent, a device or a seldom kind', () => {
    const plans = (['agentId', 'deviceId', 'kinds'] as const).map((name) => {
      const seen: string[] = [];
      const watched = { prepare: (sql: string) => (seen.push(sql), db.prepare(sql)) } as unknown as typeof db;
      const filter = { ...ALL, [name]: name === 'kinds' ? ['recovery.decided'] : 'a' };
      findPlaces(watched, filter, { from: 1, before: COUNT, limit: 10 });
      return seen.some((sql) => sql.includes('INDEXED BY'));
    });
    expect(plans).toEqual([true, true, true]);
  });
});

describe('an empty record', () => {
  it('has a page, or a device', () => {
    const store = openStore(newFolder());
    const empty = connectionOf(store).db;
    expect(findPlaces(empty, ALL, { from: 1, before: 1, limit: 10 })).toEqual({ places: [], before: null });
    expect([devicesOfRecord(empty), newestPlace(empty)]).toEqual([[], 0]);
    store.close();
  });
});
