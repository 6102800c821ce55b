import path from 'node:path';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { StrategyScope } from '../../../shared/contract/scope.ts';
import type { EffectDeclaration, ToolCall } from '../../../shared/contract/tool-calls.ts';
import { assertNever } from '../../../shared/lib/assert-never.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import { declaredEffect } from '../declared-effect.ts';
import { plainTitle } from '../plain-title.ts';
import { resolveInside } from '../resolve-inside.ts';
import type { PreparedCall, ProbeAnswer, ToolAdapter, ToolContext, ToolRun, ToolsOptions } from '../tool.ts';
import { lookAtFile, textDigest } from './content-digest.ts';
import { placeFile } from './place-file.ts';
import type { Placing } from './place-file.ts';

type FileCall = Extract<ToolCall, { tool: 'file.write' }>;

/** The largest file that is written, in bytes. */
const FILE_LIMIT_BYTES = 16 * 1024 * 1024;

/** Writes whole text files inside granted folders. Verifiable: the file itself says whether it was written. */
export function createFileTool(options: ToolsOptions): ToolAdapter<FileCall> {
  const resolve = async (call: FileCall, scope: StrategyScope) =>
    await resolveInside(call.path, { ...options, folders: scope.folders });

  const prepare = async (
    call: FileCall,
    declaration: EffectDeclaration | undefined,
    scope: StrategyScope,
  ): Promise<Result<PreparedCall, Problem>> => {
    const full = await resolve(call, scope);
    if (!full.ok) return err(refused(full.error));
    if (!call.content.isWellFormed()) return err(refused('The content holds half a character and cannot be written.'));
    if (Buffer.byteLength(call.content) > FILE_LIMIT_BYTES) {
      return err(refused(`The content is larger than ${FILE_LIMIT_BYTES / 1024 / 1024} MiB.`));
    }
    const before = await lookAtFile(full.value);
    if (before.kind === 'other') return err(refused(`"${full.value}" is not a file that can be written.`));
    const isReplacing = call.mode === 'replace' && before.kind === 'file';
    return ok({
      tool: 'file.write',
      call: { ...call, path: full.value },
      title: plainTitle(`${isReplacing ? 'Replace' : 'Write'} ${path.basename(full.value)}`),
      target: full.value,
      recipient: { recipient: 'actor', bindingId: full.value, runtimeId: 'file.write' },
      commandKind: 'actor',
      // A written file is a trace, whatever was declared.
      ...declaredEffect(declaration, {
        undeclared: 'verifiable',
        hint: declaration?.kind === 'read-only' ? 'verifiable' : null,
        isDestructive: isReplacing,
      }),
      inputText: canonicalJson({ tool: 'file.write', path: full.value, content: call.content, mode: call.mode }),
      scope,
      observedBefore: before.kind === 'file' ? before.digest : null,
    });
  };

  const perform = async (prepared: PreparedCall, context: ToolContext): Promise<ToolRun> => {
    const call = fileCallOf(prepared);
    const stillInside = async () => {
      const now = await resolve(call, prepared.scope);
      return now.ok && now.value === call.path && !context.signal.aborted;
    };
    if (!(await stillInside())) return notPlaced(call, context.signal.aborted ? 'aborted' : 'outside-scope');
    const content = Buffer.from(call.content, 'utf8');
    const placing = await placeFile(call.path, content, { mode: call.mode, mayStillPlace: stillInside });
    return describePlacing(
      call,
      content.length,
      context.signal.aborted && placing.kind === 'not-placed' ? ABORTED : placing,
    );
  };

  const verify = async (prepared: PreparedCall): Promise<ProbeAnswer> => {
    const call = fileCallOf(prepared);
    const name = path.basename(call.path);
    const full = await resolve(call, prepared.scope);
    if (!full.ok || full.value !== call.path) return { answer: 'silent', summary: `${name} is out of reach now.` };
    return await compare(call, prepared.observedBefore);
  };

  return { tool: 'file.write', prepare, perform, verify };
}

/** Compares the file as it is now with what was to be written and with what was there before. */
async function compare(call: FileCall, observedBefore: PreparedCall['observedBefore']): Promise<ProbeAnswer> {
  const name = path.basename(call.path);
  const now = await lookAtFile(call.path);
  if (now.kind === 'other') return { answer: 'silent', summary: `${name} could not be read (${now.code}).` };
  if (now.kind === 'absent') return { answer: 'did-not-happen', summary: `There is no ${name}.` };
  if (now.digest === textDigest(call.content)) {
    return { answer: 'happened', summary: `${name} holds exactly the content that was to be written.` };
  }
  if (now.digest === observedBefore) return { answer: 'did-not-happen', summary: `${name} is as it was before.` };
  return { answer: 'silent', summary: `${name} holds something else by now.` };
}

function fileCallOf(prepared: PreparedCall): FileCall {
  if (prepared.call.tool !== 'file.write') throw new Error('Not a file.write call.');
  return prepared.call;
}

function refused(message: string): Problem {
  return problem('input-invalid', message, 'Change the strategy, or grant the agent a wider scope.');
}

const ABORTED: Placing = { kind: 'not-placed', code: 'aborted' };

function describePlacing(call: FileCall, bytes: number, placing: Placing): ToolRun {
  const output = { path: call.path, bytes };
  const name = path.basename(call.path);
  switch (placing.kind) {
    case 'placed':
      return { outcome: { kind: 'success' }, output, summary: `${name} was written (${bytes} bytes).` };
    case 'not-placed':
      return notPlaced(call, placing.code);
    case 'unsure':
      return {
        outcome: { kind: 'unclear', code: placing.code.toLowerCase() },
        output,
        summary: `The disk did not confirm that ${name} was written (${placing.code}).`,
      };
    default:
      return assertNever(placing);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  'file-exists': 'is there already and was left alone',
  'outside-scope': 'is no longer inside the folders that this agent may use',
  'path-changed': 'led somewhere else at the last moment',
  aborted: 'was not begun',
  ENOSPC: 'does not fit on the disk',
  EACCES: 'may not be written by this user',
  EROFS: 'lies on a read-only disk',
};

/** What a second try can heal by itself is a full or busy machine; the rest stays as it is. */
const RUNTIME_CODES = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EBUSY', 'aborted']);

function notPlaced(call: FileCall, code: string): ToolRun {
  const reason = REASONS[code] ?? `could not be written (${code})`;
  return {
    outcome: {
      kind: 'failure',
      class: RUNTIME_CODES.has(code) ? 'runtime' : 'permanent',
      code: code.toLowerCase(),
      wasSent: false,
    },
    output: { path: call.path, bytes: 0 },
    summary: `${path.basename(call.path)} ${reason}. Nothing was written.`,
  };
}
