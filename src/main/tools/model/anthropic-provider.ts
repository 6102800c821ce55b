import type { Anthropic } from '@anthropic-ai/sdk';
import { z } from 'zod';
import type { ModelMessage } from '../../../shared/contract/tool-calls.ts';
import { assertNever } from '../../../shared/lib/assert-never.ts';
import type { AnswerCollector, CallDraft, ModelFinish } from './collect-answer.ts';
import { NO_KEY, SDK_TIMEOUT_MS, SILENT_LOGGER } from './model-provider.ts';
import type { ModelProvider, ModelQuestion } from './model-provider.ts';

type Request = Anthropic.MessageCreateParamsStreaming;
type Message = Anthropic.MessageParam;
type Block = Anthropic.ContentBlockParam;

/** Messages as Anthropic speaks them. */
export const anthropicProvider: ModelProvider = {
  ownBaseUrl: 'https://api.anthropic.com',
  path: '/v1/messages',
  keyHeaders: (key) => ({ 'x-api-key': key }),
  async ask(question, exchange, collector) {
    const sdk = await import('@anthropic-ai/sdk');
    // A key that is given keeps the SDK from looking for others in the environment and in files.
    const client = new sdk.Anthropic({
      apiKey: NO_KEY,
      webhookKey: null,
      baseURL: question.baseUrl,
      fetch: exchange.fetch,
      maxRetries: 0,
      timeout: SDK_TIMEOUT_MS,
      logLevel: 'off',
      logger: SILENT_LOGGER,
      openTelemetry: false,
    });
    try {
      const stream = await client.messages.create(requestOf(question));
      const read = eventReader(collector);
      for await (const event of stream) {
        const next = read(event);
        if (next === 'malformed') return { kind: 'malformed' };
        // What a server sends after that is no part of the answer, and it may never end.
        if (next === 'over') break;
      }
      return { kind: 'ended' };
    } catch (error) {
      if (error instanceof SyntaxError) return { kind: 'malformed' };
      if (error instanceof sdk.APIError && !(error instanceof sdk.APIConnectionError)) {
        return { kind: 'said-error', type: error.type ?? null, message: error.message };
      }
      return { kind: 'broken', error };
    }
  },
};

function requestOf({ call, model }: ModelQuestion): Request {
  return {
    model,
    max_tokens: call.maxOutputTokens,
    ...(call.system === '' ? {} : { system: call.system }),
    messages: messagesOf(call.messages),
    ...(call.tools.length === 0 ? {} : { tools: call.tools.map(toolOf) }),
    stream: true,
  };
}

function toolOf(tool: ModelQuestion['call']['tools'][number]): Anthropic.Tool {
  const { name, description, parameters } = tool;
  return { name, description, input_schema: { ...parameters, type: 'object' } };
}

/** The protocol knows two roles that take turns; the results of calls are said by the user, all at once. */
function messagesOf(messages: readonly ModelMessage[]): Message[] {
  const merged: { role: 'user' | 'assistant'; content: Block[] }[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = blocksOf(message);
    const last = merged.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else if (blocks.length > 0) merged.push({ role, content: blocks });
  }
  return merged;
}

function blocksOf(message: ModelMessage): Block[] {
  switch (message.role) {
    case 'user':
      return [{ type: 'text', text: message.text }];
    case 'assistant': {
      const calls = message.calls.map(({ id, name, arguments: text }) => {
        return { type: 'tool_use' as const, id, name, input: objectOf(text) };
      });
      // A text of blanks alone is refused, even where the model wrote it.
      return message.text.trim() === '' ? calls : [{ type: 'text', text: message.text }, ...calls];
    }
    case 'tool':
      return [{ type: 'tool_result', tool_use_id: message.id, content: message.text, is_error: message.isError }];
    default:
      return assertNever(message);
  }
}

/** The protocol takes objects alone. What a model wrote instead goes back to it as a text within one. */
function objectOf(text: string): object {
  try {
    const parsed: unknown = JSON.parse(text);
    if (parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed)) return parsed;
  } catch {
    // It is no JSON, and is passed on like other things that are no object.
  }
  return { INVALID_JSON: text };
}

const usageSchema = z
  .object({
    input_tokens: z.unknown().optional(),
    cache_creation_input_tokens: z.number().nullish(),
    cache_read_input_tokens: z.number().nullish(),
    output_tokens: z.unknown().optional(),
  })
  .nullish();
/** What is read of an event. The SDK takes the server's word for its shape. */
const eventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message_start'),
    message: z.object({ model: z.string().nullish(), usage: usageSchema }),
  }),
  z.object({
    type: z.literal('content_block_start'),
    index: z.int(),
    content_block: z.object({
      type: z.string(),
      text: z.string().nullish(),
      id: z.string().nullish(),
      name: z.string().nullish(),
      input: z.record(z.string(), z.unknown()).nullish(),
    }),
  }),
  z.object({
    type: z.literal('content_block_delta'),
    index: z.int(),
    delta: z.object({ type: z.string(), text: z.string().nullish(), partial_json: z.string().nullish() }),
  }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage: usageSchema,
  }),
  z.object({ type: z.literal('message_stop') }),
  z.object({ type: z.literal('content_block_stop') }),
]);
type StreamEvent = z.infer<typeof eventSchema>;
type BlockEvent = Extract<StreamEvent, { type: 'content_block_start' | 'content_block_delta' }>;
const typedSchema = z.object({ type: z.string() });
const KNOWN: ReadonlySet<string> = new Set(eventSchema.options.map((option) => option.shape.type.value));

/** Reads event after event into the collector, which is told the reason once all of the answer has come. */
function eventReader(collector: AnswerCollector): (raw: unknown) => 'more' | 'over' | 'malformed' {
  const readBlock = blockReader(collector);
  let reason: string | null = null;
  return (raw) => {
    const typed = typedSchema.safeParse(raw);
    if (!typed.success) return 'malformed';
    // The protocol may grow by kinds of events, and says that unknown ones are to be passed over.
    if (!KNOWN.has(typed.data.type)) return 'more';
    const parsed = eventSchema.safeParse(raw);
    if (!parsed.success) return 'malformed';
    const event = parsed.data;
    switch (event.type) {
      case 'message_start':
        if (event.message.model !== undefined && event.message.model !== null)
          collector.answeredBy(event.message.model);
        // What it says about the output here is a beginning, not a count.
        countTokens(collector, { ...event.message.usage, output_tokens: undefined });
        return 'more';
      case 'content_block_start':
      case 'content_block_delta':
        return readBlock(event) ? 'more' : 'malformed';
      case 'message_delta':
        countTokens(collector, event.usage);
        reason = event.delta.stop_reason ?? reason;
        return 'more';
      case 'message_stop':
        if (reason !== null) collector.finish(finishOf(reason));
        return 'over';
      case 'content_block_stop':
        return 'more';
      default:
        return assertNever(event);
    }
  };
}

/** Reads texts and calls; false where arguments come for a call that was never begun. Other blocks are passed over. */
function blockReader(collector: AnswerCollector): (event: BlockEvent) => boolean {
  const byIndex = new Map<number, CallDraft>();
  return (event) => {
    if (event.type === 'content_block_start') {
      const { type, text, id, name, input } = event.content_block;
      if (type === 'text') collector.addText(text ?? '');
      if (type !== 'tool_use') return true;
      const draft = collector.startCall(id ?? '', name ?? '');
      byIndex.set(event.index, draft);
      // Some servers give all arguments at once instead of in pieces.
      if (Object.keys(input ?? {}).length > 0) collector.addArguments(draft, JSON.stringify(input));
      return true;
    }
    const { type, text, partial_json: json } = event.delta;
    if (type === 'text_delta') collector.addText(text ?? '');
    if (type !== 'input_json_delta') return true;
    const draft = byIndex.get(event.index);
    if (draft !== undefined) collector.addArguments(draft, json ?? '');
    return draft !== undefined;
  };
}

/** All that was read counts as input, whether it came out of a cache or went into one. */
function countTokens(collector: AnswerCollector, usage: z.infer<typeof usageSchema>): void {
  if (usage === undefined || usage === null) return;
  const { input_tokens: own, output_tokens: output } = usage;
  const cached = (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
  collector.count({ input: typeof own === 'number' ? own + cached : undefined, output });
}

function finishOf(reason: string): ModelFinish {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'end';
    case 'tool_use':
      return 'tool-calls';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'refused';
    default:
      return 'other';
  }
}
