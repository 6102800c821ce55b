import type { GraphEdge, StateStanding } from '../../shared/contract/run-views.ts';
import type { Strategy } from '../../shared/contract/strategy.ts';
import type { GraphNode, StepRow } from '../../shared/contract/views.ts';
import type { RunStatus } from '../../shared/core/run/run-state.ts';
import { readAll } from '../store/connection.ts';
import type { RunRecord } from '../store/rows.ts';
import { graphEdges, graphNodes } from './agent-graph.ts';
import { mostUrgent, statusOf } from './run-status.ts';
import type { StatusColumns } from './run-status.ts';
import type { ViewSource } from './view-source.ts';

/** Branches beyond this are not looked at one by one; the graph then leaves out how many there are. */
const INSIDE_LIMIT = 2_000;

/** Where a state stands, in one word and in plain words. */
interface Standing {
  readonly standing: StateStanding;
  readonly text: string;
}

/** The states of a run with where they stand, its branches' states included, and the ways between them. */
export function runGraph(
  source: ViewSource,
  of: { readonly run: RunRecord; readonly strategy: Strategy | null; readonly steps: readonly StepRow[] },
): { readonly nodes: GraphNode[]; readonly edges: GraphEdge[] } {
  const { run, strategy, steps } = of;
  if (strategy === null) return { nodes: [], edges: [] };
  const own = ownStandings(source, run, steps);
  const inside = insideStandings(source, run);
  const nodes = graphNodes(strategy, new Map()).map((node) => {
    const { standing, text } = moreUrgent(own.get(node.stateId), inside.get(node.stateId));
    return { ...node, mark: MARKS[standing], standing, standingText: text };
  });
  return { nodes, edges: graphEdges(strategy) };
}

const MARKS: Readonly<Record<StateStanding, GraphNode['mark']>> = {
  'needs-recovery': 'needs',
  'needs-approval': 'needs',
  running: 'running',
  waiting: 'running',
  failed: 'none',
  refused: 'none',
  stopped: 'none',
  done: 'done',
  'not-reached': 'none',
};
/** What is shown where a state stands differently in several branches. */
const ORDER = Object.keys(MARKS) as readonly StateStanding[];

const WORDS: Readonly<Record<StateStanding, string>> = {
  'needs-recovery': 'Needs you: unclear',
  'needs-approval': 'Needs you: approve',
  running: 'Running',
  waiting: 'Waiting',
  failed: 'Failed',
  refused: 'Refused',
  stopped: 'Stopped',
  done: 'Done',
  'not-reached': 'Not reached',
};

const NOT_REACHED: Standing = { standing: 'not-reached', text: WORDS['not-reached'] };

function moreUrgent(one: Standing | undefined, other: Standing | undefined): Standing {
  if (one === undefined || other === undefined) return one ?? other ?? NOT_REACHED;
  return ORDER.indexOf(one.standing) <= ORDER.indexOf(other.standing) ? one : other;
}

const OF_STEPS: Readonly<Record<StepRow['status'], StateStanding>> = {
  waiting: 'waiting',
  running: 'running',
  done: 'done',
  failed: 'failed',
  unclear: 'needs-recovery',
  'needs-approval': 'needs-approval',
  refused: 'refused',
  stopped: 'stopped',
};

/** The states that the run itself came to, as its newest visit of each stands. */
function ownStandings(source: ViewSource, run: RunRecord, steps: readonly StepRow[]): ReadonlyMap<string, Standing> {
  const newest = new Map(steps.map((step) => [step.stateId, step]));
  const visited = readAll<{ state_id: string; visits: number }>(
    source.connection.db,
    'SELECT state_id, max(visit) AS visits FROM visits WHERE run_id = ? AND is_aside = 0 GROUP BY state_id',
    run.run_id,
  );
  return new Map(
    visited.map(({ state_id: stateId, visits }) => {
      const step = newest.get(stateId);
      const standing = step === undefined ? 'done' : OF_STEPS[step.status];
      return [stateId, { standing, text: ownText(standing, visits, step) }];
    }),
  );
}

function ownText(standing: StateStanding, visits: number, step: StepRow | undefined): string {
  const isOfBranches = step?.type === 'workset' || step?.type === 'fork';
  if (isOfBranches && step.summary !== '' && visits === 1) return step.summary;
  if (visits === 1) return WORDS[standing];
  return standing === 'done' ? `Done ${visits} times` : `${WORDS[standing]}, visit ${visits}`;
}

interface InsideGroup extends StatusColumns {
  readonly state_id: string;
  readonly is_current: number;
  readonly count: number;
}

const INSIDE = `WITH RECURSIVE inside (run_id) AS (
    SELECT run_id FROM runs WHERE parent_run_id = ?
    UNION ALL
    SELECT runs.run_id FROM inside JOIN runs ON runs.parent_run_id = inside.run_id
    LIMIT ${INSIDE_LIMIT}
  ) SELECT visits.state_id, runs.state_id = visits.state_id AND runs.state_visit = visits.visit AS is_current,
      agent_id, phase, ending, barrier_active, is_refused, count(*) AS count
    FROM inside JOIN runs USING (run_id) JOIN visits USING (run_id)
    GROUP BY visits.state_id, is_current, agent_id, phase, ending, barrier_active, is_refused`;

/** The states that branches of the run came to. */
function insideStandings(source: ViewSource, run: RunRecord): ReadonlyMap<string, Standing> {
  const states = new Map<string, InsideGroup[]>();
  for (const group of readAll<InsideGroup>(source.connection.db, INSIDE, run.run_id)) {
    const known = states.get(group.state_id);
    if (known === undefined) states.set(group.state_id, [group]);
    else known.push(group);
  }
  return new Map([...states].map(([stateId, groups]) => [stateId, insideStanding(source, groups)]));
}

function insideStanding(source: ViewSource, groups: readonly InsideGroup[]): Standing {
  const count = (holds: (group: InsideGroup) => boolean): number =>
    groups.reduce((sum, group) => sum + (holds(group) ? group.count : 0), 0);
  const all = count(() => true);
  const isLimited = all >= INSIDE_LIMIT;
  const of = (some: number, word: string): string => (isLimited || all === 1 ? word : `${word}: ${some} of ${all}`);
  const isHere = (group: InsideGroup): boolean => group.is_current === 1 && group.ending === null;
  const open = groups.filter(isHere);
  const urgent = mostUrgent(open.map((group) => statusOf(source, group)));
  if (urgent !== null) {
    const some = count((group) => isHere(group) && statusOf(source, group) === urgent);
    const standing = OPEN_STANDINGS[urgent] ?? 'waiting';
    return { standing, text: of(some, WORDS[standing]) };
  }
  const ended = (endings: readonly string[]): number =>
    count((group) => group.is_current === 1 && group.ending !== null && endings.includes(group.ending));
  const failed = ended(['failed-nothing-sent', 'failed-was-sent']);
  if (failed > 0) return { standing: 'failed', text: of(failed, WORDS.failed) };
  const stopped = ended(['stopped']);
  if (stopped > 0) return { standing: 'stopped', text: of(stopped, WORDS.stopped) };
  return { standing: 'done', text: isLimited || all === 1 ? WORDS.done : `Done ${all} times` };
}

const OPEN_STANDINGS: Readonly<Partial<Record<RunStatus, StateStanding>>> = {
  'needs-recovery': 'needs-recovery',
  'needs-approval': 'needs-approval',
  'running-here': 'running',
  'running-elsewhere': 'running',
  refused: 'refused',
  waiting: 'waiting',
};
