import { stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { TOOL_TIMEOUT_MS } from '../../../shared/contract/strategy.ts';
import type { EffectDeclaration, StrategyScope, ToolCall } from '../../../shared/contract/strategy.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { declaredEffect } from '../declared-effect.ts';
import { plainTitle } from '../plain-title.ts';
import { fullPath, resolveInside } from '../resolve-inside.ts';
import type { PreparedCall, ToolAdapter, ToolContext, ToolRun, ToolsOptions } from '../tool.ts';
import { findProgram } from './find-program.ts';
import { runProgram } from './run-program.ts';
import type { ProgramRun } from './run-program.ts';

type ShellCall = Extract<ToolCall, { tool: 'shell' }>;

/** What a program gets of the environment of the host. Tokens and keys that happen to lie there stay there. */
const ENVIRONMENT_NAMES = [
  ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ['SystemRoot', 'SystemDrive', 'windir', 'PATHEXT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'ProgramFiles'],
  ['ProgramData', 'NUMBER_OF_PROCESSORS', 'PROCESSOR_ARCHITECTURE'],
].flat();

/** Runs a program with a list of arguments. What it does to the world is unknown unless a person says so: blind. */
export function createShellTool(options: ToolsOptions): ToolAdapter<ShellCall> {
  const checkCwd = async (call: ShellCall, scope: StrategyScope): Promise<Result<string, string>> => {
    const wanted = call.cwd ?? scope.folders[0];
    if (wanted === undefined) return err('A program needs a folder to run in, and this agent may use none.');
    return await resolveInside(wanted, { ...options, folders: scope.folders });
  };

  const prepare = async (
    call: ShellCall,
    declaration: EffectDeclaration | undefined,
    scope: StrategyScope,
  ): Promise<Result<PreparedCall, Problem>> => {
    const flaw = argvFlaw(call.argv, scope.programs);
    if (flaw !== null) return err(refused(flaw));
    const cwd = await checkCwd(call, scope);
    if (!cwd.ok) return err(refused(cwd.error));
    const program = call.argv[0] ?? '';
    return ok({
      tool: 'shell',
      call: { ...call, cwd: cwd.value },
      title: plainTitle(`Run ${call.argv.join(' ')}`),
      target: `${program} in ${cwd.value}`,
      recipient: { recipient: 'script', runtimeId: 'shell', entry: program },
      commandKind: 'script',
      ...declaredEffect(declaration, { undeclared: 'blind', hint: null, isDestructive: false }),
      inputText: canonicalJson({ tool: 'shell', argv: call.argv, cwd: cwd.value }),
      scope,
    });
  };

  const perform = async (prepared: PreparedCall, context: ToolContext): Promise<ToolRun> => {
    const { call, scope } = prepared;
    if (call.tool !== 'shell') throw new Error('Not a shell call.');
    const flaw = argvFlaw(call.argv, scope.programs);
    const cwd = await checkCwd(call, scope);
    if (flaw !== null) return notSent('outside-scope', flaw);
    if (!cwd.ok) return notSent('outside-scope', cwd.error);
    const folder = await stat(cwd.value).catch(() => null);
    if (folder?.isDirectory() !== true) return notSent('folder-missing', `There is no folder ${cwd.value}.`);
    const environment = environmentFor(options.environment ?? process.env, context);
    const name = call.argv[0] ?? '';
    const file = await findProgram(name, {
      searchPath: environment['PATH'] ?? '',
      writableFolders: scope.folders.flatMap((each) => fullPath(each, options.homeFolder ?? os.homedir()) ?? []),
    });
    if (file === null) {
      const where = 'outside the folders that the agent can write into';
      return notSent('program-not-found', `This device has no program ${visibleText(name)} ${where}.`);
    }
    const timeoutMs = call.timeoutMs ?? TOOL_TIMEOUT_MS;
    const { signal } = context;
    const run = await runProgram({ file, argv: call.argv, cwd: cwd.value, environment, timeoutMs, signal });
    return describeRun(visibleText(name), run, timeoutMs);
  };

  const verify = async () =>
    Promise.resolve({ answer: 'silent' as const, summary: 'A program leaves nothing that could be looked at.' });

  return { tool: 'shell', prepare, perform, verify };
}

/** Why a list of arguments is turned away. A program is allowed by exactly the name that a person granted. */
function argvFlaw(argv: readonly string[], programs: readonly string[]): string | null {
  const program = argv[0] ?? '';
  if (!programs.includes(program)) return `This agent may not start "${visibleText(program)}".`;
  if (/[\\/]/u.test(program) && !path.isAbsolute(program)) {
    return `"${visibleText(program)}" must be a plain name or a full path.`;
  }
  if (argv.some((each) => each.includes('\0') || !each.isWellFormed())) {
    return 'An argument holds characters that a program cannot take.';
  }
  return null;
}

function refused(message: string): Problem {
  return problem('input-invalid', message, 'Change the strategy, or grant the agent a wider scope.');
}

function notSent(code: string, summary: string): ToolRun {
  return {
    outcome: { kind: 'failure', class: 'permanent', code, wasSent: false },
    output: { exitCode: null, stdout: '', stderr: '' },
    summary: `${summary} Nothing was started.`,
  };
}

function environmentFor(
  from: Readonly<Record<string, string | undefined>>,
  context: ToolContext,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const name of ENVIRONMENT_NAMES) {
    // On Windows the process itself may spell it `Path`.
    const value = from[name] ?? (name === 'PATH' ? from['Path'] : undefined);
    if (value !== undefined) kept[name] = value;
  }
  return { ...kept, FENCEPOST_EFFECT_ID: context.effectId, FENCEPOST_EPOCH: String(context.epoch) };
}

function describeRun(name: string, run: ProgramRun, timeoutMs: number): ToolRun {
  const { end, stdout, stderr } = run;
  if (end.kind === 'never-started') {
    const code = end.code === 'aborted' ? 'aborted' : `spawn-${end.code.toLowerCase()}`;
    return notSent(code, `${name} could not be started (${end.code}).`);
  }
  if (end.kind === 'exited') {
    const output = { exitCode: end.exitCode, stdout, stderr };
    if (end.exitCode === 0) return { outcome: { kind: 'success' }, output, summary: `${name} ended with exit code 0.` };
    const code = `exit-${end.exitCode}`;
    return {
      outcome: { kind: 'failure', class: 'permanent', code, wasSent: true },
      output,
      summary: `${name} ended with exit code ${end.exitCode}.`,
    };
  }
  const why =
    end.code === 'timeout'
      ? `did not end within ${timeoutMs / 1000} s and was stopped`
      : end.code === 'aborted'
        ? 'was stopped before it ended'
        : `was ended by ${end.code.replace('signal-', '')}`;
  return {
    outcome: { kind: 'unclear', code: end.code },
    output: { exitCode: null, stdout, stderr },
    summary: `${name} ${why}. What it had done by then is not known.`,
  };
}
