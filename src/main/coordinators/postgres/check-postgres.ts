import type { CoordinatorCheck } from '../../../shared/contract/coordinator-views.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { explainFailure, restoredProblem, standingProblem } from './postgres-failures.ts';
import { readMeta } from './postgres-meta.ts';
import type { PostgresMeta } from './postgres-meta.ts';
import { ASK_LIMIT_MS } from './postgres-options.ts';
import type { PostgresOptions } from './postgres-options.ts';

/** In the order in which they can be looked at: what is behind a failed one is skipped. */
const CHECK_IDS = [
  'reachable',
  'tls',
  'password',
  'database',
  'version',
  'primary',
  'durable',
  'schema',
  'rights',
  'timeline',
  'clock',
  'round-trip',
] as const;
type CheckId = (typeof CHECK_IDS)[number];

const OLDEST_VERSION = 13;
/** A server's clock may be this far from this device's before a person is told, ms. Nothing depends on it. */
const CLOCK_DIFFERENCE_MS = 10_000;
/** An answer that takes longer is worth a word, ms: every effect waits for some of them. */
const SLOW_MS = 250;
const ROUND_TRIPS = 5;

const FACTS = `
SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS is_standby,
  current_setting('transaction_read_only') = 'on' AS is_read_only,
  current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on' AS is_durable,
  extract(epoch FROM clock_timestamp()) * 1000 AS now_ms`;
const RIGHTS = `
SELECT has_function_privilege('fencepost.lock_agent(text, boolean)', 'EXECUTE')
  AND has_column_privilege('fencepost.register', 'record', 'UPDATE') AS is_enough,
  has_table_privilege('fencepost.register', 'DELETE') OR has_table_privilege('fencepost.register', 'TRUNCATE') AS is_too_much`;

/** What a settings page shows of a register on PostgreSQL before it is used. Changes nothing there, and never throws. */
export async function testPostgres(options: PostgresOptions): Promise<readonly CoordinatorCheck[]> {
  const report = new Report();
  const untilMs = performance.now() + ASK_LIMIT_MS;
  let connection: PostgresConnection | null = null;
  try {
    connection = await PostgresConnection.open(options, untilMs);
    await examine(connection, options, report);
  } catch (cause) {
    const { id, sentence, wayOut } = explainFailure(cause);
    report.fail(id, sentence, wayOut);
  } finally {
    await connection?.end();
  }
  return report.all();
}

class Report {
  readonly #checks = new Map<CheckId, CoordinatorCheck>();

  fine(id: CheckId, sentence: string): void {
    this.#checks.set(id, { id, state: 'ok', sentence, wayOut: '' });
  }

  warn(id: CheckId, sentence: string, wayOut: string): void {
    this.#checks.set(id, { id, state: 'warning', sentence, wayOut });
  }

  fail(id: CheckId, sentence: string, wayOut: string): void {
    this.#checks.set(id, { id, state: 'failed', sentence, wayOut });
  }

  all(): CoordinatorCheck[] {
    return CHECK_IDS.map((id) => {
      const sentence = 'Not looked at, because of what failed.';
      return this.#checks.get(id) ?? { id, state: 'skipped', sentence, wayOut: '' };
    });
  }
}

async function examine(connection: PostgresConnection, options: PostgresOptions, report: Report): Promise<void> {
  reportConnection(options, report);
  const untilMs = performance.now() + ASK_LIMIT_MS;
  const askedAtMs = Date.now();
  const facts = (await connection.run(FACTS, untilMs))[0]?.rows[0] ?? {};
  const halfWayMs = (askedAtMs + Date.now()) / 2;
  if (!reportServer(facts, report)) return;
  const meta = await readMeta(connection, untilMs);
  if (meta === null) {
    const wayOut = 'Let Fencepost install it, or apply the migration by hand.';
    report.fail('schema', 'This database holds no register of Fencepost yet.', wayOut);
    return;
  }
  const rights = (await connection.run(RIGHTS, untilMs))[0]?.rows[0] ?? {};
  reportRegister(meta, rights, report);
  reportClock(Number(facts['now_ms']) - halfWayMs, report);
  await reportRoundTrip(connection, report);
}

function reportConnection({ tls, address }: PostgresOptions, report: Report): void {
  report.fine('reachable', 'The server answers.');
  const isHere = address.host.startsWith('/') || ['localhost', '127.0.0.1', '::1'].includes(address.host);
  if (tls.kind === 'verified') report.fine('tls', 'The connection is encrypted, and the server proved who it is.');
  else if (isHere) report.fine('tls', 'The connection is not encrypted; it does not leave this machine.');
  else {
    const wayOut = 'Choose an encrypted connection, unless the network itself protects it.';
    report.warn('tls', 'The connection is not encrypted: who is on the way can read and change it.', wayOut);
  }
  report.fine('password', 'The server lets this user in.');
  report.fine('database', 'The database is there.');
}

/** False where nothing behind it can be asked. */
function reportServer(facts: Record<string, unknown>, report: Report): boolean {
  const version = Math.floor(Number(facts['version']) / 10_000);
  if (version >= OLDEST_VERSION) report.fine('version', `PostgreSQL ${version}.`);
  else {
    report.fail('version', `PostgreSQL ${version} is too old.`, `Use PostgreSQL ${OLDEST_VERSION} or later.`);
    return false;
  }
  if (facts['is_standby'] === true || facts['is_read_only'] === true) {
    const sentence = 'This server only answers reads: it is a standby, and what it says may be old.';
    report.fail('primary', sentence, 'Enter the address of the primary.');
    return false;
  }
  report.fine('primary', 'It is the primary.');
  if (facts['is_durable'] === true) report.fine('durable', 'What it has confirmed outlives a power cut.');
  else {
    const sentence = 'The server forgets what it has confirmed when the power fails: fsync or full_page_writes is off.';
    report.fail('durable', sentence, 'Have both turned on.');
  }
  return true;
}

function reportRegister(meta: PostgresMeta, rights: Record<string, unknown>, report: Report): void {
  const wrong = standingProblem({ ...meta, isSameServer: true });
  if (wrong === null) report.fine('schema', 'The register is installed.');
  else report.fail('schema', wrong.message, wrong.wayOut);
  if (rights['is_enough'] !== true) {
    const wayOut = 'Make it a member of fencepost_app: GRANT fencepost_app TO user.';
    report.fail('rights', 'This user may not use the register.', wayOut);
  } else if (rights['is_too_much'] === true) {
    const sentence = 'This user may do more than Fencepost needs: it owns the register.';
    report.warn('rights', sentence, 'Use one that owns nothing and is a member of fencepost_app.');
  } else report.fine('rights', 'This user may do what Fencepost needs, and no more.');
  const { message, wayOut } = restoredProblem();
  if (meta.isSameServer) report.fine('timeline', 'It is the server on which the register was made.');
  else report.fail('timeline', message, wayOut);
}

function reportClock(differenceMs: number, report: Report): void {
  const seconds = (Math.abs(differenceMs) / 1_000).toFixed(1);
  if (Math.abs(differenceMs) <= CLOCK_DIFFERENCE_MS) report.fine('clock', `The clocks differ by ${seconds} s.`);
  else {
    const sentence = `The clocks differ by ${seconds} s. Nothing depends on it, but times will look odd.`;
    report.warn('clock', sentence, 'Set the clocks of both machines by the network.');
  }
}

async function reportRoundTrip(connection: PostgresConnection, report: Report): Promise<void> {
  const untilMs = performance.now() + ASK_LIMIT_MS;
  const times: number[] = [];
  for (let each = 0; each < ROUND_TRIPS; each += 1) {
    const startMs = performance.now();
    await connection.run('SELECT 1', untilMs);
    times.push(performance.now() - startMs);
  }
  const typicalMs = times.toSorted((one, other) => one - other)[Math.floor(ROUND_TRIPS / 2)] ?? 0;
  const sentence = `It answers in ${typicalMs.toFixed(1)} ms.`;
  if (typicalMs <= SLOW_MS) report.fine('round-trip', sentence);
  else report.warn('round-trip', `${sentence} Every effect waits for some answers.`, 'Choose a server that is nearer.');
}
