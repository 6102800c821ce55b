import type { RunId, StateId } from '../../../shared/contract/identifiers.ts';
import type { BranchingState, Strategy, StrategyState } from '../../../shared/contract/strategy.ts';
import { joinResult, planBranches, worksetResult } from '../../../shared/core/run/branches.ts';
import type { PlannedBranch } from '../../../shared/core/run/branches.ts';
import { chooseBranch, nextState } from '../../../shared/core/run/next-state.ts';
import type { StepResult } from '../../../shared/core/run/next-state.ts';
import { fillTemplate } from '../../../shared/core/run/template.ts';
import type { Json } from '../../../shared/lib/canonical-json.ts';
import { encodeIdentity } from '../../../shared/lib/identity.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { branchDepth, branchesOf } from '../branches.ts';
import { readOne, sha256 } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { findRun, isStillAt, nextVisit } from '../rows.ts';
import type { RunRecord } from '../rows.ts';
import { templateScope } from '../run-scope.ts';
import { endRun, failRun } from './end-run.ts';

/** A run can pass through this many states without an effect in between before it counts as going in circles. */
const SILENT_MOVE_LIMIT = 512;
/** How deep branches can lie inside each other. */
const BRANCH_DEPTH_LIMIT = 4;

/** A state that a run has just come to. */
interface Entered {
  readonly strategy: Strategy;
  readonly stateId: StateId;
  readonly visit: number;
  readonly nowMs: number;
}

/** Where a run goes on from a state without an outside act; `null`: it rests there, or has ended. An error ends it. */
type PassedThrough = Result<StateId | null, string>;

/** A run that was started comes to its first state, once: on the device that may act for it. */
export function enterFirst(connection: Connection, runId: RunId, of: { strategy: Strategy; nowMs: number }): void {
  const run = findRun(connection.db, runId);
  if (run === null || run.state_visit > 0 || run.ending !== null) return;
  enterState(connection, run, of.strategy, run.state_id, of.nowMs);
}

/** Enters a state; states that need no outside act (choice, join, wait, done, fail) are carried on at once. */
export function enterState(
  connection: Connection,
  run: RunRecord,
  strategy: Strategy,
  stateId: StateId,
  nowMs: number,
): void {
  // What another device told of a run before its beginning raises no number: as a new effect, what it did would be done again.
  const visit = run.state_visit === 0 ? 1 : nextVisit(connection.db, run.run_id, stateId);
  connection.journal.append('run.entered', { agentId: run.agent_id, runId: run.run_id, stateId, stateVisit: visit });
  carryOn(connection, run, { strategy, stateId, visit, nowMs });
}

/**
 * A run rests where none does: the journal that brought it there ends in the middle of what was written at once. The rest of
 * that may never come, so it is written here. Answers whether the run was still there.
 */
export function carryOnFrom(
  connection: Connection,
  seen: RunRecord,
  of: { strategy: Strategy; nowMs: number },
): boolean {
  const run = findRun(connection.db, seen.run_id);
  if (run === null || run.phase !== 'ready' || !isStillAt(connection, seen)) return false;
  carryOn(connection, run, { ...of, stateId: run.state_id, visit: run.state_visit });
  return true;
}

/** From a state that a run is at through all that need no outside act, to one where it rests or ends. */
function carryOn(connection: Connection, run: RunRecord, entered: Entered): void {
  const { db, journal } = connection;
  const { agent_id: agentId, run_id: runId } = run;
  let { stateId: at, visit } = entered;
  for (let moves = 0; moves < SILENT_MOVE_LIMIT; moves += 1) {
    const state: StrategyState | undefined = entered.strategy.states[at];
    if (state === undefined) return failRun(connection, run, `There is no state called ${at}`);
    const next = passThrough(connection, run, { ...entered, state, stateId: at, visit });
    if (!next.ok) return failRun(connection, run, next.error);
    if (next.value === null) return;
    journal.append('successor.released', {
      agentId,
      runId,
      fromStateId: at,
      fromStateVisit: visit,
      toStateId: next.value,
    });
    at = next.value;
    visit = nextVisit(db, runId, at);
    journal.append('run.entered', { agentId, runId, stateId: at, stateVisit: visit });
  }
  failRun(connection, run, 'The strategy went in circles without doing anything');
}

function passThrough(
  connection: Connection,
  run: RunRecord,
  entered: Entered & { state: StrategyState },
): PassedThrough {
  const { state, stateId, visit, nowMs } = entered;
  const { agent_id: agentId, run_id: runId } = run;
  switch (state.type) {
    case 'choice':
      return chooseBranch(state, templateScope(connection.db, run));
    case 'join':
      return passJoin(connection, run, { ...entered, state });
    case 'workset':
    case 'fork':
      return beginBranches(connection, run, { ...entered, state });
    case 'wait': {
      const untilMs = nowMs + state.forMs;
      connection.journal.append('run.waiting', { agentId, runId, stateId, stateVisit: visit, untilMs });
      return ok(null);
    }
    case 'done':
      endRun(connection, run, 'done', state.title ?? 'Done');
      return ok(null);
    case 'fail': {
      const reason = fillTemplate(state.reason ?? '', templateScope(connection.db, run));
      failRun(connection, run, reason.ok && reason.value !== '' ? reason.value : (state.title ?? 'Failed'));
      return ok(null);
    }
    default:
      return ok(null);
  }
}

/** Where a step of no effect leads; a failure without an edge ends the run with its sentence. */
function leave(
  connection: Connection,
  run: RunRecord,
  of: { state: StrategyState; result: StepResult; failText: string },
): PassedThrough {
  const next = nextState(of.state, of.result, templateScope(connection.db, run));
  return next.ok && next.value === null ? err(of.failText) : next;
}

/** A branch that comes to the join of its fork has arrived; the run that forked goes on from there. */
function passJoin(
  connection: Connection,
  run: RunRecord,
  entered: Entered & { state: Extract<StrategyState, { type: 'join' }> },
): PassedThrough {
  const { strategy, state, stateId } = entered;
  const origin = run.parent_state_id === null ? undefined : strategy.states[run.parent_state_id];
  if (origin?.type === 'fork' && origin.join === stateId) {
    endRun(connection, run, 'done', 'Arrived');
    return ok(null);
  }
  const forked = readOne<{ state_id: StateId; visit: number }>(
    connection.db,
    `SELECT parent_state_id AS state_id, parent_state_visit AS visit FROM runs WHERE parent_run_id = ?
       AND branch_item IS NULL ORDER BY run_number DESC LIMIT 1`,
    run.run_id,
  );
  if (forked === null) return err('A join was entered without a fork before it');
  const branches = branchesOf(connection.db, { runId: run.run_id, stateId: forked.state_id, stateVisit: forked.visit });
  const ended = branches.flatMap(({ branch, ending }) => (ending === null ? [] : [{ name: branch ?? '', ending }]));
  const arrived = ended.filter((branch) => branch.ending === 'done').length;
  const failText = `${arrived} of ${ended.length} branches arrived`;
  return leave(connection, run, { state, result: joinResult(state, ended), failText });
}

/** Begins all branches of a state in one transaction; a workset without items is over at once. */
function beginBranches(
  connection: Connection,
  run: RunRecord,
  entered: Entered & { state: BranchingState },
): PassedThrough {
  const { state, stateId, visit } = entered;
  const planned =
    branchDepth(connection.db, run) >= BRANCH_DEPTH_LIMIT
      ? err(`Branches lie more than ${BRANCH_DEPTH_LIMIT} deep inside each other.`)
      : planBranches(state, templateScope(connection.db, run));
  if (!planned.ok) {
    const failText = `Nothing was sent: ${planned.error}`;
    return leave(connection, run, { state, result: { kind: 'failure', class: 'permanent' }, failText });
  }
  const { agent_id: agentId, run_id: runId } = run;
  const count = planned.value.length;
  if (count === 0) {
    conclude(connection, run, {
      stateId,
      stateVisit: visit,
      output: { items: [], done: 0, failed: 0 },
      summary: 'No items',
    });
    return leave(connection, run, { state, result: worksetResult([]), failText: 'No items' });
  }
  connection.journal.append('run.branching', { agentId, runId, stateId, stateVisit: visit, count });
  for (const branch of planned.value) beginBranch(connection, run, { ...entered, branch });
  return ok(null);
}

/**
 * Begins the branches that a run was told to go on in and of which nobody has told: the journal that brought the rest ends in
 * between. Answers whether there were any.
 */
export function beginMissing(
  connection: Connection,
  run: RunRecord,
  of: { strategy: Strategy; state: BranchingState; nowMs: number },
): boolean {
  const { state_id: stateId, state_visit: visit } = run;
  const count = (): number => branchesOf(connection.db, { runId: run.run_id, stateId, stateVisit: visit }).length;
  const told = readOne<{ count: number }>(
    connection.db,
    `SELECT json_extract(payload, '$.count') AS count FROM ops WHERE run_id = ? AND kind = 'run.branching'
       AND json_extract(payload, '$.stateId') = ? AND json_extract(payload, '$.stateVisit') = ? ORDER BY seq DESC LIMIT 1`,
    run.run_id,
    stateId,
    visit,
  );
  if (count() >= (told?.count ?? 0)) return false;
  const planned = planBranches(of.state, templateScope(connection.db, run));
  for (const branch of planned.ok ? planned.value : []) beginBranch(connection, run, { ...of, stateId, visit, branch });
  // What its items were is not known here, so nobody can say that all of them were done.
  if (count() < (told?.count ?? 0)) failRun(connection, run, 'Not all of its branches are known on this device');
  return true;
}

function beginBranch(
  connection: Connection,
  parent: RunRecord,
  { strategy, state, stateId, visit, nowMs, branch }: Entered & { state: BranchingState; branch: PlannedBranch },
): void {
  const place = [parent.run_id, stateId, String(visit), branch.name];
  const runId = sha256(encodeIdentity(['branch', ...place])).slice(0, 32) as RunId;
  // A run that was taken back comes to the same visit again, and its branches are where they were: begun anew they would pass
  // their steps under new numbers, as new effects.
  if (findRun(connection.db, runId) !== null) return;
  connection.journal.append('run.branched', {
    agentId: parent.agent_id,
    runId,
    parentRunId: parent.run_id,
    parentStateId: stateId,
    parentStateVisit: visit,
    branch: branch.name,
    item: state.type === 'fork' ? null : { value: branch.item as Json },
    revisionDigest: parent.revision_digest,
    requestDigest: parent.request_digest,
    title: `${branch.name}: ${parent.title}`.slice(0, 80),
    by: parent.started_by,
    input: JSON.parse(parent.input) as Record<string, string>,
    stateId: branch.start,
  });
  const run = findRun(connection.db, runId);
  if (run === null) throw new Error('The branch that was just written is not there.');
  enterState(connection, run, strategy, branch.start, nowMs);
}

/** Writes down what later steps see of a step that consists of several parts. */
export function conclude(
  connection: Connection,
  run: RunRecord,
  of: { stateId: StateId; stateVisit: number; output: Json; summary: string },
): void {
  const { stateId, stateVisit, summary } = of;
  connection.journal.append('run.concluded', {
    agentId: run.agent_id,
    runId: run.run_id,
    stateId,
    stateVisit,
    output: connection.journal.keep(JSON.stringify(of.output)),
    summary,
  });
}
