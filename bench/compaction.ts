import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { createHostClock } from '../src/main/host/clock.ts';
import { condenseAll } from '../src/main/host/sync/condensing.ts';
import { createHostTimers } from '../src/main/host/timers.ts';
import { foldHash } from '../src/main/store/fold-hash.ts';
import { Store } from '../src/main/store/store.ts';
import type { Connection } from '../src/main/store/connection.ts';
import { must } from './coordinators-hub.ts';
import type { BenchResult } from './effect-cost.ts';
import { figure, summarise, timeEach } from './measure.ts';
import type { Summary } from './measure.ts';
import { makeRecord } from './sync-record.ts';

/** A stretch of what 20 agents do, each four times a day; a year of it is scaled from this. */
const AGENTS = 20;
const RUNS_EACH_DAY = 4;
const STRETCH_DAYS = 15;
const YEAR_DAYS = 365;
const RETENTION_DAYS = 90;
const ORACLE_ENTRIES = 10_000_000;
const LOOK_UPS = 20_000;
const GOAL_MS = 1;
const MEGABYTE = 1_048_576;

/** What a year takes before and after condensing, and how long the oracle takes to answer when it is very long. */
export async function compaction(): Promise<BenchResult> {
  const folder = mkdtempSync(join(process.env['FENCEPOST_BENCH_FOLDER'] ?? tmpdir(), 'fencepost-bench-'));
  try {
    const year = await measureYear(join(folder, 'year'));
    const lookUps = await measureOracle(join(folder, 'year'));
    const figures = { ...year, oracleEntries: ORACLE_ENTRIES };
    return { rounds: { 'look up': [lookUps] }, figures, lines: linesOf(year, lookUps) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Year = Readonly<Record<'entries' | 'before' | 'after' | 'yearBefore' | 'yearAfter' | 'seconds', number>>;

async function measureYear(profileFolder: string): Promise<Year> {
  const runs = AGENTS * RUNS_EACH_DAY * STRETCH_DAYS;
  const entries = await makeRecord(profileFolder, { agents: AGENTS, runs });
  const { store, connection } = openRecord(profileFolder);
  const { db, journal } = connection;
  const before = compactSize(connection, join(profileFolder, 'before'));
  const hash = foldHash(db);
  const cut = { [journal.deviceId]: journal.head.journalSeq };
  const startedAt = performance.now();
  must(await condenseAll({ store, cut, retentionMs: 0, awaited: () => [], agentIds: null }));
  const seconds = (performance.now() - startedAt) / 1_000;
  if (foldHash(db) !== hash) throw new Error('What was condensed is something else now.');
  const after = compactSize(connection, join(profileFolder, 'after'));
  store.close();
  const aDay = (bytes: number): number => bytes / STRETCH_DAYS;
  const yearBefore = aDay(before) * YEAR_DAYS;
  const yearAfter = aDay(before) * RETENTION_DAYS + aDay(after) * (YEAR_DAYS - RETENTION_DAYS);
  return { entries, before, after, yearBefore, yearAfter, seconds };
}

/** The size of a copy without free pages, bytes. */
function compactSize({ db }: Connection, file: string): number {
  db.prepare('VACUUM INTO ?').run(file);
  const { size } = statSync(file);
  rmSync(file);
  return size;
}

/** Asks as the fence does, for keys that are there and for some that are not, all over the oracle. */
async function measureOracle(profileFolder: string): Promise<Summary> {
  const { store, connection } = openRecord(profileFolder);
  const { db } = connection;
  const insert = `INSERT INTO oracle (agent_id, run_id, effect_key, op_id)
    WITH RECURSIVE number (n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM number WHERE n + 1 < ?)
    SELECT 'many', printf('%036d', n / 4), printf('send#%d', n % 4), printf('%064x', n) FROM number`;
  db.prepare(insert).run(ORACLE_ENTRIES);
  const ask = db.prepare(
    `SELECT op_id FROM oracle WHERE agent_id = ? AND run_id = ? AND effect_key IN (?, '') LIMIT 1`,
  );
  let place = 1;
  let found = 0;
  const lookUp = (): void => {
    // A long step that meets every corner, the same each time.
    place = (place * 48_271) % 2_147_483_647;
    const runId = String(place % (ORACLE_ENTRIES / 4)).padStart(36, '0');
    if (ask.get('many', runId, `send#${place % 5}`) !== undefined) found += 1;
  };
  const summary = summarise(await timeEach('look up', { warmUp: 1_000, count: LOOK_UPS }, lookUp));
  store.close();
  if (found < LOOK_UPS / 2) throw new Error('The oracle did not know what it was asked for.');
  return summary;
}

function openRecord(profileFolder: string): { readonly store: Store; readonly connection: Connection } {
  const store = must(
    Store.open(profileFolder, { clock: createHostClock(), timers: createHostTimers(), newId: () => v7() }),
  );
  const connection = store.connection();
  if (connection === null) throw new Error('The record is not open.');
  return { store, connection };
}

function linesOf(year: Year, lookUps: Summary): string[] {
  const megabytes = (bytes: number): string => `${figure(bytes / MEGABYTE)} MB`;
  const verdict = lookUps.p99 < GOAL_MS ? 'met' : 'MISSED';
  return [
    `measured: ${STRETCH_DAYS} days of ${AGENTS} agents with ${RUNS_EACH_DAY} runs a day each, ${year.entries} entries`,
    `  ${megabytes(year.before)} with every entry, ${megabytes(year.after)} condensed, in ${figure(year.seconds)} s`,
    `scaled to a year, on each of the devices that share it: ${megabytes(year.yearBefore)} with every entry,`,
    `  ${megabytes(year.yearAfter)} with ${RETENTION_DAYS} days in full and the rest condensed`,
    `a look-up among ${ORACLE_ENTRIES} entries of the oracle: p50 ${figure(lookUps.p50)} ms, p99 ${figure(lookUps.p99)} ms`,
    `  goal: p99 under ${GOAL_MS} ms: ${verdict}`,
  ];
}
