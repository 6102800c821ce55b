import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { requestSchemas } from '../src/shared/contract/api.ts';
import type { Connection } from '../src/main/store/connection.ts';
import { Journal } from '../src/main/store/journal.ts';
import { openDatabase } from '../src/main/store/database.ts';
import { MIGRATIONS } from '../src/main/store/migrations/migrations.ts';
import { searchView } from '../src/main/views/search.ts';
import type { ViewSource } from '../src/main/views/view-source.ts';
import { must } from './coordinators-hub.ts';
import type { BenchResult } from './effect-cost.ts';
import { figure, summarise, timeEach } from './measure.ts';

const RUNS = 100_000;
/** Entries of a run in which something can be found: its name, two steps with what became of them, and its end. */
const TEXTS = 6;
const COUNT = 60;
/** The version that brought the search. */
const SEARCH_VERSION = 120;
/** What the screens ask for: the palette, and a whole page. */
const LIMIT = 20;

/** From common to rare, within one kind and across kinds, and what is nowhere. */
const QUERIES: Readonly<Record<string, string>> = {
  'a common word': 'payment',
  'two words': 'payment reminders',
  'an address': 'ana77@example.com',
  'one run': 'number 54321',
  'part of a word in all texts of a kind': 'ample.c',
  'a common word with one that is nowhere': 'payment zebra',
  'a word that is nowhere': 'zebra',
  'two letters': 'li',
  'two letters that are nowhere': 'zq',
};

const VERBS = `'Email','Pay','Push','Delete','Send','Post','Check','Sort','Renew','File','Read','Save'`;
const NOUNS = `'weekly numbers','supplier invoices','payment reminders','support mail','build note','October photos','bank statement','price list'`;
const WHO = `'ana','li','nordwind','acme','site','support','billing','garden'`;
const pick = (list: string, by: string) => `json_extract(json_array(${list}), '$[' || (${by}) || ']')`;

/** Fills a record of before the search, so that what the update costs is measured as well. */
const FILL = `
INSERT INTO ops (seq, op_id, prev_hash, device_id, wall_ms, counter, kind, run_id, payload)
WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${RUNS * TEXTS - 1}),
  parts AS (SELECT n, n / ${TEXTS} AS run, n % ${TEXTS} AS part,
    ${pick(VERBS, '(n * 7919 / 11) % 12')} AS verb, ${pick(NOUNS, '(n * 104729 / 13) % 8')} AS noun,
    ${pick(WHO, '(n * 1299709 / 17) % 8')} AS who FROM numbers)
SELECT n + 1, 'op' || n, '', 'laptop', 1760000000000 + n * 1000, 0,
  CASE part WHEN 0 THEN 'trigger.fired' WHEN 1 THEN 'intent.recorded' WHEN 3 THEN 'intent.recorded' WHEN 5 THEN 'run.ended'
    ELSE 'settle.recorded' END, 'run-' || run,
  CASE part WHEN 0 THEN json_object('title', verb || ' ' || noun || ', number ' || run)
    WHEN 5 THEN json_object('summary', 'Done: ' || noun || ' handled, ' || (n % 97) || ' items')
    WHEN 1 THEN json_object('title', verb || ' ' || noun, 'target', who || (n % 5000) || '@example.com')
    WHEN 3 THEN json_object('title', verb || ' ' || noun, 'target', 'Invoices/' || who || '-' || (n % 9000) || '.pdf')
    ELSE json_object('summary', 'Accepted by the server as ' || hex(n * 2654435761 % 4294967296)) END
FROM parts;
INSERT INTO runs (run_number, run_id, agent_id, revision_digest, request_digest, title, started_by, input, phase, state_id,
  state_visit, ending, started_at_ms, ended_at_ms, last_event)
SELECT n + 1, 'run-' || n, 'agent', '', '', 'Pay ' || n, 'you', '{}', 'ended', 'done', 1, 'done', 0, 1, 'Done'
FROM (WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${RUNS - 1}) SELECT n FROM numbers);
`;

/** How long the first page of a search takes in a record of 100,000 runs, and what the update to it costs. */
export async function search(): Promise<BenchResult> {
  const folder = mkdtempSync(path.join(process.env['FENCEPOST_BENCH_FOLDER'] ?? tmpdir(), 'fencepost-search-'));
  const file = path.join(folder, 'fencepost.sqlite');
  const older = must(openDatabase(file, { migrations: MIGRATIONS.filter(({ version }) => version < SEARCH_VERSION) }));
  older.exec(FILL);
  older.close();
  const bytesBefore = statSync(file).size;
  const startedAt = performance.now();
  const db = must(openDatabase(file, { migrations: MIGRATIONS }));
  const updateMs = performance.now() - startedAt;
  db.pragma('wal_checkpoint(TRUNCATE)');
  const grownBytes = statSync(file).size - bytesBefore;
  const source = sourceOf({ db, journal: new Journal(db, 'laptop', () => 0) });
  const rounds: Record<string, ReturnType<typeof summarise>[]> = {};
  for (const [name, query] of Object.entries(QUERIES)) {
    const request = requestSchemas['search.list'].parse({ query, limit: LIMIT });
    rounds[name] = [summarise(await timeEach(name, { warmUp: 2, count: COUNT }, () => searchView(source, request)))];
  }
  db.close();
  rmSync(folder, { recursive: true, force: true });
  const results = Object.entries(rounds).map(([name, [result]]) => ({
    name,
    p50: result?.p50 ?? 0,
    p99: result?.p99 ?? 0,
  }));
  const slowest = Math.max(...results.map((each) => each.p50));
  return {
    rounds,
    figures: { updateMs, grownBytes, slowestMs: slowest },
    lines: [
      `${RUNS.toLocaleString('en')} runs, ${(RUNS * TEXTS).toLocaleString('en')} texts: taken in by the update in ${figure(updateMs / 1_000)} s, ${figure(grownBytes / 1_048_576)} MiB`,
      ...results.map(
        ({ name, p50, p99 }) => `${name.padEnd(42)} ${figure(p50)} ms, one in a hundred ${figure(p99)} ms`,
      ),
      `the slowest first page: ${figure(slowest)} ms`,
    ],
  };
}

/** Every run of this record has ended, so nothing is asked about leases or strategies. */
function sourceOf(of: Pick<Connection, 'db' | 'journal'>): ViewSource {
  return {
    connection: of,
    strategyOf: () => null,
    leaseStatus: () => ({ agentId: 'agent', held: null, view: null, state: 'ready' }),
    peerName: () => null,
    nowMs: 0,
    device: { deviceId: 'laptop', name: 'Laptop' },
  } as unknown as ViewSource;
}
