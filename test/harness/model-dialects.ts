/** What a scripted model says. Everything may be left out: it then says nothing and comes to an ordinary end. */
export interface ScriptedAnswer {
  readonly text?: string;
  /** `id` is `call_<index>` where it is left out. */
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly arguments: string }[];
  /** Why it stops; fits what it says by default. `null` leaves the reason out. */
  readonly finish?: 'end' | 'tool-calls' | 'length' | 'refused' | null;
  /** 10 in and 5 out by default; `null` leaves the counts out. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | null;
  /** How many characters of a text or of arguments one event carries; 8 by default. */
  readonly pieceCharacters?: number;
  /** Waits before each event, ms; 0 by default. */
  readonly pieceEveryMs?: number;
  /** How many bytes are written at once, so that characters come in parts; whole events by default. */
  readonly bytesPerWrite?: number;
  /** Waits for this before anything is answered. */
  readonly after?: Promise<unknown>;
  /** An answer with this status and an error in the words of the protocol, instead of one by a model. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the error says; also that of the fault `error`. */
  readonly error?: { readonly type: string; readonly message: string };
  readonly fault?: ModelFault;
  /** Written as it is instead of the events, after which the stream stays open: for what servers really send. */
  readonly raw?: string;
}

/**
 * How an answer goes wrong: `hang` never answers, `refuse` hangs up instead, `cut` hangs up after the text and the calls,
 * `stall` stays silent there, `end` ends the stream there, `garbage` and `wrong-shape` say something there that is no
 * event, `error` says there that it failed, `invalid-utf8` writes bytes that are no text, `wrong-content-type` sends a
 * page, `endless` never stops talking, `endless-line` never ends a line.
 */
export type ModelFault =
  | 'hang'
  | 'refuse'
  | 'cut'
  | 'stall'
  | 'end'
  | 'garbage'
  | 'wrong-shape'
  | 'error'
  | 'invalid-utf8'
  | 'wrong-content-type'
  | 'endless'
  | 'endless-line';

/** The events of one answer, in the order in which they are written. */
export interface Events {
  /** Beginning, texts and calls. */
  readonly said: readonly string[];
  /** The reason for stopping and the counts. */
  readonly ending: readonly string[];
  /** One more piece of text, for answers that never stop. */
  readonly more: string;
  readonly garbage: string;
  readonly wrongShape: string;
  readonly error: string;
}

/** How one protocol is spoken. */
export interface Dialect {
  events(answer: ScriptedAnswer, model: string): Events;
  /** The whole answer at once, for whoever did not ask for a stream. */
  whole(answer: ScriptedAnswer, model: string): object;
  errorBody(error: { readonly type: string; readonly message: string }): object;
}

const USAGE = { inputTokens: 10, outputTokens: 5 };
const ERROR = { type: 'server_error', message: 'something went wrong' };

function finishOf(answer: ScriptedAnswer): ScriptedAnswer['finish'] {
  if (answer.finish !== undefined) return answer.finish;
  return (answer.calls ?? []).length > 0 ? 'tool-calls' : 'end';
}

function pieces(text: string, answer: ScriptedAnswer): string[] {
  const size = answer.pieceCharacters ?? 8;
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

function countsOf(answer: ScriptedAnswer) {
  return answer.usage === undefined ? USAGE : answer.usage;
}

const OPENAI_FINISH = { end: 'stop', 'tool-calls': 'tool_calls', length: 'length', refused: 'content_filter' };
const ANTHROPIC_FINISH = { end: 'end_turn', 'tool-calls': 'tool_use', length: 'max_tokens', refused: 'refusal' };

/** OpenAI's chat completions. */
export const openaiDialect: Dialect = {
  events(answer, model) {
    const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
    const chunk = (choice: object | null, more: object = {}) =>
      data({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        model,
        choices: choice === null ? [] : [choice],
        ...more,
      });
    const delta = (value: object) => chunk({ index: 0, delta: value, finish_reason: null });
    const finish = finishOf(answer);
    const counts = countsOf(answer);
    const calls = (answer.calls ?? []).flatMap((call, index) => {
      const head = {
        index,
        id: call.id ?? `call_${index}`,
        type: 'function',
        function: { name: call.name, arguments: '' },
      };
      const rest = pieces(call.arguments, answer).map((piece) => ({ index, function: { arguments: piece } }));
      return [head, ...rest].map((each) => delta({ tool_calls: [each] }));
    });
    return {
      said: [
        delta({ role: 'assistant', content: '' }),
        ...pieces(answer.text ?? '', answer).map((piece) => delta({ content: piece })),
        ...calls,
      ],
      ending: [
        ...(finish ? [chunk({ index: 0, delta: {}, finish_reason: OPENAI_FINISH[finish] })] : []),
        ...(counts === null ? [] : [chunk(null, { usage: openaiUsage(counts) })]),
        'data: [DONE]\n\n',
      ],
      more: delta({ content: 'more '.repeat(1_000) }),
      garbage: 'data: {"choices":[{"del\n\n',
      wrongShape: data({ choices: [{ index: 0, delta: { content: { not: 'a text' } } }] }),
      error: data(openaiDialect.errorBody(answer.error ?? ERROR)),
    };
  },
  whole(answer, model) {
    const finish = finishOf(answer);
    const counts = countsOf(answer);
    const calls = (answer.calls ?? []).map((call, index) => ({
      id: call.id ?? `call_${index}`,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    }));
    const message = {
      role: 'assistant',
      content: answer.text ?? null,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    const choice = { index: 0, message, finish_reason: finish ? OPENAI_FINISH[finish] : null };
    const usage = counts === null ? {} : { usage: openaiUsage(counts) };
    return { id: 'chatcmpl-1', object: 'chat.completion', model, choices: [choice], ...usage };
  },
  errorBody: (error) => ({ error: { ...error, param: null, code: null } }),
};

function openaiUsage(counts: { readonly inputTokens: number; readonly outputTokens: number }): object {
  const { inputTokens, outputTokens } = counts;
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
}

/** Anthropic's messages. */
export const anthropicDialect: Dialect = {
  events(answer, model) {
    const event = (type: string, value: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`;
    const counts = countsOf(answer);
    const finish = finishOf(answer);
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null };
    const block = (index: number, head: object, deltas: readonly object[]) => [
      event('content_block_start', { index, content_block: head }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ];
    const textDelta = (text: string) => ({ type: 'text_delta', text });
    const calls = (answer.calls ?? []).flatMap((call, index) =>
      block(
        index + 1,
        { type: 'tool_use', id: call.id ?? `call_${index}`, name: call.name, input: {} },
        pieces(call.arguments, answer).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      ),
    );
    const usage = counts === null ? {} : { usage: { input_tokens: counts.inputTokens, output_tokens: 1 } };
    return {
      said: [
        event('message_start', { message: { ...message, ...usage } }),
        event('ping', {}),
        ...block(0, { type: 'text', text: '' }, pieces(answer.text ?? '', answer).map(textDelta)),
        ...calls,
      ],
      ending: [
        event('message_delta', {
          delta: { stop_reason: finish ? ANTHROPIC_FINISH[finish] : null, stop_sequence: null },
          ...(counts === null ? {} : { usage: { output_tokens: counts.outputTokens } }),
        }),
        event('message_stop', {}),
      ],
      more: event('content_block_delta', { index: 0, delta: textDelta('more '.repeat(1_000)) }),
      garbage: 'event: content_block_delta\ndata: {"type":"content_blo\n\n',
      wrongShape: event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: { not: 'a text' } } }),
      error: event('error', anthropicDialect.errorBody(answer.error ?? { ...ERROR, type: 'api_error' })),
    };
  },
  whole(answer, model) {
    const finish = finishOf(answer);
    const counts = countsOf(answer);
    const calls = (answer.calls ?? []).map((call, index) => ({
      type: 'tool_use',
      id: call.id ?? `call_${index}`,
      name: call.name,
      input: JSON.parse(call.arguments) as unknown,
    }));
    const content = [...(answer.text === undefined ? [] : [{ type: 'text', text: answer.text }]), ...calls];
    const usage =
      counts === null ? {} : { usage: { input_tokens: counts.inputTokens, output_tokens: counts.outputTokens } };
    const head = { id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null };
    return { ...head, content, stop_reason: finish ? ANTHROPIC_FINISH[finish] : null, ...usage };
  },
  errorBody: (error) => ({ type: 'error', error }),
};
