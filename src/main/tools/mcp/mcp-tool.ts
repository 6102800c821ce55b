import type { Problem } from '../../../shared/contract/errors.ts';
import type { StrategyScope } from '../../../shared/contract/scope.ts';
import type { ModelTool, ToolCall } from '../../../shared/contract/tool-calls.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { ToolAdapter, ToolsOptions } from '../tool.ts';

/** A call of one tool of one tool server. */
export type McpCall = Extract<ToolCall, { tool: 'mcp.call' }>;

/** The adapter for tool servers (MCP), with what else a host wants from them. */
export interface McpTool extends ToolAdapter<McpCall> {
  /** The tools of a server that a scope holds. All words in them are the server's own and untrusted. */
  describeTools(server: string, scope: StrategyScope): Promise<Result<readonly ModelTool[], Problem>>;
  /** Ends every server that was started; calls on their way become unclear, and later ones are not sent. */
  close(): Promise<void>;
}

/**
 * Calls the tools of other programs and services. What one does is unknown unless a person says so: blind. The SDK and
 * its schemas take a noticeable part of a start of the host, so they are loaded by the first call that needs them.
 */
export function createMcpTool(options: ToolsOptions, idleMs?: number): McpTool {
  let loading: Promise<McpTool> | null = null;
  let isClosed = false;
  const loadNow = async (): Promise<McpTool> => {
    const { createMcpAdapter } = await import('./mcp-adapter.ts');
    const adapter = createMcpAdapter(options, idleMs);
    if (isClosed) await adapter.close();
    return adapter;
  };
  const load = async (): Promise<McpTool> => await (loading ??= loadNow());
  return {
    tool: 'mcp.call',
    prepare: async (call, declaration, scope) => await (await load()).prepare(call, declaration, scope),
    perform: async (prepared, context) => await (await load()).perform(prepared, context),
    verify: async (prepared, context) => await (await load()).verify(prepared, context),
    describeTools: async (server, scope) => await (await load()).describeTools(server, scope),
    close: async () => {
      isClosed = true;
      if (loading !== null) await (await loading).close();
    },
  };
}
