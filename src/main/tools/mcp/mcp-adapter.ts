import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { StrategyScope } from '../../../shared/contract/scope.ts';
import { TOOL_TIMEOUT_MS } from '../../../shared/contract/tool-calls.ts';
import type { EffectDeclaration, ModelTool } from '../../../shared/contract/tool-calls.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { NO_SECRETS } from '../../secrets/no-secrets.ts';
import { createCallSecrets } from '../call-secrets.ts';
import { plainTitle } from '../plain-title.ts';
import type { PreparedCall, ToolContext, ToolRun, ToolsOptions } from '../tool.ts';
import type { McpCall, McpTool } from './mcp-tool.ts';
import { describeCall, notSent } from './call-outcome.ts';
import { createDeadline, unlessAborted } from './deadline.ts';
import type { Deadline } from './deadline.ts';
import type { ServerConnection } from './server-connection.ts';
import { checkServer, hideSignIn, readyServer, serverText, sha256 } from './server-definition.ts';
import type { CheckedServer } from './server-definition.ts';
import { noAnswer } from './server-failure.ts';
import { createServerPool } from './server-pool.ts';
import type { ServerPool } from './server-pool.ts';
import { argumentsFlaw } from './server-tools.ts';
import type { ServerTool } from './server-tools.ts';
import { toolEffect } from './tool-effect.ts';

type ToolsByName = ReadonlyMap<string, ServerTool>;

/** How long preparing may wait for a server to start and to list its tools, ms. */
const PREPARE_LIMIT_MS = 45_000;

/** The adapter itself; `createMcpTool` loads it. */
export function createMcpAdapter(options: ToolsOptions, idleMs?: number): McpTool {
  const pool = createServerPool(options, idleMs);
  const readToolsOf = createToolReader(options, pool);

  const prepare = async (
    call: McpCall,
    declaration: EffectDeclaration | undefined,
    scope: StrategyScope,
  ): Promise<Result<PreparedCall, Problem>> => {
    const read = await readToolsOf(call.server, scope);
    if (!read.ok) return read;
    const { server, tools, secrets } = read.value;
    const tool = tools.get(call.name);
    const flaw = tool === undefined ? missing(server, call.name) : argumentsFlaw(tool, call.arguments);
    if (tool === undefined || flaw !== null) return err(refused(secrets.reader.redact(flaw ?? '')));
    return ok({
      tool: 'mcp.call',
      call,
      title: plainTitle(`Call ${call.name} on ${call.server}`),
      target: `${visibleText(call.name)} on ${serverText(server.definition)}`,
      recipient: { recipient: 'actor', bindingId: sha256(canonicalJson(server.definition)), runtimeId: 'mcp.call' },
      commandKind: 'actor',
      ...toolEffect(tool, server.definition, declaration),
      inputText: inputTextOf(call, server, tool),
      scope,
    });
  };

  const perform = async (prepared: PreparedCall, context: ToolContext): Promise<ToolRun> => {
    const { call, scope } = prepared;
    if (call.tool !== 'mcp.call') throw new Error('Not an mcp.call.');
    const checked = await checkServer(call.server, scope, options);
    if (!checked.ok) return notSent(checked.error, { code: 'outside-scope', failureClass: 'permanent' });
    const signIns = options.signIns ?? null;
    const ready = await readyServer(checked.value, context.secrets, signIns);
    if (!ready.ok) return ready.error;
    const deadline = createDeadline(call.timeoutMs ?? TOOL_TIMEOUT_MS, context.signal);
    try {
      const run = await pool.use(ready.value, deadline, async (connection) => {
        const changed = await whatChanged(connection, { call, server: checked.value, prepared, deadline });
        if (changed !== null) return changed;
        const meta = { 'fencepost/effectId': context.effectId, 'fencepost/epoch': context.epoch };
        const end = await connection.call(
          { name: call.name, arguments: call.arguments, meta },
          within(context, deadline),
        );
        return describeCall(end, { name: checked.value.name, tool: visibleText(call.name) });
      });
      return run.ok ? run.value : notSent(run.error.sentence, run.error);
    } finally {
      hideSignIn(ready.value, context.secrets, signIns);
      deadline.clear();
    }
  };

  const describeTools: McpTool['describeTools'] = async (name, scope) => {
    const read = await readToolsOf(name, scope);
    if (!read.ok) return read;
    const { tools, secrets } = read.value;
    const told = [...tools.values()].map(({ name: tool, description, inputSchema }) => {
      return { name: tool, description: secrets.reader.redact(description), parameters: inputSchema };
    });
    return ok(told as readonly ModelTool[]);
  };

  const verify = async () =>
    Promise.resolve({ answer: 'silent' as const, summary: 'The tool server was not asked: no probe was declared.' });

  return { tool: 'mcp.call', prepare, perform, verify, describeTools, close: async () => await pool.close() };
}

/** Builds what asks a server in a scope for its tools: a read, for which it is started if it does not run. */
function createToolReader(options: ToolsOptions, pool: ServerPool) {
  const readTools = async (server: CheckedServer, deadline: Deadline) => {
    const secrets = createCallSecrets(options.secrets ?? NO_SECRETS, deadline.signal);
    const signIns = options.signIns ?? null;
    const ready = await readyServer(server, secrets.reader, signIns);
    if (!ready.ok) return err(unready(ready.error));
    const listed = await pool.use(ready.value, deadline, async (connection) => await listTools(connection, deadline));
    hideSignIn(ready.value, secrets.reader, signIns);
    const tools = listed.ok ? (listed.value ?? err(noAnswer(server.name))) : listed;
    if (!tools.ok) return err(unreachable(secrets.reader.redact(tools.error.sentence), tools.error.code));
    return ok({ server, tools: tools.value, secrets });
  };
  return async (name: string, scope: StrategyScope) => {
    const checked = await checkServer(name, scope, options);
    if (!checked.ok) return err(refused(checked.error));
    const deadline = createDeadline(PREPARE_LIMIT_MS);
    try {
      return await readTools(checked.value, deadline);
    } finally {
      deadline.clear();
    }
  };
}

/** Canonical JSON of everything that a person agrees to: what is called, what runs, and what the tool says it is. */
function inputTextOf(call: McpCall, server: CheckedServer, tool: ServerTool): string {
  return canonicalJson({
    tool: 'mcp.call',
    server: call.server,
    definition: server.definition,
    name: call.name,
    arguments: call.arguments,
    toolDigest: tool.digest,
  });
}

async function listTools(connection: ServerConnection, deadline: Deadline) {
  return await unlessAborted(connection.tools(), deadline.signal);
}

/** Why a call must not leave although it was prepared; `null` means that everything is as it was. */
async function whatChanged(
  connection: ServerConnection,
  of: {
    readonly call: McpCall;
    readonly server: CheckedServer;
    readonly prepared: PreparedCall;
    readonly deadline: Deadline;
  },
): Promise<ToolRun | null> {
  const { call, server, prepared, deadline } = of;
  const listed = await listTools(connection, deadline);
  if (listed === null) {
    const failureClass = deadline.code === 'timeout' ? 'transient' : 'runtime';
    return notSent(noAnswer(server.name).sentence, { code: deadline.code, failureClass });
  }
  if (!listed.ok) return notSent(listed.error.sentence, listed.error);
  const tools: ToolsByName = listed.value;
  const tool = tools.get(call.name);
  if (tool !== undefined && inputTextOf(call, server, tool) === prepared.inputText) return null;
  const what = tool === undefined ? 'is not there any more' : 'is not what it was when this was prepared';
  const sentence = `The tool ${visibleText(call.name)} on ${server.name} ${what}.`;
  return notSent(sentence, { code: 'tool-changed', failureClass: 'authority' });
}

function within(context: ToolContext, deadline: Deadline) {
  const { onProgress } = context;
  if (onProgress === undefined) return { deadline };
  return {
    deadline,
    onProgress: (text: string) => onProgress(visibleText(context.secrets.redact(text)).slice(0, 200)),
  };
}

function missing(server: CheckedServer, tool: string): string {
  return `The tool server ${server.name} has no tool named "${visibleText(tool)}".`;
}

function refused(message: string): Problem {
  return problem('input-invalid', message, 'Change the strategy, or grant the agent a wider scope.');
}

function unreachable(sentence: string, code: string): Problem {
  const wayOut = code.startsWith('sign-in-') ? SIGN_IN_FIRST : 'See that the tool server runs, then try again.';
  return problem('not-found', `${sentence} Nothing was sent.`, wayOut);
}

const SIGN_IN_FIRST = 'Sign in under Settings, Tools, then try again.';

function unready({ outcome, summary }: ToolRun): Problem {
  const isSignIn = outcome.kind === 'failure' && outcome.code.startsWith('sign-in-');
  return problem('input-invalid', summary, isSignIn ? SIGN_IN_FIRST : 'Keep the secret on this device first.');
}
