import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ModelServer } from '../harness/model-server.ts';
import { EVERYTHING_SERVER, FILESYSTEM_SERVER, Stage, strategyText } from './stage.ts';

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

/** Asks a model that may pay, and use the tools of one server. */
function payer(servers: object, names: readonly string[]): string {
  const [server] = Object.keys(servers);
  const call = { tool: 'http.request', method: 'POST', url: `${stage.receiver.origin}/pay`, body: '{{ args.amount }}' };
  const pay = { name: 'pay', description: '', parameters: { type: 'object' }, call };
  const tools = [pay, ...(server === undefined ? [] : [{ server, names }])];
  return strategyText('payer', {
    scope: {
      hosts: stage.hosts,
      servers,
      models: { mind: { provider: 'openai', baseUrl: mind.openaiBaseUrl, model: 'local' } },
    },
    start: 'ask',
    states: { ask: { type: 'model', model: 'mind', prompt: 'Pay.', tools, onSuccess: 'finish' } },
  });
}

describe('a call of a model that nobody knows the end of', () => {
  test.each([
    ['it-happened', 1, /You said it happened/u],
    ['send-again', 2, /answered 200/u],
  ] as const)(
    'and a person says %s: it is paid otherwise, or the model is not told',
    async (choice, payments, told) => {
      stage.receiver.behaviour = () => (stage.receiver.received.length === 1 ? 'cut' : 'answer');
      const calls = [
        { id: 'first', name: 'pay', arguments: '{"amount":1}' },
        { id: 'second', name: 'pay', arguments: '{"amount":2}' },
      ];
      mind.script({ calls }, { text: 'Paid.' });
      const runId = await stage.start(payer({}, []));
      await stage.bench.reaches(runId, 'needs-recovery');
      expect([mind.requests.length, stage.receiver.received.length]).toEqual([1, 1]);
      await stage.restart();
      await stage.answerUnclear(runId, choice);
      expect(await stage.bench.ended(runId)).toBe('done');
      expect(mind.requests).toHaveLength(2);
      expect(mind.requests[1]?.text).toMatch(told);
      expect(stage.receiver.received.map(({ body }) => body)).toEqual(
        choice === 'it-happened' ? ['1', '2'] : ['1', '1', '2'],
      );
      const first = stage.receiver.received.filter(({ body }) => body === '1');
      expect([first.length, new Set(first.map(({ key }) => key)).size]).toEqual([payments, 1]);
    },
  );

  test('and its tool is gone when a person says send again: that is tried without end, or told as never done', async () => {
    const file = path.join(stage.folder, 'server.mjs');
    const become = (server: string, folder: string) =>
      writeFileSync(file, `process.argv.splice(2, 1${folder}); await import(${JSON.stringify(server)});\n`);
    become(EVERYTHING_SERVER, '');
    const calls = [{ id: 'say', name: 'own_echo', arguments: '{"message":"a"}' }];
    mind.script({ calls }, { text: 'Nobody knows.' });
    stage.makeDeadly('own');
    const runId = await stage.start(payer({ own: stage.tapped('own', [file, 'any']) }, ['echo']));
    await stage.bench.reaches(runId, 'needs-recovery');
    become(FILESYSTEM_SERVER, `, ${JSON.stringify(stage.folder)}`);
    await stage.answerUnclear(runId, 'send-again');
    expect(await stage.bench.ended(runId)).toBe('done');
    expect(stage.callsAt('own')).toEqual(['echo']);
    expect(stage.bench.count('intent.refused')).toBe(1);
    expect(mind.requests).toHaveLength(2);
    expect(mind.requests[1]?.text).toMatch(/no tool named.*It was tried before, and may have happened then\./u);
  });
});
