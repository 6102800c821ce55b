import type { Problem } from '../../shared/contract/errors.ts';
import type { StrategyScope } from '../../shared/contract/scope.ts';
import type { Strategy } from '../../shared/contract/strategy.ts';
import type { ModelTool } from '../../shared/contract/tool-calls.ts';
import { offeredTools } from '../../shared/core/run/model-loop.ts';
import { fillDeep } from '../../shared/core/run/template.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import { ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { Connection } from '../store/connection.ts';
import type { RunRecord } from '../store/rows.ts';
import { templateScope } from '../store/run-scope.ts';
import type { Act } from './act.ts';
import type { HostPorts } from './ports.ts';

/** Completes a question to a model with what the tool servers say about the tools that it may use. Reads at most. */
export async function offerTools(
  ports: HostPorts,
  connection: Connection,
  of: { run: RunRecord; strategy: Strategy; act: Act },
): Promise<Result<Act, Problem>> {
  const { act, strategy, run } = of;
  const state = ownMember(strategy.states, run.state_id);
  if (act.call.tool !== 'model.call' || state?.type !== 'model') return ok(act);
  const scope = fillDeep(strategy.scope, templateScope(connection.db, run));
  const tools: ModelTool[] = [];
  for (const { name, use, serverTool } of offeredTools(state)) {
    if (!('server' in use)) {
      tools.push({ name, description: use.description, parameters: use.parameters });
      continue;
    }
    const described = await describe(ports, use.server, { serverTool, scope: scope.ok ? scope.value : strategy.scope });
    if (!described.ok) return described;
    if (described.value !== null) tools.push({ ...described.value, name });
  }
  return ok({ ...act, call: { ...act.call, tools } });
}

/** What a server says about one of its tools; `null` if it has none of that name now. */
async function describe(
  ports: HostPorts,
  server: string,
  of: { serverTool: string | null; scope: StrategyScope },
): Promise<Result<ModelTool | null, Problem>> {
  const listed = await ports.tools.describeTools(server, of.scope);
  return listed.ok ? ok(listed.value.find((tool) => tool.name === of.serverTool) ?? null) : listed;
}
