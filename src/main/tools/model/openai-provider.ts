import type { OpenAI } from 'openai';
import { z } from 'zod';
import type { ModelMessage } from '../../../shared/contract/tool-calls.ts';
import { assertNever } from '../../../shared/lib/assert-never.ts';
import type { AnswerCollector, CallDraft, ModelFinish } from './collect-answer.ts';
import { NO_KEY, SDK_TIMEOUT_MS, SILENT_LOGGER } from './model-provider.ts';
import type { ModelProvider, ModelQuestion } from './model-provider.ts';

type Request = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;
type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;

/** Chat completions as OpenAI made them and many others, local ones among them, speak them. */
export const openaiProvider: ModelProvider = {
  ownBaseUrl: 'https://api.openai.com/v1',
  path: '/chat/completions',
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  async ask(question, exchange, collector) {
    const sdk = await import('openai');
    // Every setting is given, so that none is taken from variables of the environment.
    const client = new sdk.OpenAI({
      apiKey: NO_KEY,
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      baseURL: question.baseUrl,
      fetch: exchange.fetch,
      maxRetries: 0,
      timeout: SDK_TIMEOUT_MS,
      logLevel: 'off',
      logger: SILENT_LOGGER,
    });
    try {
      const stream = await client.chat.completions.create(requestOf(question));
      const read = chunkReader(collector);
      for await (const chunk of stream) if (!read(chunk)) return { kind: 'malformed' };
      return { kind: 'ended' };
    } catch (error) {
      if (error instanceof SyntaxError) return { kind: 'malformed' };
      if (error instanceof sdk.APIError && !(error instanceof sdk.APIConnectionError)) {
        return { kind: 'said-error', type: error.type ?? error.code ?? null, message: error.message };
      }
      return { kind: 'broken', error };
    }
  },
};

function requestOf({ call, model, baseUrl }: ModelQuestion): Request {
  const system: Message[] = call.system === '' ? [] : [{ role: 'system', content: call.system }];
  return {
    model,
    messages: [...system, ...call.messages.map(messageOf)],
    ...(call.tools.length === 0 ? {} : { tools: call.tools.map(toolOf) }),
    // OpenAI's newer models take the new name alone; other servers may know only the old one, and would pass over a
    // limit that they do not know.
    ...(isOpenai(baseUrl) ? { max_completion_tokens: call.maxOutputTokens } : { max_tokens: call.maxOutputTokens }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function isOpenai(baseUrl: string): boolean {
  return /(?:^|\.)openai(?:\.azure)?\.com$/u.test(new URL(baseUrl).hostname);
}

function toolOf(tool: ModelQuestion['call']['tools'][number]): OpenAI.Chat.Completions.ChatCompletionTool {
  const { name, description, parameters } = tool;
  return { type: 'function', function: { name, description, parameters: { type: 'object', ...parameters } } };
}

function messageOf(message: ModelMessage): Message {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.text };
    case 'assistant': {
      if (message.calls.length === 0) return { role: 'assistant', content: message.text };
      const calls = message.calls.map(({ id, name, arguments: text }) => {
        return { id, type: 'function' as const, function: { name, arguments: text } };
      });
      return { role: 'assistant', content: message.text === '' ? null : message.text, tool_calls: calls };
    }
    case 'tool':
      // The protocol has no mark for a call that went wrong.
      return {
        role: 'tool',
        tool_call_id: message.id,
        content: message.isError ? `Error: ${message.text}` : message.text,
      };
    default:
      return assertNever(message);
  }
}

/** What is read of a chunk. The SDK takes the server's word for its shape. */
const chunkSchema = z.object({
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        index: z.int().nullish(),
        delta: z
          .object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: z.int().nullish(),
                  id: z.string().nullish(),
                  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z.object({ prompt_tokens: z.unknown().optional(), completion_tokens: z.unknown().optional() }).nullish(),
});
type Chunk = z.infer<typeof chunkSchema>;
type Choice = NonNullable<Chunk['choices']>[number];
type CallPiece = NonNullable<NonNullable<Choice['delta']>['tool_calls']>[number];

/** Reads chunk after chunk into the collector; false where one is no chunk. */
function chunkReader(collector: AnswerCollector): (raw: unknown) => boolean {
  const readCall = callReader(collector);
  let isRefusal = false;
  const readChoice = ({ delta, finish_reason: reason }: Choice): boolean => {
    collector.addText(delta?.content ?? '');
    if (delta?.refusal !== undefined && delta.refusal !== null && delta.refusal !== '') {
      isRefusal = true;
      collector.addText(delta.refusal);
    }
    const isSound = (delta?.tool_calls ?? []).every(readCall);
    if (reason !== undefined && reason !== null && reason !== '') {
      collector.finish(isRefusal ? 'refused' : finishOf(reason));
    }
    return isSound;
  };
  return (raw) => {
    const parsed = chunkSchema.safeParse(raw);
    if (!parsed.success) return false;
    const { model, choices, usage } = parsed.data;
    if (model !== undefined && model !== null && model !== '') collector.answeredBy(model);
    if (usage !== undefined && usage !== null) {
      collector.count({ input: usage.prompt_tokens, output: usage.completion_tokens });
    }
    return (choices ?? []).filter((choice) => (choice.index ?? 0) === 0).every(readChoice);
  };
}

/**
 * Puts calls together from their pieces; false where pieces contradict each other. A piece belongs to the call of its
 * index, but servers exist that give every call the same index, or none: one with another id and a name is a new call.
 */
function callReader(collector: AnswerCollector): (piece: CallPiece) => boolean {
  const byIndex = new Map<number, CallDraft>();
  let latest: CallDraft | undefined;
  return (piece) => {
    const id = piece.id ?? '';
    const name = piece.function?.name ?? '';
    const index = piece.index ?? null;
    let draft = index === null ? latest : byIndex.get(index);
    const isNew = draft === undefined || (name !== '' && id !== '' && id !== draft.id);
    if (draft === undefined || isNew) draft = collector.startCall(id, name);
    else if (name !== '' && draft.name === '') draft.name = name;
    else if (name !== '' && name !== draft.name) return false;
    if (index !== null) byIndex.set(index, draft);
    latest = draft;
    collector.addArguments(draft, piece.function?.arguments ?? '');
    return true;
  };
}

function finishOf(reason: string): ModelFinish {
  switch (reason) {
    case 'stop':
      return 'end';
    case 'tool_calls':
    case 'function_call':
      return 'tool-calls';
    case 'length':
      return 'length';
    case 'content_filter':
      return 'refused';
    default:
      return 'other';
  }
}
