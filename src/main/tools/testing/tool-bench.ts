import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { scopeSchema } from '../../../shared/contract/scope.ts';
import type { StrategyScope } from '../../../shared/contract/scope.ts';
import type { EffectDeclaration, ToolCall } from '../../../shared/contract/tool-calls.ts';
import type { SecretStore } from '../../secrets/secret-store.ts';
import { createTools } from '../create-tools.ts';
import type { AttemptContext, PreparedCall, ToolRun, Tools, ToolsOptions } from '../tool.ts';

/** A granted folder with everything that a test of the tools needs; real files, real programs. */
export interface ToolBench {
  readonly tools: Tools;
  /** The parent of `folder`; nothing of it was granted. */
  readonly outside: string;
  readonly folder: string;
  readonly scope: StrategyScope;
  prepare(call: ToolCall, declaration?: EffectDeclaration): Promise<PreparedCall>;
  /** The refusal of a call, as a sentence; fails if it was allowed. */
  refusal(call: ToolCall, declaration?: EffectDeclaration): Promise<string>;
  run(call: ToolCall, declaration?: EffectDeclaration): Promise<ToolRun>;
  remove(): void;
}

/** Circumstances of an attempt that nobody interrupts. */
export function context(signal: AbortSignal = new AbortController().signal): AttemptContext {
  return { effectId: 'effect-1', epoch: 7, signal };
}

/** Sets up a bench in a folder of its own. */
export function createBench(
  scope: Partial<StrategyScope> = {},
  secrets?: SecretStore,
  signIns?: ToolsOptions['signIns'],
): ToolBench {
  const outside = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'fencepost-tools-')));
  const folder = path.join(outside, 'granted');
  const profile = path.join(folder, 'profile');
  const tools = createTools({
    protectedFolders: [profile],
    homeFolder: outside,
    ...(secrets === undefined ? {} : { secrets }),
    ...(signIns === undefined ? {} : { signIns }),
  });
  const whole = scopeSchema.parse({ folders: [folder], ...scope });
  const prepare = async (call: ToolCall, declaration?: EffectDeclaration) => {
    const prepared = await tools.prepare(call, declaration, whole);
    if (!prepared.ok) throw new Error(prepared.error.message);
    return prepared.value;
  };
  return {
    tools,
    outside,
    folder,
    scope: whole,
    prepare,
    refusal: async (call, declaration) => {
      const prepared = await tools.prepare(call, declaration, whole);
      if (prepared.ok) throw new Error(`It was allowed: ${prepared.value.inputText.slice(0, 200)}`);
      return prepared.error.message;
    },
    run: async (call, declaration) => await tools.perform(await prepare(call, declaration), context()),
    remove: () => rmSync(outside, { recursive: true, force: true }),
  };
}
