import type { EventPayloads } from '../../shared/contract/events.ts';
import type { NeedsYouItem, NeedsYouView, SettledItem } from '../../shared/contract/decision-views.ts';
import { alikeDoubt } from '../../shared/core/recovery/alike-doubts.ts';
import { encodeIdentity } from '../../shared/lib/identity.ts';
import { findAwaited, readAwaited } from '../store/awaited-answers.ts';
import { readAll, readOne } from '../store/connection.ts';
import { grantNow } from '../store/grant-now.ts';
import { doubtFacts, recoveryNow } from '../store/recovery-now.ts';
import { claimOf, decisionOf, findAgent, findRun, intentOf } from '../store/rows.ts';
import type { ApprovalRecord, AttemptRecord } from '../store/rows.ts';
import { canReopen } from '../store/transactions/decide-recovery.ts';
import { cannotTellText } from './recovery-words.ts';
import { waitEndText } from './recovery-wait.ts';
import { deviceNameOf, sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';
import { choiceText, opening } from './words.ts';

/** The most items of each kind in the queue, oldest first. */
const QUEUE_LIMIT = 500;
/** The most settled items that are shown, newest first. */
const SETTLED_LIMIT = 20;
/** What "lately" and "since yesterday" mean, ms. */
export const DAY_MS = 24 * 60 * 60_000;

const UNDECIDED = `in_doubt_at_ms IS NOT NULL AND progress <> 'settled' AND decision IS NULL`;

/** Everything that needs a person, and what was settled lately. */
export function needsYouView(source: ViewSource): NeedsYouView {
  const { db } = source.connection;
  const since = source.nowMs - DAY_MS;
  const finished = readOne<{ count: number }>(
    db,
    'SELECT count(*) AS count FROM runs WHERE ended_at_ms >= ? AND parent_run_id IS NULL',
    since,
  );
  const { asked, waiting } = unclearAttempts(source);
  return {
    sequence: sequenceOf(source),
    unclear: asked.map((attempt) => unclearItem(source, attempt)),
    waiting: waiting.map((attempt) => waitingItem(source, attempt)),
    approvals: openApprovals(source).map((approval) => approvalItem(source, approval)),
    settled: settledItems(source, since),
    finishedSinceYesterday: finished?.count ?? 0,
  };
}

/** How many items wait for a person: the badge. */
export function needsYouCount(source: ViewSource): number {
  const open = readOne<{ count: number }>(
    source.connection.db,
    `SELECT count(*) AS count FROM approvals WHERE state = 'open'`,
  );
  return unclearAttempts(source).asked.length + (open?.count ?? 0);
}

/** How many of them there are of each agent; an agent that nobody has to answer for is left out. */
export function needsYouByAgent(source: ViewSource): ReadonlyMap<string, { unclear: number; approvals: number }> {
  const counts = new Map<string, { unclear: number; approvals: number }>();
  const count = (agentId: string, kind: 'unclear' | 'approvals') => {
    const of = counts.get(agentId) ?? { unclear: 0, approvals: 0 };
    of[kind] += 1;
    counts.set(agentId, of);
  };
  for (const attempt of unclearAttempts(source).asked) count(attempt.agent_id, 'unclear');
  for (const approval of openApprovals(source)) count(approval.agent_id, 'approvals');
  return counts;
}

/**
 * Unclear attempts that only a person can settle. What the app is about to settle itself is no question (ux section 1, 8), and
 * none needs a person while one waits for another device.
 */
function unclearAttempts(source: ViewSource): { asked: AttemptRecord[]; waiting: AttemptRecord[] } {
  const { connection, nowMs } = source;
  const attempts = readAll<AttemptRecord>(
    connection.db,
    `SELECT * FROM attempts WHERE ${UNDECIDED} ORDER BY in_doubt_at_ms LIMIT ?`,
    QUEUE_LIMIT,
  ).filter((attempt) => recoveryNow(connection, attempt, nowMs).kind === 'ask');
  const awaited = new Set(
    readAwaited(connection.db).flatMap((each) => (each.endedAtMs === null ? [each.attemptToken] : [])),
  );
  return {
    asked: attempts.filter((attempt) => !awaited.has(attempt.attempt_token)),
    waiting: attempts.filter((attempt) => awaited.has(attempt.attempt_token)),
  };
}

function openApprovals(source: ViewSource): ApprovalRecord[] {
  return readAll<ApprovalRecord>(
    source.connection.db,
    `SELECT * FROM approvals WHERE state = 'open' ORDER BY asked_at_ms LIMIT ?`,
    QUEUE_LIMIT,
  );
}

function place(
  source: ViewSource,
  of: { agent_id: string; run_id: string },
): Pick<NeedsYouItem, 'runId' | 'runNumber' | 'runTitle' | 'agentName'> {
  const { db } = source.connection;
  const run = findRun(db, of.run_id);
  return {
    runId: of.run_id,
    runNumber: run?.run_number ?? 0,
    runTitle: run?.title ?? '',
    agentName: findAgent(db, of.agent_id)?.name ?? of.agent_id,
  };
}

function unclearItem(source: ViewSource, attempt: AttemptRecord): NeedsYouItem {
  const { title, tool } = intentOf(attempt);
  const wait = findAwaited(source.connection.db, attempt.attempt_token);
  const deviceName = deviceNameOf(source, claimOf(attempt)?.owner.deviceId ?? null);
  const because = wait?.endedBecause ?? null;
  return {
    kind: 'unclear',
    id: attempt.attempt_token,
    title,
    sentence: because === null ? cannotTellText(tool) : waitEndText(because, deviceName),
    ...place(source, attempt),
    deviceName,
    sinceMs: attempt.in_doubt_at_ms ?? source.nowMs,
    alike: alikeDoubt(doubtFacts(source.connection, attempt)),
  };
}

function waitingItem(source: ViewSource, attempt: AttemptRecord): NeedsYouItem {
  const sinceMs = findAwaited(source.connection.db, attempt.attempt_token)?.sinceMs;
  return { ...unclearItem(source, attempt), ...(sinceMs === undefined ? {} : { sinceMs }), alike: null };
}

function approvalItem(source: ViewSource, approval: ApprovalRecord): NeedsYouItem {
  const request = JSON.parse(approval.request) as EventPayloads['approval.requested'];
  return {
    kind: 'approve',
    id: approval.approval_id,
    title: request.title,
    sentence: request.question,
    ...place(source, approval),
    deviceName: source.device.name,
    sinceMs: approval.asked_at_ms,
    alike: alikeOf(source, approval, request),
  };
}

/**
 * Which questions a person may answer together. What a model asks for is its own each time, and without a permission in force
 * an answer would be worth nothing: both are answered by themselves.
 */
function alikeOf(
  { connection }: ViewSource,
  approval: ApprovalRecord,
  { ofStateId, effectKey, tool, effectKind }: EventPayloads['approval.requested'],
): string | null {
  const run = findRun(connection.db, approval.run_id);
  if (run === null || effectKey !== undefined) return null;
  const { grant, standing } = grantNow(connection, run.agent_id, run.revision_digest);
  if (grant === null || standing.kind !== 'in-force') return null;
  return encodeIdentity([run.agent_id, run.revision_digest, grant.grant_digest, ofStateId, tool, effectKind]);
}

function settledItems(source: ViewSource, since: number): SettledItem[] {
  const { db } = source.connection;
  const attempts = readAll<AttemptRecord>(
    db,
    'SELECT * FROM attempts WHERE decided_at_ms >= ? ORDER BY decided_at_ms DESC LIMIT ?',
    since,
    SETTLED_LIMIT * 2,
  );
  const approvals = readAll<ApprovalRecord>(
    db,
    'SELECT * FROM approvals WHERE decided_at_ms >= ? ORDER BY decided_at_ms DESC LIMIT ?',
    since,
    SETTLED_LIMIT,
  );
  const items = [
    ...attempts.flatMap((attempt) => settledAttempt(source, attempt)),
    ...approvals.map((approval) => settledApproval(approval)),
  ];
  return items.toSorted((one, other) => other.atMs - one.atMs).slice(0, SETTLED_LIMIT);
}

/** What Fencepost repeated by itself was never a question. */
function settledAttempt(source: ViewSource, attempt: AttemptRecord): SettledItem[] {
  const decision = decisionOf(attempt);
  if (decision === null || decision.choice === 'repeat') return [];
  const { title, tool } = intentOf(attempt);
  return [
    {
      kind: 'unclear',
      id: attempt.attempt_token,
      title,
      sentence: `${opening(decision.by)}: ${choiceText(decision.choice, tool)}`,
      atMs: attempt.decided_at_ms ?? 0,
      canReopen: canReopen(source.connection, attempt),
    },
  ];
}

const ANSWERS: Readonly<Record<ApprovalRecord['state'], (by: string) => string>> = {
  open: () => '',
  allowed: (by) => `${by} allowed it once`,
  'not-allowed': (by) => `${by} did not allow it`,
  expired: () => 'Nobody answered in time, so it was not sent',
  withdrawn: () => 'The run ended before it was answered',
  stale: (by) => `${by} allowed it, but that did not count any more. It was asked again`,
};

function settledApproval(approval: ApprovalRecord): SettledItem {
  const { title } = JSON.parse(approval.request) as EventPayloads['approval.requested'];
  const by = approval.standing_id === null ? opening(approval.decided_by ?? 'you') : 'Your standing permission';
  const sentence = ANSWERS[approval.state](by);
  return {
    kind: 'approve',
    id: approval.approval_id,
    title,
    sentence,
    atMs: approval.decided_at_ms ?? 0,
    canReopen: false,
  };
}
