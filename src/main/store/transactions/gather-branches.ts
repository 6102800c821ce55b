import type { AttemptToken } from '../../../shared/contract/identifiers.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import { worksetResult } from '../../../shared/core/run/branches.ts';
import { effectKeyOf } from '../../../shared/core/run/effect-key.ts';
import type { Json } from '../../../shared/lib/canonical-json.ts';
import { branchesOf } from '../branches.ts';
import { readOne } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { findRun } from '../rows.ts';
import type { RunRecord } from '../rows.ts';
import { beginMissing, conclude } from './enter-state.ts';
import { releaseStep } from './release-step.ts';

/** Goes on behind a branching state once every branch has ended, or begins one that is missing. Answers whether it did. */
export function gatherBranches(
  connection: Connection,
  runId: string,
  of: { strategy: Strategy; nowMs: number },
): boolean {
  const run = findRun(connection.db, runId);
  if (run === null || run.phase !== 'branching') return false;
  const { state_id: stateId, state_visit: stateVisit } = run;
  const state = of.strategy.states[stateId];
  if (state?.type !== 'fork' && state?.type !== 'workset') return false;
  if (beginMissing(connection, run, { ...of, state })) return true;
  const branches = branchesOf(connection.db, { runId: run.run_id, stateId, stateVisit });
  const ended = branches.flatMap(({ branch, ending }) => (ending === null ? [] : [{ name: branch ?? '', ending }]));
  if (ended.length < branches.length) return false;
  const isFork = state.type === 'fork';
  const done = ended.filter((branch) => branch.ending === 'done').length;
  const summary = `${done} of ${ended.length} ${isFork ? 'branches arrived' : 'items are done'}`;
  const output: Json = isFork
    ? { branches: Object.fromEntries(ended.map((branch) => [branch.name, branch.ending])) }
    : { items: branches.map((branch) => itemOutput(connection, branch)), done, failed: ended.length - done };
  conclude(connection, run, { stateId, stateVisit, output, summary });
  releaseStep(connection, {
    // Nothing was sent from this state itself; its branches settled their own effects.
    attempt: {
      effect: { agentId: run.agent_id, runId: run.run_id, effectKey: effectKeyOf(stateId, stateVisit) },
      attemptToken: 'branches' as AttemptToken,
    },
    from: { stateId, stateVisit },
    result: isFork ? { kind: 'success' } : worksetResult(ended),
    strategy: of.strategy,
    nowMs: of.nowMs,
    failText: summary,
  });
  return true;
}

/**
 * What later steps see of one item: how it ended, and the newest output of its steps. One that is too large to be gathered
 * is left out, and none from before it stands in.
 */
function itemOutput({ db }: Connection, branch: RunRecord): Json {
  const newest = readOne<{ output: string | null }>(
    db,
    `SELECT v.output FROM visits v JOIN attempts a ON a.run_id = v.run_id AND a.state_id = v.state_id AND a.state_visit = v.visit
       WHERE v.run_id = ? AND v.output_digest IS NOT NULL ORDER BY a.rowid DESC LIMIT 1`,
    branch.run_id,
  );
  return {
    id: branch.branch,
    ending: branch.ending,
    summary: branch.last_event,
    output: JSON.parse(newest?.output ?? 'null') as Json,
  };
}
