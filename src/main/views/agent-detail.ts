import type { Problem } from '../../shared/contract/errors.ts';
import type { AgentId, Digest } from '../../shared/contract/identifiers.ts';
import type { AgentDetailView, GraphNode } from '../../shared/contract/views.ts';
import { ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { readAll, readOne } from '../store/connection.ts';
import { devicesOf, grantNow } from '../store/grant-now.ts';
import { findAgent, findSource } from '../store/rows.ts';
import type { AgentRecord, RunRecord } from '../store/rows.ts';
import { asksOf } from './agent-asks.ts';
import { graphEdges, graphNodes } from './agent-graph.ts';
import { agentRow } from './agents.ts';
import { holdView } from './control.ts';
import { devicesText, permissionText } from './control-words.ts';
import { leaseView } from './lease.ts';
import { runRow } from './run-row.ts';
import { signInWords } from './sign-ins.ts';
import { standingViews } from './standing.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** How many recent runs an agent's page lists. */
const RECENT_RUNS = 20;

/** One agent: how it works, what it asks for, what it did; `null` if there is no such agent. */
export function agentDetailView(
  source: ViewSource,
  agentId: AgentId,
  previewGrant: (agentId: AgentId) => Result<{ previewDigest: Digest }, Problem>,
): Result<AgentDetailView | null, Problem> {
  const { db } = source.connection;
  const agent = findAgent(db, agentId);
  if (agent === null) return ok(null);
  const preview = previewGrant(agentId);
  if (!preview.ok) return preview;
  const strategy = source.strategyOf(agent.revision_digest);
  const runs = readAll<RunRecord>(
    db,
    'SELECT * FROM runs WHERE agent_id = ? AND parent_run_id IS NULL ORDER BY run_number DESC LIMIT ?',
    agentId,
    RECENT_RUNS,
  );
  const names = new Map([[agent.agent_id as string, agent.name]]);
  return ok({
    sequence: sequenceOf(source),
    agent: agentRow(source, agent),
    revisionDigest: agent.revision_digest,
    source: findSource(db, agent.revision_digest) ?? '',
    input: Object.entries(strategy?.input ?? {}).map(([key, field]) => ({
      key,
      title: field.title,
      description: field.description ?? '',
      default: field.default ?? '',
    })),
    nodes: strategy === null ? [] : graphNodes(strategy, openMarks(source, agent)),
    edges: strategy === null ? [] : graphEdges(strategy),
    asks: strategy === null ? [] : asksOf(strategy, (server) => signInWords(source, server)),
    previewDigest: preview.value.previewDigest,
    grant: grantOf(source, agent),
    standing: standingViews(source, agent),
    hold: holdView(source, agentId),
    runs: runs.map((run) => runRow(source, run, names)),
    lease: leaseView(source, agentId),
  });
}

/** Where open runs of this revision stand; a state where a person is needed wins. */
function openMarks(source: ViewSource, agent: AgentRecord): ReadonlyMap<string, GraphNode['mark']> {
  const open = readAll<{ state_id: string; needs: number }>(
    source.connection.db,
    `SELECT state_id, max(phase IN ('needs-recovery', 'needs-approval')) AS needs FROM runs WHERE agent_id = ? AND ending IS NULL
       AND revision_digest = ? GROUP BY state_id`,
    agent.agent_id,
    agent.revision_digest,
  );
  return new Map(open.map((row) => [row.state_id, row.needs === 1 ? 'needs' : 'running']));
}

function grantOf(source: ViewSource, agent: AgentRecord): AgentDetailView['grant'] {
  const { grant, standing } = grantNow(source.connection, agent.agent_id, agent.revision_digest);
  if (grant === null || grant.revoked_at_ms !== null) return null;
  const used = readOne<{ count: number }>(
    source.connection.db,
    'SELECT count(*) AS count FROM runs WHERE agent_id = ? AND revision_digest = ? AND started_at_ms >= ? AND parent_run_id IS NULL',
    agent.agent_id,
    grant.revision_digest,
    grant.given_at_ms,
  );
  return {
    grantDigest: grant.grant_digest,
    givenAtMs: grant.given_at_ms,
    by: grant.given_by,
    isForThisRevision: grant.revision_digest === agent.revision_digest,
    isInForce: standing.kind === 'in-force',
    whyNot: standing.kind === 'in-force' ? '' : permissionText(standing),
    expiresAtMs: grant.expires_at_ms,
    devices: devicesText(source, devicesOf(grant)),
    used: used?.count ?? 0,
  };
}
