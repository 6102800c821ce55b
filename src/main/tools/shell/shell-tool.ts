import type { Problem } from '../../../shared/contract/errors.ts';
import type { StrategyScope } from '../../../shared/contract/scope.ts';
import type { EffectDeclaration, ToolCall } from '../../../shared/contract/tool-calls.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { ok } from '../../../shared/lib/result.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { declaredEffect } from '../declared-effect.ts';
import { plainTitle } from '../plain-title.ts';
import type { PreparedCall, ToolAdapter, ToolContext, ToolRun, ToolsOptions } from '../tool.ts';
import { checkProgram, startProgram } from './start-program.ts';

type ShellCall = Extract<ToolCall, { tool: 'shell' }>;

/** Runs a program with a list of arguments. What it does to the world is unknown unless a person says so: blind. */
export function createShellTool(options: ToolsOptions): ToolAdapter<ShellCall> {
  const prepare = async (
    call: ShellCall,
    declaration: EffectDeclaration | undefined,
    scope: StrategyScope,
  ): Promise<Result<PreparedCall, Problem>> => {
    const cwd = await checkProgram(call, { scope, options });
    if (!cwd.ok) return cwd;
    const { argv, env, secretEnv } = call;
    const program = argv[0] ?? '';
    return ok({
      tool: 'shell',
      call: { ...call, cwd: cwd.value },
      title: plainTitle(`Run ${argv.join(' ')}`),
      target: `${program} in ${cwd.value}`,
      recipient: { recipient: 'script', runtimeId: 'shell', entry: program },
      commandKind: 'script',
      ...declaredEffect(declaration, { undeclared: 'blind', hint: null, isDestructive: false }),
      inputText: canonicalJson({ tool: 'shell', argv, cwd: cwd.value, env, secretEnv }),
      scope,
    });
  };

  const perform = async (prepared: PreparedCall, context: ToolContext): Promise<ToolRun> => {
    const { call, scope } = prepared;
    if (call.tool !== 'shell') throw new Error('Not a shell call.');
    return await startProgram(call, { scope, options, context, name: visibleText(call.argv[0] ?? '') });
  };

  const verify = async () =>
    Promise.resolve({ answer: 'silent' as const, summary: 'A program leaves nothing that could be looked at.' });

  return { tool: 'shell', prepare, perform, verify };
}
