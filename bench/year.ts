import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { haveOf } from '../src/main/host/sync/known-journals.ts';
import { sealCheckpointOf } from '../src/main/host/sync/sealed-checkpoint.ts';
import { newDeviceKey } from '../src/main/hub/proofs.ts';
import { newKeyRing } from '../src/main/relays/seal/key-ring.ts';
import { signHead } from '../src/main/relays/seal/sign-journal.ts';
import { newSpaceSecret } from '../src/main/relays/seal/space-secret.ts';
import { CHECKPOINT_LIMIT_CHARACTERS } from '../src/main/store/checkpoint/checkpoint-lines.ts';
import { checkpointLines, planCheckpoint } from '../src/main/store/checkpoint/write-checkpoint.ts';
import { change, readAll, readOne } from '../src/main/store/connection.ts';
import type { Connection } from '../src/main/store/connection.ts';
import { foldHash } from '../src/main/store/fold-hash.ts';
import { readJournalHeads } from '../src/main/store/foreign-journals.ts';
import type { DeviceId } from '../src/shared/contract/identifiers.ts';
import type { BenchResult } from './effect-cost.ts';
import { figure, summarise, timeEach } from './measure.ts';
import type { Summary } from './measure.ts';
import { oneRun } from './sync-record.ts';
import { Year } from './year-devices.ts';
import type { YearDevice } from './year-devices.ts';

/** What counts as a busy year, of which a share is really lived: every day of it, with fewer runs on each. */
const AGENTS = 20;
const RUNS_EACH_DAY = 12;
const STEPS = 3;
const DEVICES = 3;
const DAYS = 365;
const RETENTION_DAYS = 90;
const CONDENSE_EVERY_DAYS = 7;
/** Runs of an agent on each day that are really written; more or less with `FENCEPOST_BENCH_RUNS_EACH_DAY`. */
const LIVED_RUNS_EACH_DAY = 3;
const LOOK_UPS = 20_000;
const MEGABYTE = 1_048_576;

/** A year of 20 agents on 3 devices, written and folded day by day: what it takes on each of them, and how it still answers. */
export async function year(): Promise<BenchResult> {
  const folder = mkdtempSync(join(process.env['FENCEPOST_BENCH_FOLDER'] ?? tmpdir(), 'fencepost-bench-'));
  const runsEachDay = Number(process.env['FENCEPOST_BENCH_RUNS_EACH_DAY'] ?? LIVED_RUNS_EACH_DAY);
  const size = { agents: AGENTS, days: DAYS, retentionDays: RETENTION_DAYS, condenseEveryDays: CONDENSE_EVERY_DAYS };
  try {
    const template = await oneRun(join(folder, 'template'), STEPS);
    const lived = new Year(folder, { template, size: { ...size, runsEachDay }, devices: DEVICES });
    const startedAtMs = performance.now();
    await lived.live();
    const seconds = (performance.now() - startedAtMs) / 1_000;
    const hashes = new Set([...lived.devices, lived.keeper].map(({ connection }) => foldHash(connection.db)));
    if (hashes.size !== 1) throw new Error('The devices came to different results.');
    const devices = lived.devices.map(measured);
    const full = lived.keeper.compactBytes();
    const [first] = lived.devices;
    if (first === undefined) throw new Error('There is no device.');
    const lookUps = await measureLookUps(first.connection);
    const checkpoint = measureCheckpoint(first.connection);
    const openMs = lived.devices.map(openingMs);
    for (const device of [...lived.devices, lived.keeper]) device.close();
    const lives = { entries: lived.entries, runsEachDay, seconds, full, devices, checkpoint, openMs };
    return { rounds: { 'look up': [lookUps] }, figures: flat(lives), lines: linesOf(lives, lookUps) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface DeviceSize {
  readonly bytes: number;
  readonly oracleBytes: number;
  readonly entries: number;
  readonly condensedRuns: number;
}

interface CheckpointSize {
  readonly characters: number;
  /** What travels; `null` where it is longer than a checkpoint may be. */
  readonly sealedCharacters: number | null;
  readonly seconds: number;
}

interface YearFigures {
  readonly entries: number;
  readonly runsEachDay: number;
  readonly seconds: number;
  readonly full: number;
  readonly devices: readonly DeviceSize[];
  readonly checkpoint: CheckpointSize;
  readonly openMs: readonly number[];
}

function measured(device: YearDevice): DeviceSize {
  const { db } = device.connection;
  const count = (sql: string): number => readOne<{ count: number }>(db, sql)?.count ?? 0;
  return {
    bytes: device.compactBytes(),
    oracleBytes: count(`SELECT coalesce(sum(pgsize), 0) AS count FROM dbstat WHERE name IN
      (SELECT name FROM sqlite_schema WHERE tbl_name = 'oracle')`),
    entries: count('SELECT count(*) AS count FROM ops'),
    condensedRuns: count('SELECT count(*) AS count FROM compacted_runs'),
  };
}

/** Asks as the fence does, for effects from all over the year and for some that were never caused. */
async function measureLookUps({ db }: Connection): Promise<Summary> {
  const known = readAll<{ agent: string; run: string; key: string }>(
    db,
    'SELECT agent_id AS agent, run_id AS run, effect_key AS key FROM oracle',
  );
  const ask = db.prepare(
    `SELECT op_id FROM oracle WHERE agent_id = ? AND run_id = ? AND effect_key IN (?, '') LIMIT 1`,
  );
  let place = 1;
  let found = 0;
  const lookUp = (): void => {
    place = (place * 48_271) % 2_147_483_647;
    const { agent = '', run = '', key = '' } = known[place % known.length] ?? {};
    if (ask.get(agent, run, place % 5 === 0 ? 'never' : key) !== undefined) found += 1;
  };
  const summary = summarise(await timeEach('look up', { warmUp: 1_000, count: LOOK_UPS }, lookUp));
  if (found < LOOK_UPS / 2) throw new Error('The oracle did not know what it was asked for.');
  return summary;
}

/** What a new device would be given. */
function measureCheckpoint(connection: Connection): CheckpointSize {
  const { db, journal } = connection;
  const startedAtMs = performance.now();
  const own = { deviceId: journal.deviceId as DeviceId, seq: journal.head.journalSeq, opId: journal.head.opId };
  let ownKey = '';
  for (const { deviceId, seq, opId } of [...readJournalHeads(db), own]) {
    const { publicKey, privateKey } = newDeviceKey();
    if (deviceId === own.deviceId) ownKey = publicKey;
    else change(db, 'INSERT INTO journal_keys (device_id, public_key) VALUES (?,?)', deviceId, publicKey);
    const signature = signHead(privateKey, { deviceId, seq, opId });
    const sql = 'INSERT INTO signatures (device_id, journal_seq, op_id, signature) VALUES (?,?,?,?)';
    change(db, sql, deviceId, seq, opId, signature);
  }
  const plan = planCheckpoint(connection, { limit: haveOf(connection), ownKey });
  if (plan === null) throw new Error('No checkpoint can be made.');
  let characters = 0;
  for (const line of checkpointLines(connection, plan)) characters += line.length;
  const lines = checkpointLines(connection, plan);
  const { deviceId } = own;
  const sealed = sealCheckpointOf(newKeyRing(newSpaceSecret()), { deviceId, frontier: plan.frontier, lines });
  const sealedCharacters = sealed.ok ? sealed.value.parts.reduce((sum, part) => sum + part.length, 0) : null;
  return { characters, sealedCharacters, seconds: (performance.now() - startedAtMs) / 1_000 };
}

function openingMs(device: YearDevice): number {
  device.close();
  const startedAtMs = performance.now();
  if (device.store.connection() === null) throw new Error('The record is not open.');
  return performance.now() - startedAtMs;
}

function flat({ devices, checkpoint, openMs, ...rest }: YearFigures): Record<string, number> {
  const each = devices.map((device, index) => ({ ...device, openMs: openMs[index] ?? Number.NaN }));
  const named = each.flatMap((device, index) =>
    Object.entries(device).map(([name, value]) => [`device ${index + 1} ${name}`, value] as const),
  );
  const { characters, sealedCharacters, seconds } = checkpoint;
  const sizes = { checkpointCharacters: characters, checkpointSealed: sealedCharacters ?? Number.NaN };
  return { ...rest, ...Object.fromEntries(named), ...sizes, checkpointSeconds: seconds };
}

function linesOf(of: YearFigures, lookUps: Summary): string[] {
  const megabytes = (bytes: number): string => `${figure(bytes / MEGABYTE)} MB`;
  const { devices, checkpoint, runsEachDay } = of;
  const scale = RUNS_EACH_DAY / runsEachDay;
  const largest = Math.max(...devices.map(({ bytes }) => bytes));
  const { sealedCharacters } = checkpoint;
  const travels = sealedCharacters === null ? 'longer than one may be' : `${megabytes(sealedCharacters)} sealed`;
  return [
    `lived: ${DAYS} days of ${AGENTS} agents on ${DEVICES} devices, ${runsEachDay} runs of ${STEPS} steps a day each: ${of.entries} entries in ${figure(of.seconds)} s`,
    `  with every entry: ${megabytes(of.full)}`,
    ...devices.map(
      ({ bytes, oracleBytes, entries, condensedRuns }, index) =>
        `  device ${index + 1}: ${megabytes(bytes)}, ${entries} entries kept, ${condensedRuns} runs condensed, the oracle ${megabytes(oracleBytes)}, opened in ${figure(of.openMs[index] ?? Number.NaN)} ms`,
    ),
    `  a checkpoint: ${megabytes(checkpoint.characters)} of text, ${travels}, in ${figure(checkpoint.seconds)} s`,
    `  a look-up: p50 ${figure(lookUps.p50)} ms, p99 ${figure(lookUps.p99)} ms`,
    ...(checkpoint.characters * scale > CHECKPOINT_LIMIT_CHARACTERS
      ? [
          `at ${RUNS_EACH_DAY} runs a day a checkpoint would be longer than one may be: devices that share keep every entry`,
        ]
      : []),
    scale === 1
      ? 'nothing is scaled'
      : `scaled by ${figure(scale)} to ${RUNS_EACH_DAY} runs a day: ${megabytes(of.full * scale)} with every entry, ${megabytes(largest * scale)} on a device`,
  ];
}
