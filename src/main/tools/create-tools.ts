import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { EffectDeclaration, StrategyScope, ToolCall, ToolName } from '../../shared/contract/strategy.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import type { Result } from '../../shared/lib/result.ts';
import { err } from '../../shared/lib/result.ts';
import { companionCalls } from './declared-effect.ts';
import { createFileTool } from './file/file-tool.ts';
import { createHttpTool } from './http/http-tool.ts';
import { createShellTool } from './shell/shell-tool.ts';
import type { PreparedCall, ProbeAnswer, ToolContext, ToolRun, Tools, ToolsOptions } from './tool.ts';

/** Builds all tools of a host. */
export function createTools(options: ToolsOptions): Tools {
  const shell = createShellTool(options);
  const file = createFileTool(options);
  const request = createHttpTool();

  const prepareAlone = async (
    call: ToolCall,
    declaration: EffectDeclaration | undefined,
    scope: StrategyScope,
  ): Promise<Result<PreparedCall, Problem>> => {
    switch (call.tool) {
      case 'shell':
        return await shell.prepare(call, declaration, scope);
      case 'file.write':
        return await file.prepare(call, declaration, scope);
      case 'http.request':
        return await request.prepare(call, declaration, scope);
      default:
        return assertNever(call);
    }
  };

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

  const adapterOf = (tool: ToolName) => {
    switch (tool) {
      case 'shell':
        return shell;
      case 'file.write':
        return file;
      case 'http.request':
        return request;
      default:
        return assertNever(tool);
    }
  };

  const perform = async (prepared: PreparedCall, context: ToolContext): Promise<ToolRun> =>
    await adapterOf(prepared.tool).perform(prepared, context);

  const verify = async (prepared: PreparedCall, context: ToolContext): Promise<ProbeAnswer> => {
    if (prepared.probe === null) return await adapterOf(prepared.tool).verify(prepared, context);
    const probe = await prepareAlone(prepared.probe, { kind: 'read-only' }, prepared.scope);
    if (!probe.ok) return { answer: 'silent', summary: `The check could not run. ${probe.error.message}` };
    return readProbe(await perform(probe.value, context));
  };

  return { prepare, perform, verify };
}

/** Why a call cannot serve as a read-only look; `null` means that it can. A program is taken at a person's word. */
function probeFlaw(probe: ToolCall): string | null {
  if (probe.tool === 'file.write') return 'Writing a file is no read-only check.';
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
