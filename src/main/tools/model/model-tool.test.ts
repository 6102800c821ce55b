import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ModelMessage } from '../../../shared/contract/tool-calls.ts';
import type { ModelServer } from '../../../../test/harness/model-server.ts';
import { context } from '../testing/tool-bench.ts';
import { createModelBench, KEY, question } from './testing/model-bench.ts';
import type { ModelBench } from './testing/model-bench.ts';

const LOOK = { name: 'look', description: 'Looks.', parameters: { properties: { at: { type: 'string' } } } };
const CONVERSATION: ModelMessage[] = [
  { role: 'user', text: 'Look.' },
  {
    role: 'assistant',
    text: '',
    calls: [
      { id: 'a1', name: 'look', arguments: '{"at":"x"}' },
      { id: 'a2', name: 'look', arguments: 'not json' },
    ],
  },
  { role: 'tool', id: 'a1', text: 'A house.', isError: false },
  { role: 'tool', id: 'a2', text: 'Refused.', isError: true },
  { role: 'user', text: 'And now?' },
];

let bench: ModelBench;
let server: ModelServer;

describe.each(['openai', 'anthropic'] as const)('a turn with %s', (provider) => {
  beforeEach(async () => {
    bench = await createModelBench(provider);
    server = bench.server;
  });
  afterEach(async () => await bench.close());

  test('loses or changes a part of the answer', async () => {
    const text = 'Fünf Häuser 🏠🏠 — "so"\nend';
    server.script({ text, pieceCharacters: 3, bytesPerWrite: 3 });
    expect(await bench.ask()).toEqual({
      outcome: { kind: 'success' },
      output: {
        text,
        calls: [],
        finish: 'end',
        usage: { inputTokens: 10, outputTokens: 5, isEstimated: false },
        model: 'thinker-2',
      },
      summary: `thinker-2 answered with ${text.length} characters.`,
    });
    expect(server.requests).toHaveLength(1);
  });

  test('takes the pieces of one call for another', async () => {
    const calls = [
      { id: 'first', name: 'look', arguments: '{"at":"the {river}"}' },
      { id: 'second', name: 'wait', arguments: '' },
      { id: 'third', name: 'look', arguments: '{"at":"über 🏠"}' },
    ];
    server.script({ text: 'I will look.', calls, pieceCharacters: 1 });
    const answer = await bench.answer({ tools: [LOOK] });
    expect(answer.calls).toEqual([calls[0], { ...calls[1], arguments: '{}' }, calls[2]]);
    expect(answer).toMatchObject({ finish: 'tool-calls', text: 'I will look.' });
  });

  test('keeps ids that are doubled or fit no key', async () => {
    const ids = ['same', 'same', '', 'a b/c', 'constructor', 'x'.repeat(65), 'call-2'];
    server.script({ calls: ids.map((id) => ({ id, name: 'look', arguments: '{}' })) });
    const given = (await bench.answer()).calls.map((call) => call.id);
    expect(given).toEqual(['same', 'call-1', 'call-2-2', 'call-3', 'call-4', 'call-5', 'call-2']);
  });

  test.each(['length', 'refused'] as const)('asks for calls although it stopped for %s', async (finish) => {
    server.script({ calls: [{ name: 'pay', arguments: '{}' }], finish });
    expect(await bench.answer()).toMatchObject({ calls: [], finish });
  });

  test('costs nothing because the server does not count', async () => {
    server.script(
      { text: 'twelve chars', usage: null },
      { text: 'twelve chars', usage: { inputTokens: 0, outputTokens: 0 } },
    );
    for (const _ of [1, 2]) {
      const { usage } = await bench.answer();
      expect(usage).toMatchObject({ outputTokens: 3, isEstimated: true });
      expect(usage.inputTokens).toBeGreaterThan(20);
    }
  });

  test('sends something else than was shown, or the key where it does not belong', async () => {
    server.script({ text: `Your key is ${KEY}, in base64 ${btoa(KEY)}.`, pieceCharacters: 4, pieceEveryMs: 40 });
    const pieces: string[] = [];
    const prepared = await bench.tools.prepare(question({ messages: CONVERSATION, tools: [LOOK] }));
    const run = await bench.tools.tools.perform(prepared, { ...context(), onProgress: (text) => pieces.push(text) });
    expect(run.outcome.kind).toBe('success');
    expect(pieces.join('')).toContain('Your key is [secret');
    for (const seen of [JSON.stringify(run), JSON.stringify(prepared), pieces.join('')])
      expect(seen).not.toContain(KEY);
    expect(prepared).toMatchObject({
      title: 'Ask thinker-2',
      effectKind: 'idempotent-by-key',
      recipient: { recipient: 'actor', bindingId: `${server.origin} thinker-2`, runtimeId: 'model.call' },
    });
    const [request] = server.requests;
    expect(request?.text).not.toContain(KEY);
    const { [provider === 'openai' ? 'authorization' : 'x-api-key']: key, ...others } = request?.headers ?? {};
    expect(key).toBe(provider === 'openai' ? `Bearer ${KEY}` : KEY);
    // Nothing about this machine, and nothing out of variables of the environment.
    const harmless = [
      'accept',
      'anthropic-version',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
    ];
    expect(Object.keys(others).filter((name) => !harmless.includes(name))).toEqual([]);
    expect(JSON.parse(prepared.inputText)).toEqual({
      tool: 'model.call',
      endpoint: { provider, baseUrl: request === undefined ? '' : baseUrlOf(provider), secret: 'model-key' },
      model: 'thinker-2',
      system: 'Be brief.',
      messages: CONVERSATION,
      tools: [LOOK],
      maxOutputTokens: 100,
    });
  });

  test('takes a key, an address or headers out of the environment', async () => {
    const planted = {
      OPENAI_API_KEY: 'planted-key',
      OPENAI_BASE_URL: 'http://127.0.0.1:9/planted',
      OPENAI_ORG_ID: 'planted-organisation',
      OPENAI_CUSTOM_HEADERS: 'x-planted: yes',
      OPENAI_LOG: 'debug',
      ANTHROPIC_API_KEY: 'planted-key',
      ANTHROPIC_AUTH_TOKEN: 'planted-token',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/planted',
      ANTHROPIC_CUSTOM_HEADERS: 'x-planted: yes',
      ANTHROPIC_LOG: 'debug',
    };
    const local = await createModelBench(provider, { secret: undefined });
    Object.assign(process.env, planted);
    try {
      local.server.script({ text: 'here' });
      expect((await local.answer()).text).toBe('here');
      expect(JSON.stringify(local.server.requests[0]?.headers)).not.toMatch(/planted|none|authorization|x-api-key/u);
    } finally {
      for (const name of Object.keys(planted)) delete process.env[name];
      await local.close();
    }
  });

  test('is shown only when it is over, or more often than a person can read', async () => {
    const times: number[] = [];
    const pieces: string[] = [];
    const text = 'one two three four five six seven eight nine ten';
    server.script({ text, pieceCharacters: 2, pieceEveryMs: 20 });
    const onProgress = (piece: string) => {
      times.push(performance.now());
      pieces.push(piece);
    };
    const run = await bench.ask({}, { onProgress });
    expect(run.output).toMatchObject({ text });
    expect(pieces.join('')).toBe(text);
    expect(pieces.length).toBeGreaterThan(2);
    // The last report does not wait for its turn.
    const gaps = times.slice(1, -1).map((time, index) => time - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(90);
  });
});

function baseUrlOf(provider: 'openai' | 'anthropic'): string {
  return provider === 'openai' ? server.openaiBaseUrl : server.anthropicBaseUrl;
}

describe('a conversation is told wrongly', () => {
  afterEach(async () => await bench.close());

  test('to an endpoint that speaks as OpenAI', async () => {
    bench = await createModelBench('openai');
    bench.server.script({ text: 'ok' });
    await bench.answer({ messages: CONVERSATION, tools: [LOOK] });
    const call = (id: string, text: string) => ({ id, type: 'function', function: { name: 'look', arguments: text } });
    expect(bench.server.requests[0]?.body).toEqual({
      model: 'thinker-2',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: null, tool_calls: [call('a1', '{"at":"x"}'), call('a2', 'not json')] },
        { role: 'tool', tool_call_id: 'a1', content: 'A house.' },
        { role: 'tool', tool_call_id: 'a2', content: 'Error: Refused.' },
        { role: 'user', content: 'And now?' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks.', parameters: { type: 'object', ...LOOK.parameters } },
        },
      ],
      max_tokens: 100,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('to an endpoint that speaks as Anthropic', async () => {
    bench = await createModelBench('anthropic');
    bench.server.script({ text: 'ok' });
    await bench.answer({ messages: CONVERSATION, tools: [LOOK] });
    expect(bench.server.requests[0]?.body).toEqual({
      model: 'thinker-2',
      max_tokens: 100,
      system: 'Be brief.',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'a1', name: 'look', input: { at: 'x' } },
            { type: 'tool_use', id: 'a2', name: 'look', input: { INVALID_JSON: 'not json' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a1', content: 'A house.', is_error: false },
            { type: 'tool_result', tool_use_id: 'a2', content: 'Refused.', is_error: true },
            { type: 'text', text: 'And now?' },
          ],
        },
      ],
      tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object', ...LOOK.parameters } }],
      stream: true,
    });
  });
});

describe('a model that was not granted is asked', () => {
  afterEach(async () => await bench.close());

  test('by a name that stands in no scope, or that every object answers to', async () => {
    bench = await createModelBench('openai');
    for (const model of ['other', 'constructor', '__proto__']) {
      expect(await bench.tools.refusal(question({ model }))).toContain('may not ask a model named');
    }
    const prepared = await bench.tools.prepare(question());
    const narrowed = { ...prepared, scope: { ...prepared.scope, models: {} } };
    expect((await bench.tools.tools.perform(narrowed, context())).outcome).toMatchObject({ wasSent: false });
    expect(bench.server.requests).toEqual([]);
  });

  test.each([
    ['http://user:pass@127.0.0.1/v1', 'password'],
    ['ftp://127.0.0.1/v1', 'neither http nor https'],
    ['http://127.0.0.1/v1?key=1', 'may not hold'],
    ['http://127.0.0.1/\u202Ev1', 'hidden characters'],
  ])('at the address %s', async (baseUrl, reason) => {
    bench = await createModelBench('openai', { baseUrl });
    expect(await bench.tools.refusal(question())).toContain(reason);
  });

  test.each(['openai', 'anthropic'] as const)('at the address of %s itself without any key', async (provider) => {
    bench = await createModelBench(provider, { baseUrl: undefined, secret: undefined });
    expect(await bench.tools.refusal(question())).toContain('needs the name of the secret');
  });

  test('without its key, because this device does not have it', async () => {
    bench = await createModelBench('openai', { secret: 'other-key' });
    const run = await bench.ask();
    expect(run.outcome).toEqual({ kind: 'failure', class: 'authority', code: 'secret-missing', wasSent: false });
    expect(bench.server.requests).toEqual([]);
  });
});
