import { createHash } from 'node:crypto';
import path from 'node:path';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { StrategyScope } from '../../../shared/contract/scope.ts';
import type { EffectDeclaration, ToolCall } from '../../../shared/contract/tool-calls.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { declaredEffect } from '../declared-effect.ts';
import { plainTitle } from '../plain-title.ts';
import { checkProgram, notStarted, startProgram } from '../shell/start-program.ts';
import type { PreparedCall, ToolAdapter, ToolContext, ToolRun, ToolsOptions } from '../tool.ts';
import { placeScript, scriptFileName } from './script-file.ts';

type ScriptCall = Extract<ToolCall, { tool: 'script' }>;

/**
 * Runs a text with an interpreter that a person granted. The text stands in a private folder only while it runs. What it
 * does to the world is unknown unless a person says so: blind.
 */
export function createScriptTool(options: ToolsOptions): ToolAdapter<ScriptCall> {
  const prepare = async (
    call: ScriptCall,
    declaration: EffectDeclaration | undefined,
    scope: StrategyScope,
  ): Promise<Result<PreparedCall, Problem>> => {
    const { interpreter, source, args, env, secretEnv } = call;
    if (!source.isWellFormed()) {
      return err(problem('input-invalid', 'The script holds half a character.', 'Write the script anew.'));
    }
    // The name of the file does not matter here: it has no part in what is allowed.
    const cwd = await checkProgram({ ...call, argv: [interpreter, 'script', ...args] }, { scope, options });
    if (!cwd.ok) return cwd;
    return ok({
      tool: 'script',
      call: { ...call, cwd: cwd.value },
      title: plainTitle(`Run a script with ${interpreter}`),
      target: `a script with ${interpreter} in ${cwd.value}`,
      recipient: {
        recipient: 'script',
        runtimeId: interpreter,
        entry: createHash('sha256').update(source).digest('hex'),
      },
      commandKind: 'script',
      ...declaredEffect(declaration, { undeclared: 'blind', hint: null, isDestructive: false }),
      inputText: canonicalJson({ tool: 'script', interpreter, source, args, cwd: cwd.value, env, secretEnv }),
      scope,
    });
  };

  const perform = async (prepared: PreparedCall, context: ToolContext): Promise<ToolRun> => {
    const { call, scope } = prepared;
    if (call.tool !== 'script') throw new Error('Not a script call.');
    const { interpreter, source, args } = call;
    const placed = await placeScript(source, scriptFileName(interpreter), options.scriptFolder);
    if (!placed.ok) return notStarted('script-not-placed', `The script could not be written down (${placed.error}).`);
    try {
      const argv = [interpreter, placed.value.file, ...args];
      const name = `The script with ${visibleText(path.basename(interpreter))}`;
      return await startProgram({ ...call, argv }, { scope, options, context, name });
    } finally {
      await placed.value.remove();
    }
  };

  const verify = async () =>
    Promise.resolve({ answer: 'silent' as const, summary: 'A script leaves nothing that could be looked at.' });

  return { tool: 'script', prepare, perform, verify };
}
