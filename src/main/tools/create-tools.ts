import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { StrategyScope } from '../../shared/contract/scope.ts';
import type { EffectDeclaration, ToolCall, ToolName } from '../../shared/contract/tool-calls.ts';
import type { Result } from '../../shared/lib/result.ts';
import { err } from '../../shared/lib/result.ts';
import { NO_SECRETS } from '../secrets/no-secrets.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { createCallSecrets } from './call-secrets.ts';
import type { CallSecrets } from './call-secrets.ts';
import { companionCalls } from './declared-effect.ts';
import { createFileTool } from './file/file-tool.ts';
import { createHttpTool } from './http/http-tool.ts';
import { createMcpTool } from './mcp/mcp-tool.ts';
import { createModelTool } from './model/model-tool.ts';
import { createMailTool } from './mail/mail-tool.ts';
import { createScriptTool } from './script/script-tool.ts';
import { createShellTool } from './shell/shell-tool.ts';
import type { AttemptContext, PreparedCall, ProbeAnswer, ToolAdapter, ToolRun, Tools, ToolsOptions } from './tool.ts';

type Adapters = { readonly [Name in ToolName]: ToolAdapter<Extract<ToolCall, { tool: Name }>> };

/** Builds all tools of a host. */
export function createTools(options: ToolsOptions): Tools {
  const servers = createMcpTool(options);
  const adapters: Adapters = {
    shell: createShellTool(options),
    script: createScriptTool(options),
    'file.write': createFileTool(options),
    'http.request': createHttpTool(),
    'mcp.call': servers,
    'model.call': createModelTool(),
    'mail.send': createMailTool(),
  };
  // The table gives each name its own adapter; TypeScript cannot follow that from the name to the call.
  const adapterOf = (tool: ToolName) => adapters[tool] as ToolAdapter<ToolCall>;

  const prepareAlone = async (
    call: ToolCall,
    declaration: EffectDeclaration | undefined,
    scope: StrategyScope,
  ): Promise<Result<PreparedCall, Problem>> => await adapterOf(call.tool).prepare(call, declaration, scope);

  const prepare = async (
    call: ToolCall,
    declaration: EffectDeclaration | undefined,
    scope: StrategyScope,
  ): Promise<Result<PreparedCall, Problem>> => {
    // An undo or a probe that could not run would be noticed only when it is needed most.
    for (const companion of companionCalls(declaration)) {
      const flaw = declaration?.kind === 'verifiable' ? probeFlaw(companion) : null;
      if (flaw !== null) return err(problem('strategy-invalid', flaw, 'Change the probe of this step.'));
      const checked = await prepareAlone(companion, undefined, scope);
      if (!checked.ok) return checked;
    }
    return await prepareAlone(call, declaration, scope);
  };

  const secrets = options.secrets ?? NO_SECRETS;

  const perform = async (prepared: PreparedCall, context: AttemptContext): Promise<ToolRun> =>
    await withSecrets(secrets, context, async (used) =>
      used.redactRun(await adapterOf(prepared.tool).perform(prepared, used.contextFor(context))),
    );

  const look = async (prepared: PreparedCall, context: AttemptContext): Promise<ProbeAnswer> =>
    await withSecrets(secrets, context, async (used) =>
      used.redactAnswer(await adapterOf(prepared.tool).verify(prepared, used.contextFor(context))),
    );

  const verify = async (prepared: PreparedCall, context: AttemptContext): Promise<ProbeAnswer> => {
    if (prepared.probe === null) return await look(prepared, context);
    // A probe that was declared for all calls of a tool server was checked by nobody yet.
    const flaw = probeFlaw(prepared.probe);
    if (flaw !== null) return { answer: 'silent', summary: `The check could not run. ${flaw}` };
    const probe = await prepareAlone(prepared.probe, { kind: 'read-only' }, prepared.scope);
    if (!probe.ok) return { answer: 'silent', summary: `The check could not run. ${probe.error.message}` };
    return readProbe(await perform(probe.value, context));
  };

  return {
    prepare,
    perform,
    verify,
    describeTools: async (server, scope) => await servers.describeTools(server, scope),
    close: async () => await servers.close(),
  };
}

/** One attempt with secrets of its own; what breaks in it tells no value either. */
async function withSecrets<Answer>(
  store: SecretStore,
  context: AttemptContext,
  act: (used: CallSecrets) => Promise<Answer>,
): Promise<Answer> {
  const used = createCallSecrets(store, context.signal);
  try {
    return await act(used);
  } catch (cause) {
    throw used.redactError(cause);
  }
}

/** Why a call cannot serve as a read-only look; `null` means that it can. A program is taken at a person's word. */
function probeFlaw(probe: ToolCall): string | null {
  if (probe.tool === 'file.write') return 'Writing a file is no read-only check.';
  // What it answers means neither yes nor no to anybody but itself.
  if (probe.tool === 'mcp.call') return 'The answer of a tool server cannot serve as a check.';
  if (probe.tool === 'mail.send') return 'Sending mail is no read-only check.';
  if (probe.tool !== 'http.request' || probe.method === 'GET' || probe.method === 'HEAD') return null;
  return `A ${probe.method} request is no read-only check.`;
}

/** Exit code 0 or 2xx: it happened; exit code 1 or 404: it did not; anything else is no answer. */
function readProbe(run: ToolRun): ProbeAnswer {
  const { outcome } = run;
  if (outcome.kind === 'success') return { answer: 'happened', summary: run.summary };
  const isNo = outcome.kind === 'failure' && (outcome.code === 'exit-1' || outcome.code === 'http-404');
  return { answer: isNo ? 'did-not-happen' : 'silent', summary: run.summary };
}
