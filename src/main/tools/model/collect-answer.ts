import { OUTPUT_LIMIT_BYTES } from '../tool.ts';
import { distinctCallIds } from './call-ids.ts';

/** Why a model stopped. Only with `tool-calls` does it want something done. */
export type ModelFinish = 'end' | 'tool-calls' | 'length' | 'refused' | 'other';

/** Tokens of one turn. Endpoints that do not count are estimated, at four characters a token. */
type ModelUsage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly isEstimated: boolean;
};

/** What a model answered; untrusted text throughout. It is the output of a `model.call`, as JSON. */
export interface ModelAnswer {
  readonly text: string;
  /**
   * Calls that the model asks for, in its order. Empty unless `finish` is `tool-calls`: whatever broke off may lack the
   * part that mattered. `arguments` is the JSON text that the model gave and may be anything; an empty one is `{}`.
   */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finish: ModelFinish;
  readonly usage: ModelUsage;
  /** The model that answered, in the words of the endpoint. */
  readonly model: string;
}

/** A call that is still arriving. */
export interface CallDraft {
  readonly id: string;
  name: string;
  arguments: string;
}

/** Puts an answer together from its pieces and keeps it within bounds. */
export interface AnswerCollector {
  addText(delta: string): void;
  startCall(id: string, name: string): CallDraft;
  addArguments(draft: CallDraft, delta: string): void;
  finish(reason: ModelFinish): void;
  /** What is no count is passed over. Endpoints count as they go, and the highest count stands. */
  count(tokens: { readonly input?: unknown; readonly output?: unknown }): void;
  answeredBy(model: string): void;
  /** What has arrived, whole or not. */
  collected(): CollectedAnswer;
}

/** `isFinished` says whether the endpoint ended it, `isSound` whether each of its calls has a name. */
export interface CollectedAnswer {
  readonly isFinished: boolean;
  readonly isSound: boolean;
  readonly answer: ModelAnswer;
}

/** The most calls of one answer. */
const CALLS_LIMIT = 128;
/** The longest name that is kept of a model, in characters. */
const MODEL_NAME_LIMIT = 128;

/** Begins with an empty answer. */
export function collectAnswer(options: {
  readonly model: string;
  /** How much was asked, in characters. */
  readonly inputCharacters: number;
  readonly onText: (delta: string) => void;
  /** Called once the answer is larger than is kept. What comes after that is dropped. */
  readonly onTooLong: () => void;
}): AnswerCollector {
  const drafts: CallDraft[] = [];
  const texts: string[] = [];
  let keptBytes = 0;
  let model = options.model;
  let reason: ModelFinish | null = null;
  let input: number | null = null;
  let output: number | null = null;

  const fits = (delta: string): boolean => {
    keptBytes += Buffer.byteLength(delta);
    const isFull = keptBytes > OUTPUT_LIMIT_BYTES;
    if (isFull) options.onTooLong();
    return !isFull;
  };

  return {
    addText(delta) {
      if (delta === '' || !fits(delta)) return;
      texts.push(delta);
      options.onText(delta);
    },
    startCall(id, name) {
      const draft = { id, name, arguments: '' };
      if (drafts.length === CALLS_LIMIT) options.onTooLong();
      else if (fits(id + name)) drafts.push(draft);
      return draft;
    },
    addArguments(draft, delta) {
      if (fits(delta)) draft.arguments += delta;
    },
    finish: (given) => void (reason ??= given),
    count(tokens) {
      input = higher(input, countOf(tokens.input));
      output = higher(output, countOf(tokens.output));
    },
    answeredBy: (name) => void (model = name.slice(0, MODEL_NAME_LIMIT).toWellFormed()),
    collected() {
      const text = texts.join('').toWellFormed();
      const finish = honestFinish(reason ?? 'other', drafts.length);
      const outputCharacters = drafts.reduce(
        (sum, each) => sum + each.name.length + each.arguments.length,
        text.length,
      );
      return {
        isFinished: reason !== null,
        isSound: drafts.every((each) => each.name !== ''),
        answer: {
          text,
          calls: finish === 'tool-calls' ? callsOf(drafts) : [],
          finish,
          usage: usageOf({ input, output, inputCharacters: options.inputCharacters, outputCharacters }),
          model,
        },
      };
    },
  };
}

/** Some endpoints say that they came to an end where they ask for calls, or the other way round. */
function honestFinish(reason: ModelFinish, calls: number): ModelFinish {
  if (reason === 'end' && calls > 0) return 'tool-calls';
  return reason === 'tool-calls' && calls === 0 ? 'other' : reason;
}

function callsOf(drafts: readonly CallDraft[]): ModelAnswer['calls'] {
  const ids = distinctCallIds(drafts.map((draft) => draft.id));
  return drafts.map((draft, index) => ({
    id: ids[index] ?? '',
    name: draft.name.toWellFormed(),
    // Where a tool takes no arguments, endpoints differ between none and an empty object.
    arguments: draft.arguments.trim() === '' ? '{}' : draft.arguments.toWellFormed(),
  }));
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function higher(left: number | null, right: number | null): number | null {
  return left === null || right === null ? (left ?? right) : Math.max(left, right);
}

function usageOf(of: {
  readonly input: number | null;
  readonly output: number | null;
  readonly inputCharacters: number;
  readonly outputCharacters: number;
}): ModelUsage {
  // Nothing is asked without a token; servers that do not count say nought.
  const input = of.input === 0 ? null : of.input;
  const output = of.output === 0 && of.outputCharacters > 0 ? null : of.output;
  return {
    inputTokens: input ?? Math.ceil(of.inputCharacters / 4),
    outputTokens: output ?? Math.ceil(of.outputCharacters / 4),
    isEstimated: input === null || output === null,
  };
}
