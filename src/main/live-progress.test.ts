import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ModelServer } from '../../test/harness/model-server.ts';
import type { ChangeNotice } from '../shared/contract/api.ts';
import type { RunId } from '../shared/contract/identifiers.ts';
import type { RunDetailView } from '../shared/contract/views.ts';
import { HostBench } from './host/testing/host-bench.ts';
import { useTemporaryFolders } from './store/testing/temporary-folder.ts';

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const CALLER = { surface: 'browser', name: 'page-1' } as const;
const KEY = 'sk-live-9d1b77aa04e2';

const newFolder = useTemporaryFolders();
let bench: HostBench;
let mind: ModelServer;
/** Notices that came without a commit, with their time. */
let live: { readonly notice: ChangeNotice; readonly atMs: number }[];
let endListening: () => void;

beforeEach(async () => {
  mind = await ModelServer.start();
  bench = await HostBench.start(newFolder(), undefined, { secrets: { 'model-key': KEY } });
  live = [];
  endListening = bench.host.onChange((notice) => {
    if (notice.sequence === notice.previousSequence) live.push({ notice, atMs: performance.now() });
  });
});
afterEach(async () => {
  endListening();
  await mind.close();
  await bench.close();
});

async function detail(runId: RunId): Promise<RunDetailView> {
  const answer = await bench.host.handlers['runs.get']({ runId }, CALLER);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}

function agent(scope: object, state: object): string {
  const states = { act: { ...state, onSuccess: 'end' }, end: { type: 'done' } };
  return JSON.stringify({ fencepost: 1, id: 'teller', name: 'Teller', scope, start: 'act', states });
}

/** Starts a run and answers what it told at the moment of each notice. */
async function follow(text: string): Promise<{ runId: RunId; told: string[] }> {
  const all: string[] = [];
  const end = bench.host.onChange((notice) => {
    const [runId] = notice.runIds;
    if (notice.sequence === notice.previousSequence)
      all.push(
        bench.host.control
          .liveOf(runId as RunId)
          .map((each) => each.text)
          .join('|'),
      );
  });
  const runId = await bench.run(await bench.agent(text));
  expect(await bench.ended(runId)).toBe('done');
  end();
  // The last notice may come when everything is over.
  return { runId, told: all.filter((each) => each !== '') };
}

function expectPaced(): void {
  const gaps = live.slice(1).map(({ atMs }, index) => atMs - (live[index]?.atMs ?? 0));
  expect(live.length).toBeGreaterThan(2);
  expect(Math.min(...gaps)).toBeGreaterThan(240);
}

describe('what a call tells while it runs', { timeout: 60_000 }, () => {
  it('comes only when it is over, floods the window, or gets into the record: a model that streams', async () => {
    const words = Array.from({ length: 30 }, (_, index) => `word-${index} `).join('');
    mind.script({ text: `${words}${KEY} over`, pieceCharacters: 10, pieceEveryMs: 40 });
    const scope = {
      models: { small: { provider: 'openai', baseUrl: mind.openaiBaseUrl, model: 'tiny', secret: 'model-key' } },
    };
    const { runId, told } = await follow(agent(scope, { type: 'model', model: 'small', prompt: 'Tell.' }));
    expectPaced();
    const [first] = live;
    expect(first?.notice).toMatchObject({ runIds: [runId], agentIds: [] });
    expect(told.length).toBeGreaterThan(2);
    for (const text of told) expect(`${words}[secret model-key] over`.startsWith(text)).toBe(true);
    expect((told.at(-1) ?? '').length).toBeGreaterThan((told[0] ?? '').length);
    // Over, it is in the record as the answer, once, and nothing is live any more.
    expect((await detail(runId)).live).toEqual([]);
    const kinds = bench.rows<{ kind: string }>('SELECT kind FROM ops WHERE payload LIKE ?', '%word-3 %');
    expect(kinds.length).toBeLessThanOrEqual(2);
    expect(JSON.stringify([told, bench.rows('SELECT payload FROM ops')])).not.toContain(KEY);
  });

  it('is lost between the tool and the run’s own screen, or runs together: a tool server with progress', async () => {
    const scope = { servers: { everything: { command: [process.execPath, EVERYTHING] } } };
    const call = {
      tool: 'mcp.call',
      server: 'everything',
      name: 'trigger-long-running-operation',
      arguments: { duration: 3, steps: 6 },
    };
    const runId = await bench.run(await bench.agent(agent(scope, { type: 'tool', call, effect: { kind: 'blind' } })));
    await bench.until(
      'two lines were told',
      () => (bench.host.control.liveOf(runId)[0]?.text.split('\n').length ?? 0) > 2,
    );
    const seqBefore = bench.rows('SELECT seq FROM ops').length;
    const [shown, ...more] = (await detail(runId)).live;
    expect(more).toEqual([]);
    expect(shown?.text).toMatch(/^1 of 6\n2 of 6\n/u);
    expect(shown?.title).toContain('trigger-long-running-operation');
    expect(bench.rows('SELECT seq FROM ops').length - seqBefore).toBeLessThanOrEqual(0);
    expect(await bench.ended(runId)).toBe('done');
    expectPaced();
    expect((await detail(runId)).live).toEqual([]);
    expect(JSON.stringify(bench.rows('SELECT payload FROM ops'))).not.toContain('2 of 6');
  });
});
