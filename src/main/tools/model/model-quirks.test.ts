import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createModelBench } from './testing/model-bench.ts';
import type { ModelBench } from './testing/model-bench.ts';

let bench: ModelBench;
afterEach(async () => await bench.close());

/** One chunk with pieces of calls in it. */
function pieces(...calls: readonly object[]): object {
  return { choices: [{ index: 0, delta: { tool_calls: calls } }] };
}

function piece(id: string | null, name: string | null, more: { index?: number; arguments?: string } = {}): object {
  const { index, arguments: text = null } = more;
  return { ...(index === undefined ? {} : { index }), id, function: { name, arguments: text } };
}

const STOP = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

describe('a server that nearly speaks as OpenAI is misunderstood', () => {
  beforeEach(async () => (bench = await createModelBench('openai', { secret: undefined })));

  const stream = (...chunks: readonly object[]) => {
    const lines = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
    bench.server.script({ raw: `: a comment\n\n${lines.join('')}data: [DONE]\n\n` });
  };
  const TWO = [
    { id: 'a', name: 'look', arguments: '{"at":1}' },
    { id: 'b', name: 'wait', arguments: '{}' },
  ];

  test('when all calls have the same index', async () => {
    const first = piece('a', 'look', { index: 0, arguments: '{"at":1}' });
    stream(pieces(first), pieces(piece('b', 'wait', { index: 0, arguments: '{}' })), STOP);
    expect(await bench.answer()).toMatchObject({ calls: TWO, finish: 'tool-calls' });
  });

  test('when calls have no index', async () => {
    const rest = piece(null, null, { arguments: '"at":1}' });
    stream(pieces(piece('a', 'look', { arguments: '{' }), rest, piece('b', 'wait')), STOP);
    expect((await bench.answer()).calls).toEqual(TWO);
  });

  test('when each piece repeats its id and its name, or brings an id of its own', async () => {
    const whole = { index: 0, arguments: '{"at":' };
    stream(pieces(piece('a', 'look', whole)), pieces(piece('a', 'look', { index: 0, arguments: '1}' })), STOP);
    expect((await bench.answer()).calls).toEqual([TWO[0]]);
    stream(pieces(piece('a', 'look', whole)), pieces(piece('z', '', { index: 0, arguments: '1}' })), STOP);
    expect((await bench.answer()).calls).toEqual([TWO[0]]);
  });

  test('when one call changes its name on the way', async () => {
    stream(pieces(piece('a', 'look', { index: 0 })), pieces(piece('a', 'pay', { index: 0 })), STOP);
    expect((await bench.ask()).outcome).toEqual({ kind: 'unclear', code: 'stream-malformed' });
  });

  test('when it refuses, or answers several times at once', async () => {
    stream({ choices: [{ index: 0, delta: { refusal: 'No.' } }] }, STOP);
    expect(await bench.answer()).toMatchObject({ text: 'No.', finish: 'refused' });
    const other = { choices: [{ index: 1, delta: { content: 'Other.' }, finish_reason: 'length' }] };
    stream(other, { choices: [{ delta: { content: 'Mine.' }, finish_reason: '' }] }, STOP);
    expect(await bench.answer()).toMatchObject({ text: 'Mine.', finish: 'end' });
  });

  test('when it says that it asks for calls and asks for none', async () => {
    stream({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });
    expect(await bench.answer()).toMatchObject({ calls: [], finish: 'other' });
  });

  test('when its counts are no counts', async () => {
    stream(STOP, { choices: [], usage: { prompt_tokens: -5, completion_tokens: 'many' } });
    const { usage } = await bench.answer();
    expect(usage).toMatchObject({ outputTokens: 0, isEstimated: true });
    expect(usage.inputTokens).toBeGreaterThan(20);
  });
});

describe('a server that nearly speaks as Anthropic is misunderstood', () => {
  beforeEach(async () => (bench = await createModelBench('anthropic', { secret: undefined })));

  const stream = (...events: readonly { readonly type: string; readonly [name: string]: unknown }[]) => {
    const lines = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    bench.server.script({ raw: lines.join('') });
  };
  const start = {
    type: 'message_start',
    message: { model: 'm', usage: { input_tokens: 3, cache_read_input_tokens: 40 } },
  };
  const call = { type: 'tool_use', id: 'a', name: 'look', input: { at: 1 } };
  const end = [
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ];

  test('when arguments come at once, new kinds of events come between, and the stream stays open', async () => {
    const thinking = { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } };
    const news = { type: 'weather_report', index: 'none' };
    stream(start, thinking, news, { type: 'content_block_start', index: 1, content_block: call }, ...end);
    expect(await bench.answer()).toEqual({
      text: '',
      calls: [{ id: 'a', name: 'look', arguments: '{"at":1}' }],
      finish: 'tool-calls',
      usage: { inputTokens: 43, outputTokens: 7, isEstimated: false },
      model: 'm',
    });
  });

  test('when arguments come for a call that was never begun', async () => {
    const delta = { type: 'input_json_delta', partial_json: '{"amount":1}' };
    stream(start, { type: 'content_block_delta', index: 1, delta }, ...end);
    expect((await bench.ask()).outcome).toEqual({ kind: 'unclear', code: 'stream-malformed' });
  });

  test('when it gives a reason and breaks off before its end', async () => {
    const ended = { type: 'content_block_start', index: 0, content_block: call };
    stream(start, ended, end[0] ?? start);
    expect((await bench.ask({ timeoutMs: 300 })).outcome).toEqual({ kind: 'unclear', code: 'timeout' });
  });
});
