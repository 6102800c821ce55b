import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { openFileCoordinator } from '../../src/main/coordinators/sqlite/file-coordinator.ts';
import { createHostTimers } from '../../src/main/host/timers.ts';
import { readAll } from '../../src/main/store/connection.ts';
import type { Connection } from '../../src/main/store/connection.ts';
import { verifyJournal } from '../../src/main/store/journal-rows.ts';
import { openSqlite } from '../../src/main/store/open-sqlite.ts';
import { Store } from '../../src/main/store/store.ts';
import { sweepClaims } from '../../src/main/store/transactions/recover-claims.ts';
import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import { problem } from '../../src/shared/contract/errors.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import { createFakeClock } from '../contract/fake-clock.ts';
import { registerLoss } from './acknowledged.ts';
import type { AcknowledgedFacts } from './acknowledged.ts';
import { readRegister } from './watch-store.ts';

/** What is wrong with one disk. */
export interface Finding {
  /**
   * `refused`: it could not be opened. `corrupt`: it reads wrongly. `lost`: something acknowledged is not there. `verdict`:
   * what is there would be judged wrongly. `early`: refused before anything at all had been acknowledged.
   */
  readonly kind: 'refused' | 'corrupt' | 'lost' | 'verdict' | 'early';
  readonly text: string;
}

/** Later than anything a claim was promised: after a restart of the machine, or an hour on. */
function laterClock(isRestarted: boolean) {
  const clock = createFakeClock();
  if (isRestarted) clock.reboot();
  else clock.pass(48 * 3_600_000);
  return clock;
}

/** Opens the record of a profile as the product does, and compares it with everything that somebody had been told. */
export function checkProfile(
  folder: string,
  facts: AcknowledgedFacts,
  of: { readonly isRestarted: boolean; readonly isEmbedded: boolean },
): Finding[] {
  const clock = laterClock(of.isRestarted);
  const opened = openQuietly(folder, clock);
  if (opened instanceof Store) {
    try {
      return findingsIn(opened, facts, { now: clock.instant(), isEmbedded: of.isEmbedded });
    } catch (cause) {
      return [{ kind: 'corrupt', text: `It broke while it was read: ${String(cause)}` }];
    } finally {
      opened.close();
    }
  }
  const kind = facts.count === 0 ? 'early' : opened.code === 'store-corrupt' ? 'corrupt' : 'refused';
  return [{ kind, text: `${opened.code}: ${opened.message} ${opened.wayOut}` }];
}

function openQuietly(folder: string, clock: ReturnType<typeof createFakeClock>): Store | Problem {
  try {
    const opened = Store.open(folder, { clock, timers: createHostTimers(), newId: randomUUID });
    return opened.ok ? opened.value : opened.error;
  } catch (cause) {
    // Thrown, not answered: the worst way to refuse.
    return problem('internal', `It threw: ${String(cause)}`);
  }
}

interface OperationRow {
  readonly seq: number;
  readonly op_id: string;
  readonly kind: string;
  readonly payload: string;
}

function findingsIn(
  store: Store,
  facts: AcknowledgedFacts,
  of: { readonly now: ReturnType<ReturnType<typeof createFakeClock>['instant']>; readonly isEmbedded: boolean },
): Finding[] {
  const connection = store.connection();
  if (connection === null) return [{ kind: 'refused', text: 'The store opened and has no connection.' }];
  const { db } = connection;
  const integrity = integrityFinding(db);
  if (integrity !== null) return [integrity];
  const [device] = readAll<{ value: string }>(db, `SELECT value FROM profile WHERE key = 'device-id'`);
  const chain = verifyJournal(db, device?.value ?? '');
  if (chain !== null)
    return [{ kind: 'corrupt', text: `The chain of the journal is broken: ${JSON.stringify(chain)}` }];
  const findings: Finding[] = [];
  const lost = (text: string): void => void findings.push({ kind: 'lost', text });
  if (facts.deviceId !== null && (facts.deviceId === device?.value) !== (facts.restores === 0))
    lost(facts.restores === 0 ? 'the device has another id' : 'what was put back goes on under the id that it had');
  const found = new Map(readAll<OperationRow>(db, 'SELECT seq, op_id, kind FROM ops').map((row) => [row.seq, row]));
  for (const [seq, { opId, kind }] of facts.operations) {
    if (found.get(seq)?.op_id !== opId) lost(`${kind} at place ${seq}`);
  }
  for (const [key, value] of facts.settings) {
    const [row] = readAll<{ value: string }>(db, 'SELECT value FROM profile WHERE key = ?', `setting:${key}`);
    // Values are numbered: a later one was on its way when the power went.
    if (Number(row?.value ?? 0) < Number(value)) lost(`the setting ${key} went back from ${value} to ${row?.value}`);
  }
  if (of.isEmbedded) {
    const rows = new Map(readRegister(db).map((row) => [row.agentId, row]));
    for (const told of facts.registers.values()) {
      const loss = registerLoss(told, rows.get(told.agentId));
      if (loss !== null) lost(loss);
    }
  }
  return [...findings, ...verdictFindings(connection, facts, of)];
}

function integrityFinding(db: Database): Finding | null {
  const [first] = db.pragma('integrity_check(1)') as { integrity_check: string }[];
  if (first?.integrity_check === 'ok') return null;
  return { kind: 'corrupt', text: `integrity_check: ${first?.integrity_check ?? 'no answer'}` };
}

interface Judged {
  readonly attempt_token: string;
  readonly progress: string;
  readonly in_doubt_at_ms: number | null;
  readonly decision: string | null;
}

/**
 * The start-up sweep, then what it must never come to: an effect that the world has is settled, decided or in doubt, as often
 * as the world has it, and nothing that may have left is called never started (protocol section 6).
 */
function verdictFindings(
  connection: Connection,
  facts: AcknowledgedFacts,
  of: { readonly now: { bootId: string; bootMs: number }; readonly isEmbedded: boolean },
): Finding[] {
  const { db } = connection;
  const findings: Finding[] = [];
  const wrong = (text: string): void => void findings.push({ kind: 'verdict', text });
  db.transaction(() => {
    for (const { agent_id: agentId } of readAll<{ agent_id: AgentId }>(db, 'SELECT DISTINCT agent_id FROM attempts')) {
      const nobody = { isMine: () => false, isAnnounced: () => false, epoch: null };
      const sweep = { agentId, now: of.now, isEmbedded: of.isEmbedded, ...nobody };
      const { held } = sweepClaims(connection, sweep);
      if (held > 0) wrong(`${held} claims of ${agentId} are still held after every lease has run out`);
    }
  }).immediate();
  const attempts = readAll<Judged>(db, 'SELECT attempt_token, progress, in_doubt_at_ms, decision FROM attempts');
  const judged = new Map(attempts.map((row) => [row.attempt_token, row]));
  const started = eventsOf(db, 'effect.started');
  const reclaimed = new Set(eventsOf(db, 'recovery.reclaimed').map((event) => event.attemptToken));
  const withheld = new Set(eventsOf(db, 'effect.withheld').map((event) => event.attemptToken));
  const tokens = new Map<string, number>();
  for (const { attemptToken, idempotencyKey } of started) {
    const row = judged.get(attemptToken);
    const isKnown =
      row !== undefined && (row.progress === 'settled' || row.in_doubt_at_ms !== null || row.decision !== null);
    if (!isKnown) wrong(`the attempt ${attemptToken} had started, and nobody would be asked about it`);
    if (reclaimed.has(attemptToken)) wrong(`the attempt ${attemptToken} had started, and was called never started`);
    if (!withheld.has(attemptToken)) tokens.set(idempotencyKey, (tokens.get(idempotencyKey) ?? 0) + 1);
  }
  for (const effectId of facts.undeclared) wrong(`the effect ${effectId} left before its intent was durable`);
  for (const [effectId, hits] of facts.hits) {
    const known = tokens.get(effectId) ?? 0;
    if (known < hits) wrong(`the world has the effect ${effectId} ${hits} times, the record knows of ${known}`);
  }
  return findings;
}

interface EffectEvent {
  readonly attemptToken: string;
  readonly idempotencyKey: string;
}

function eventsOf(db: Database, kind: string): EffectEvent[] {
  const rows = readAll<OperationRow>(db, 'SELECT seq, op_id, kind, payload FROM ops WHERE kind = ?', kind);
  return rows.map((row) => JSON.parse(row.payload) as EffectEvent);
}

/** Opens a register on a file of its own as the product does, and compares it with every verb that was answered. */
export async function checkRegister(file: string, facts: AcknowledgedFacts): Promise<Finding[]> {
  const isExpected = facts.registers.size > 0 || facts.grants.size > 0;
  if (!existsSync(file)) return isExpected ? [{ kind: 'lost', text: 'the register is not there' }] : [];
  const opened = openFileCoordinator({ file, clock: laterClock(false) });
  if (!opened.ok) {
    const kind = isExpected || facts.deviceId !== null ? 'refused' : 'early';
    return [{ kind, text: `${opened.error.code}: ${opened.error.message}` }];
  }
  const findings: Finding[] = [];
  for (const agentId of new Set([...facts.registers.keys(), ...facts.grants.keys()])) {
    const view = await opened.value.current(agentId as AgentId);
    if (!view.ok) findings.push({ kind: 'refused', text: `${view.error.code}: ${view.error.message}` });
  }
  await opened.value.close();
  const db = openSqlite(file, { mustExist: true });
  try {
    const integrity = integrityFinding(db);
    if (integrity !== null) return [integrity];
    const rows = new Map(readRegister(db).map((row) => [row.agentId, row]));
    for (const told of facts.registers.values()) {
      const loss = registerLoss(told, rows.get(told.agentId));
      if (loss !== null) findings.push({ kind: 'lost', text: loss });
    }
    for (const [agentId, epoch] of facts.grants) {
      const found = rows.get(agentId)?.epoch ?? 0;
      if (found < epoch) findings.push({ kind: 'lost', text: `epoch ${epoch} of ${agentId} went back to ${found}` });
    }
  } finally {
    db.close();
  }
  return findings;
}

/** The files of a profile that a power cut has to spare. The index of a log lives in memory and is made anew. */
export function isDurableState(path: string): boolean {
  const isRecord = /^(?:fencepost|register)\.sqlite/u.test(path) || path === 'backups' || path.startsWith('backups/');
  return isRecord && !path.endsWith('-shm');
}

/** The parts of a profile. */
export function registerFileOf(folder: string): string {
  return join(folder, 'register.sqlite');
}
