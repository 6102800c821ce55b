import { stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { StrategyScope } from '../../../shared/contract/scope.ts';
import { TOOL_TIMEOUT_MS } from '../../../shared/contract/tool-calls.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { err } from '../../../shared/lib/result.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { environmentFlaw, programEnvironment } from '../program-environment.ts';
import type { AskedVariables } from '../program-environment.ts';
import { fullPath, resolveInside } from '../resolve-inside.ts';
import type { ToolContext, ToolRun, ToolsOptions } from '../tool.ts';
import { findProgram } from './find-program.ts';
import { runProgram } from './run-program.ts';
import type { ProgramRun } from './run-program.ts';

/** A program that a call asks for, the way that calls spell it. */
interface AskedProgram extends AskedVariables {
  /** The program and its arguments. */
  readonly argv: readonly string[];
  /** The folder to run in; the first one that was granted without it. */
  readonly cwd?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Where and for whom a program is started. */
interface ProgramPlace {
  readonly scope: StrategyScope;
  readonly options: ToolsOptions;
}

/** The real folder that a granted program would run in. The error is a refusal with a way out. */
export async function checkProgram(asked: AskedProgram, place: ProgramPlace): Promise<Result<string, Problem>> {
  const checked = await findFlaw(asked, place);
  if (checked.ok) return checked;
  return err(problem('input-invalid', checked.error, 'Change the strategy, or grant the agent a wider scope.'));
}

/** Checks again, starts the program and waits for its end. `name` is what a person calls it. */
export async function startProgram(
  asked: AskedProgram,
  place: ProgramPlace & { readonly context: ToolContext; readonly name: string },
): Promise<ToolRun> {
  const { scope, options, context, name } = place;
  const cwd = await findFlaw(asked, place);
  if (!cwd.ok) return notStarted('outside-scope', cwd.error);
  const folder = await stat(cwd.value).catch(() => null);
  if (folder?.isDirectory() !== true) return notStarted('folder-missing', `There is no folder ${cwd.value}.`);
  const environment = await programEnvironment(asked, { host: options.environment ?? process.env, context });
  if (!environment.ok) return { ...environment.error, output: NO_OUTPUT };
  const program = asked.argv[0] ?? '';
  const file = await findProgram(program, {
    searchPath: environment.value['PATH'] ?? '',
    writableFolders: scope.folders.flatMap((each) => fullPath(each, options.homeFolder ?? os.homedir()) ?? []),
  });
  if (file === null) {
    const where = 'outside the folders that the agent can write into';
    return notStarted('program-not-found', `This device has no program ${visibleText(program)} ${where}.`);
  }
  const timeoutMs = asked.timeoutMs ?? TOOL_TIMEOUT_MS;
  const run = await runProgram({
    file,
    argv: asked.argv,
    cwd: cwd.value,
    environment: environment.value,
    timeoutMs,
    signal: context.signal,
  });
  return describeRun(name, run, timeoutMs);
}

async function findFlaw(asked: AskedProgram, { scope, options }: ProgramPlace): Promise<Result<string, string>> {
  const flaw = argvFlaw(asked.argv, scope.programs) ?? environmentFlaw(asked);
  if (flaw !== null) return err(flaw);
  const wanted = asked.cwd ?? scope.folders[0];
  if (wanted === undefined) return err('A program needs a folder to run in, and this agent may use none.');
  return await resolveInside(wanted, { ...options, folders: scope.folders });
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

const NO_OUTPUT = { exitCode: null, stdout: '', stderr: '' };

/** The answer of a program that was never started. */
export function notStarted(code: string, summary: string): ToolRun {
  return {
    outcome: { kind: 'failure', class: 'permanent', code, wasSent: false },
    output: NO_OUTPUT,
    summary: `${summary} Nothing was started.`,
  };
}

function describeRun(name: string, run: ProgramRun, timeoutMs: number): ToolRun {
  const { end, stdout, stderr } = run;
  if (end.kind === 'never-started') {
    const code = end.code === 'aborted' ? 'aborted' : `spawn-${end.code.toLowerCase()}`;
    return notStarted(code, `${name} could not be started (${end.code}).`);
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
  const why = whyCut(end.code, timeoutMs);
  return {
    outcome: { kind: 'unclear', code: end.code },
    output: { exitCode: null, stdout, stderr },
    summary: `${name} ${why}. What it had done by then is not known.`,
  };
}

function whyCut(code: string, timeoutMs: number): string {
  switch (code) {
    case 'timeout':
      return `did not end within ${timeoutMs / 1000} s and was stopped`;
    case 'aborted':
      return 'was stopped before it ended';
    case 'memory-limit':
      return 'used more memory than a program may, and was stopped';
    case 'process-limit':
      return 'started more processes than a program may, and was stopped';
    default:
      return `was ended by ${code.replace('signal-', '')}`;
  }
}
