import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { INLINE_LIMIT_BYTES } from '../../src/shared/contract/stored-text.ts';
import { ModelServer } from '../harness/model-server.ts';
import { FILESYSTEM_SERVER, Stage, strategyText } from './stage.ts';

let stage: Stage;
let mind: ModelServer;
beforeEach(async () => {
  mind = await ModelServer.start();
  stage = await Stage.start();
});
afterEach(async () => {
  await mind.close();
  await stage.close();
});

const NAMES = String.raw`steps.list.output.structuredContent.content.split("\n").map(x, x.substring(7))`;

interface Item {
  readonly id: string;
  readonly output: { readonly content?: readonly { readonly text: string }[]; readonly text?: string } | null;
}

function itemsOf(output: unknown): Record<string, Item['output']> {
  return Object.fromEntries((output as { items: Item[] }).items.map(({ id, output: of }) => [id, of]));
}

/** Does something with each file of the folder. */
function forEachFile(states: object, first: string, more: object = {}): string {
  const effects = Object.fromEntries(
    ['list_directory', 'get_file_info', 'read_text_file'].map((name) => [name, { kind: 'read-only' }]),
  );
  const files = stage.tapped('files', [FILESYSTEM_SERVER, stage.folder], effects);
  const list = { tool: 'mcp.call', server: 'files', name: 'list_directory', arguments: { path: stage.folder } };
  return strategyText('each-file', {
    scope: { hosts: stage.hosts, servers: { files }, ...more },
    start: 'list',
    states: {
      list: { type: 'tool', call: list, onSuccess: 'each' },
      each: { type: 'workset', items: NAMES, do: first, onSuccess: 'finish' },
      ...states,
    },
  });
}

function ofItem(name: string): object {
  return { tool: 'mcp.call', server: 'files', name, arguments: { path: `${stage.folder}/{{ item }}` } };
}

test('what was too large to be gathered is taken for what an earlier step of the item gave', async () => {
  writeFileSync(path.join(stage.folder, 'small'), 'Only this.');
  writeFileSync(path.join(stage.folder, 'large'), 'much '.repeat(INLINE_LIMIT_BYTES / 4));
  const states = {
    look: { type: 'tool', call: ofItem('get_file_info'), onSuccess: 'read' },
    read: { type: 'tool', call: ofItem('read_text_file'), onSuccess: 'finish' },
  };
  const runId = await stage.start(forEachFile(states, 'look'));
  expect(await stage.bench.ended(runId)).toBe('done');
  expect(itemsOf(stage.outputOf(runId, 'each'))).toMatchObject({
    small: { content: [{ text: 'Only this.' }] },
    large: null,
  });
});

test('the model of one item answers for another one, or is asked twice', async () => {
  const names = ['one', 'two', 'three', 'four'];
  for (const name of names) writeFileSync(path.join(stage.folder, name), name);
  mind.otherwise = ({ text }) => {
    const [, name = ''] = /About (\w+)\./u.exec(text) ?? [];
    if (text.includes('"role":"tool"')) return { text: `Told about ${name}.` };
    return { calls: [{ id: 'same-id', name: 'tell', arguments: JSON.stringify({ name }) }] };
  };
  const call = {
    tool: 'http.request',
    method: 'POST',
    url: `${stage.receiver.origin}/{{ args.name }}`,
    body: '{{ item }}',
  };
  const tell = { name: 'tell', description: '', parameters: { type: 'object' }, call };
  const ask = { type: 'model', model: 'mind', prompt: 'About {{ item }}.', tools: [tell], onSuccess: 'finish' };
  const models = { mind: { provider: 'openai', baseUrl: mind.openaiBaseUrl, model: 'local' } };
  const runId = await stage.start(forEachFile({ ask }, 'ask', { models }));
  expect(await stage.bench.ended(runId)).toBe('done');
  const { received } = stage.receiver;
  expect(received.map(({ path: place, body }) => `${place} ${body}`).toSorted()).toEqual(
    names.map((name) => `/${name} ${name}`).toSorted(),
  );
  expect(new Set(received.map(({ key }) => key)).size).toBe(names.length);
  expect(mind.requests).toHaveLength(2 * names.length);
  const told = Object.fromEntries(names.map((name) => [name, { text: `Told about ${name}.` }]));
  expect(itemsOf(stage.outputOf(runId, 'each'))).toMatchObject(told);
});
