import type { Database } from 'better-sqlite3';
import type { TemplateScope } from '../../shared/core/run/template.ts';
import { readAll } from './connection.ts';
import { findRun } from './rows.ts';
import type { RunRecord } from './rows.ts';

type Steps = Record<string, { output: unknown }>;

/**
 * The newest output of each state of a run. It goes from state to state through the index, so that a run that has been in
 * one state five thousand times costs no more than a young one. Visits from before there were digests have their output only.
 */
const NEWEST_OUTPUTS = `
WITH RECURSIVE states (id) AS (
  SELECT min(state_id) FROM visits WHERE run_id = @runId
  UNION ALL
  SELECT (SELECT min(state_id) FROM visits WHERE run_id = @runId AND state_id > states.id) FROM states WHERE states.id IS NOT NULL
)
SELECT id AS state_id,
  (SELECT coalesce(output, (SELECT body FROM blobs WHERE digest = output_digest)) FROM visits
     WHERE run_id = @runId AND state_id = id AND is_aside = 0 AND coalesce(output_digest, output) IS NOT NULL ORDER BY visit DESC LIMIT 1) AS output
FROM states WHERE id IS NOT NULL`;

/** The branches of a run that have no item: ways of a fork, whose steps the run itself can look at afterwards. */
const WAYS = 'SELECT run_id FROM runs WHERE parent_run_id = ? AND branch_item IS NULL ORDER BY run_number';

function outputsOf(db: Database, runId: string): Steps {
  const found: Steps = {};
  for (const row of readAll<{ state_id: string; output: string | null }>(db, NEWEST_OUTPUTS, { runId })) {
    if (row.output !== null) found[row.state_id] = { output: JSON.parse(row.output) as unknown };
  }
  return found;
}

/** Outputs of a run and of the ways that it forked into; what the run did itself counts more. */
function outputsWithin(db: Database, runId: string): Steps {
  const ways = readAll<{ run_id: string }>(db, WAYS, runId);
  return Object.assign({}, ...ways.map((way) => outputsWithin(db, way.run_id)), outputsOf(db, runId)) as Steps;
}

/** What a branch sees: all that its run saw, then its own. */
function outputsSeen(db: Database, run: RunRecord): Steps {
  const parent = run.parent_run_id === null ? null : findRun(db, run.parent_run_id);
  const before = parent === null ? {} : outputsSeen(db, parent);
  return { ...before, ...outputsWithin(db, run.run_id) };
}

function itemOf(db: Database, run: RunRecord): unknown {
  if (run.branch_item !== null) return JSON.parse(run.branch_item) as unknown;
  const parent = run.parent_run_id === null ? null : findRun(db, run.parent_run_id);
  return parent === null ? undefined : itemOf(db, parent);
}

/** What the templates of a run, and of a call with arguments, can look at. Outputs are read only if a template asks for one. */
export function templateScope(db: Database, run: RunRecord, args?: TemplateScope['args']): TemplateScope {
  let steps: Steps | null = null;
  return {
    input: JSON.parse(run.input) as Record<string, string>,
    get steps() {
      return (steps ??= outputsSeen(db, run));
    },
    run: { id: run.run_id },
    item: itemOf(db, run),
    ...(args === undefined ? {} : { args }),
  };
}
