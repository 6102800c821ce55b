import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ModelServer } from '../harness/model-server.ts';
import { FILESYSTEM_SERVER, Stage, strategyText } from './stage.ts';

const KEY = 'sk-live-9d1b77aa04e2';
let stage: Stage;
let mind: ModelServer;
beforeEach(async () => {
  mind = await ModelServer.start();
  stage = await Stage.start({ 'model-key': KEY });
});
afterEach(async () => {
  await mind.close();
  await stage.close();
});

const PUBLISH = {
  name: 'publish',
  description: 'Publishes a note.',
  parameters: { type: 'object', properties: { topic: { type: 'string' }, text: { type: 'string' } } },
};

function post(url: string, body: string): object {
  return { tool: 'http.request', method: 'POST', url, body };
}

/** Reads and writes files, publishes, and tells what came of it. */
function writer(endpoint: object): string {
  const { receiver, folder, hosts } = stage;
  const files = stage.tapped('files', [FILESYSTEM_SERVER, folder], { read_text_file: { kind: 'read-only' } });
  const tools = [
    { server: 'files', names: ['read_text_file', 'write_file'] },
    { ...PUBLISH, call: post(`${receiver.origin}/notes/{{ args.topic }}`, '{{ args.text }}') },
  ];
  const counts = ['turns', 'inputTokens', 'outputTokens'].map((name) => `{{ steps.ask.output.${name} }}`);
  const told = post(`${receiver.origin}/told`, ['{{ steps.ask.output.text }}', ...counts].join(' '));
  return strategyText('writer', {
    input: { file: { title: 'File' } },
    scope: { hosts, servers: { files }, models: { mind: endpoint } },
    start: 'ask',
    states: {
      ask: {
        type: 'model',
        model: 'mind',
        system: 'Be brief.',
        prompt: 'Publish the heart of {{ input.file }}.',
        tools,
        onSuccess: 'tell',
      },
      tell: { type: 'tool', call: told, onSuccess: 'finish' },
    },
  });
}

/** Reads a file, writes what stood there into another one, publishes, and answers. */
function scriptWriter(from: string, to: string): void {
  mind.script(
    { calls: [{ id: 'call_read', name: 'files_read_text_file', arguments: JSON.stringify({ path: from }) }] },
    ({ text }) => {
      const content = /heart is (\w+)/u.exec(text)?.[1] ?? 'nothing was read';
      const given = JSON.stringify({ path: to, content });
      return { calls: [{ id: 'call_write', name: 'files_write_file', arguments: given }] };
    },
    { calls: [{ id: 'call_publish', name: 'publish', arguments: '{"topic":"hearts","text":"It is stone."}' }] },
    { text: 'Published.', usage: { inputTokens: 100, outputTokens: 7 } },
  );
}

const ENDPOINTS = [
  ['OpenAI', 'openai', 'model-key'],
  ['Anthropic', 'anthropic', 'model-key'],
  ['a local endpoint without a key', 'openai', undefined],
] as const;

describe('a model that reads, writes and sends', () => {
  test.each(ENDPOINTS)('by %s: after a restart it is asked again, or acts twice', async (_, provider, secret) => {
    const from = path.join(stage.folder, 'from.txt');
    const to = path.join(stage.folder, 'to.txt');
    writeFileSync(from, 'The heart is stone.');
    scriptWriter(from, to);
    const baseUrl = provider === 'openai' ? mind.openaiBaseUrl : mind.anthropicBaseUrl;
    const endpoint = { provider, baseUrl, model: 'thinker-2', ...(secret === undefined ? {} : { secret }) };

    // The host is closed as soon as the second answer is recorded: its call, and everything after it, is still to be made.
    const closed = Promise.withResolvers<void>();
    stage.bench.at('after-settle', () => closed.resolve(stage.bench.close()), 3);
    const runId = await stage.start(writer(endpoint), { file: from });
    await closed.promise;
    expect([mind.requests.length, stage.callsAt('files'), existsSync(to)]).toEqual([2, ['read_text_file'], false]);
    await stage.restart();
    expect(await stage.bench.ended(runId)).toBe('done');

    expect(mind.requests).toHaveLength(4);
    expect(stage.callsAt('files')).toEqual(['read_text_file', 'write_file']);
    expect(readFileSync(to, 'utf8')).toBe('stone');
    expect(stage.receiver.received.map(({ path: place, body }) => [place, body])).toEqual([
      ['/notes/hearts', 'It is stone.'],
      ['/told', 'Published. 4 130 22'],
    ]);
    const keys = ['ask#1/1', 'ask#1/1.call_read', 'ask#1/2', 'ask#1/2.call_write', 'ask#1/3', 'ask#1/3.call_publish'];
    expect(stage.attempts().map((attempt) => attempt.effect_key)).toEqual([...keys, 'ask#1/4', 'tell#1']);
    expect(new Set(stage.receiver.received.map(({ key }) => key)).size).toBe(2);
    expect(stage.outputOf(runId, 'ask')).toMatchObject({
      text: 'Published.',
      turns: 4,
      inputTokens: 130,
      outputTokens: 22,
    });
    const key = provider === 'openai' ? 'authorization' : 'x-api-key';
    const sent = secret === undefined ? [undefined] : [provider === 'openai' ? `Bearer ${KEY}` : KEY];
    expect([...new Set(mind.requests.map(({ headers }) => headers[key]))]).toEqual(sent);
    expect(await stage.everythingKept()).not.toContain(KEY);
  });
});
