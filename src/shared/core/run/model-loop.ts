import type { ModelEndpoint } from '../../contract/scope.ts';
import type { ModelState, ModelToolUse } from '../../contract/strategy.ts';
import type { ModelMessage } from '../../contract/tool-calls.ts';
import { ownMember } from '../../lib/own-member.ts';
import type { Result } from '../../lib/result.ts';
import { err, ok } from '../../lib/result.ts';
import type { StepResult } from './next-state.ts';

/** An answer of a model, as it was recorded. It is never asked for again. */
export interface ModelAnswer {
  readonly text: string;
  /** Why it ended there; the endpoint's own word, put into one of these. */
  readonly finish: 'end' | 'tool-calls' | 'length' | 'refused' | 'other';
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

type AskedCall = ModelAnswer['calls'][number];

/** What a call that a model asked for came to; untrusted text. */
export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
}

/** One turn that was answered, with what is known of its calls by the id of the call. */
export interface ModelTurn {
  readonly answer: ModelAnswer;
  readonly results: Readonly<Record<string, CallResult>>;
}

/** What a model state does next. Depends on recorded answers alone, so it is the same on every resume. */
export type ModelAct =
  | { readonly kind: 'ask'; readonly turn: number; readonly messages: readonly ModelMessage[] }
  | {
      readonly kind: 'call';
      readonly turn: number;
      readonly callId: string;
      readonly offered: OfferedTool;
      readonly args: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'over'; readonly result: StepResult; readonly summary: string; readonly output: ModelOutput };

/** What later steps see of a model state. */
interface ModelOutput {
  readonly text: string;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** `null` where the strategy names no prices. */
  readonly cost: number | null;
}

/** A tool as a model knows it by name. */
export interface OfferedTool {
  readonly name: string;
  readonly use: ModelToolUse;
  /** The tool's own name on its server; `null` for a call of the strategy's own. */
  readonly serverTool: string | null;
}

/** The tools that a model state offers. A server's tool is called by both names, in letters that every endpoint takes. */
export function offeredTools(state: ModelState): readonly OfferedTool[] {
  return state.tools.flatMap((use): readonly OfferedTool[] =>
    'server' in use
      ? use.names.map((serverTool) => ({ name: plainName(`${use.server}_${serverTool}`), use, serverTool }))
      : [{ name: use.name, use, serverTool: null }],
  );
}

function plainName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/gu, '_').slice(0, 64);
}

/** Decides what follows the turns so far: another question, a call, or the end of the step. */
export function nextModelAct(
  state: ModelState,
  of: { readonly prompt: string; readonly turns: readonly ModelTurn[]; readonly endpoint: ModelEndpoint | undefined },
): ModelAct {
  const { turns } = of;
  const output = outputOf(turns, of.endpoint);
  const last = turns.at(-1);
  if (last === undefined) return { kind: 'ask', turn: 1, messages: [{ role: 'user', text: of.prompt }] };
  if (last.answer.calls.length === 0) return { kind: 'over', ...endOf(last.answer), output };
  const spent = spentLimit(state, turns.length, output);
  if (spent !== null) return { kind: 'over', result: { kind: 'failure', class: 'runtime' }, summary: spent, output };
  const offered = offeredTools(state);
  for (const [index, call] of last.answer.calls.entries()) {
    if (ownMember(last.results, call.id) !== undefined) continue;
    const made = callOf(call, { turn: turns.length, before: last.answer.calls.slice(0, index), offered });
    if (made !== null) return made;
  }
  return { kind: 'ask', turn: turns.length + 1, messages: conversation(of.prompt, turns, offered) };
}

/** What an answer without calls means for the step: only a whole answer is one. */
function endOf(answer: ModelAnswer): { readonly result: StepResult; readonly summary: string } {
  switch (answer.finish) {
    case 'length':
      return {
        result: { kind: 'failure', class: 'runtime' },
        summary: 'The answer of the model was cut off at its limit',
      };
    case 'refused':
      return { result: { kind: 'failure', class: 'permanent' }, summary: 'The model declined to answer' };
    case 'other':
      return { result: { kind: 'failure', class: 'runtime' }, summary: 'The model ended without an answer' };
    default:
      return { result: { kind: 'success' }, summary: 'The model gave its answer' };
  }
}

/** One part of a model step: the question of a turn, or a call that its answer asked for. */
export interface ModelPart {
  readonly turn: number;
  readonly callId: string | null;
}

/** A part found again from the recorded turns; `null` if they never asked for it. */
export function modelActOf(
  state: ModelState,
  of: { readonly prompt: string; readonly turns: readonly ModelTurn[] },
  { turn, callId }: ModelPart,
): Exclude<ModelAct, { kind: 'over' }> | null {
  const offered = offeredTools(state);
  if (callId === null) {
    if (turn > of.turns.length + 1) return null;
    return { kind: 'ask', turn, messages: conversation(of.prompt, of.turns.slice(0, turn - 1), offered) };
  }
  const call = of.turns[turn - 1]?.answer.calls.find((each) => each.id === callId);
  return call === undefined ? null : callOf(call, { turn, before: [], offered });
}

/** The call that an answer asks for; `null` if it is never made. */
function callOf(
  call: AskedCall,
  of: { readonly turn: number; readonly before: readonly AskedCall[]; readonly offered: readonly OfferedTool[] },
): Extract<ModelAct, { kind: 'call' }> | null {
  const judged = judgeCall(call, of);
  return judged.ok ? { kind: 'call', turn: of.turn, callId: call.id, ...judged.value } : null;
}

/** Which limit leaves no room for another turn, as a sentence; `null` if none does. */
function spentLimit(state: ModelState, turns: number, output: ModelOutput): string | null {
  if (turns >= state.maxTurns) return `The model had its ${state.maxTurns} turns and wanted more`;
  const tokens = output.inputTokens + output.outputTokens;
  if (tokens >= state.tokenBudget) return `The model used ${tokens} tokens of ${state.tokenBudget}`;
  if (state.costBudget !== undefined && output.cost !== null && output.cost >= state.costBudget)
    return `The model used up its budget of ${state.costBudget}`;
  return null;
}

function conversation(
  prompt: string,
  turns: readonly ModelTurn[],
  offered: readonly OfferedTool[],
): readonly ModelMessage[] {
  const messages: ModelMessage[] = [{ role: 'user', text: prompt }];
  for (const { answer, results } of turns) {
    messages.push({ role: 'assistant', text: answer.text, calls: [...answer.calls] });
    for (const [index, call] of answer.calls.entries()) {
      const judged = judgeCall(call, { before: answer.calls.slice(0, index), offered });
      const result = judged.ok ? ownMember(results, call.id) : { text: judged.error, isError: true };
      messages.push({ role: 'tool', id: call.id, ...(result ?? NO_RESULT) });
    }
  }
  return messages;
}

const NO_RESULT: CallResult = { text: 'There is no result of this call.', isError: true };

/** Becomes a part of an effect's key, which must read back one way only and stay short, and a name in a record. */
const CALL_ID = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/u;

/** What is done for a call that a model asked for; an error is a sentence for the model, and the call is never made. */
function judgeCall(
  { id, name, arguments: text }: AskedCall,
  of: { readonly before: readonly AskedCall[]; readonly offered: readonly OfferedTool[] },
): Result<{ readonly offered: OfferedTool; readonly args: Readonly<Record<string, unknown>> }, string> {
  if (!CALL_ID.test(id)) return err('The id of this call cannot be used. Nothing was done.');
  if (of.before.some((each) => each.id === id))
    return err('An earlier call has the same id. Nothing was done for this one.');
  const tool = of.offered.find((each) => each.name === name);
  if (tool === undefined) return err('There is no such tool. Nothing was done.');
  const args = parseArguments(text);
  return args === null ? err('The arguments are not a JSON object. Nothing was done.') : ok({ offered: tool, args });
}

function parseArguments(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    return parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)
      ? null
      : (parsed as Readonly<Record<string, unknown>>);
  } catch {
    return null;
  }
}

function outputOf(turns: readonly ModelTurn[], endpoint: ModelEndpoint | undefined): ModelOutput {
  const sum = (of: (answer: ModelAnswer) => number): number =>
    turns.reduce((total, turn) => total + of(turn.answer), 0);
  const inputTokens = sum((answer) => answer.usage.inputTokens);
  const outputTokens = sum((answer) => answer.usage.outputTokens);
  const { inputPricePerMillion: inputPrice, outputPricePerMillion: outputPrice } = endpoint ?? {};
  const hasPrices = inputPrice !== undefined && outputPrice !== undefined;
  return {
    text: turns.at(-1)?.answer.text ?? '',
    turns: turns.length,
    inputTokens,
    outputTokens,
    cost: hasPrices ? (inputTokens * inputPrice + outputTokens * outputPrice) / 1_000_000 : null,
  };
}
