import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Strategy } from '../../shared/contract/strategy.ts';
import { chooseBranch, nextState } from '../../shared/core/run/next-state.ts';
import { fillDeep } from '../../shared/core/run/template.ts';
import { createTools } from '../tools/create-tools.ts';
import type { ToolRun } from '../tools/tool.ts';
import { parseStrategy } from './load-strategy.ts';

const RUN_ID = 'a'.repeat(64);
let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'fencepost-samples-')));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function load(name: string, edit: (text: string) => string = (text) => text): Strategy {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../../samples', name), 'utf8');
  const loaded = parseStrategy(name, edit(text));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return loaded.value.strategy;
}

/** Walks a strategy with the real tools and its defaults; a person allows everything, and stops at what is unclear. */
async function walk(strategy: Strategy, before: (stateId: string) => void = () => {}): Promise<Record<string, string>> {
  const tools = createTools({ protectedFolders: [], homeFolder: home });
  const input = Object.fromEntries(Object.entries(strategy.input).map(([key, field]) => [key, field.default ?? '']));
  const steps: Record<string, { output: unknown }> = {};
  const outcomes: Record<string, string> = {};
  let at = strategy.start;
  for (let count = 0; count < 20; count += 1) {
    before(at);
    const filled = fillDeep(
      { state: strategy.states[at], scope: strategy.scope },
      { input, steps, run: { id: RUN_ID } },
    );
    if (!filled.ok) throw new Error(filled.error);
    const { state, scope } = filled.value;
    if (state === undefined || state.type === 'done' || state.type === 'fail') return { ...outcomes, end: at };
    if (state.type === 'choice') {
      const chosen = chooseBranch(state, { input, steps, run: { id: RUN_ID } });
      if (!chosen.ok) throw new Error(chosen.error);
      at = chosen.value;
      continue;
    }
    let run: ToolRun = { outcome: { kind: 'success' }, output: null, summary: '' };
    if (state.type === 'tool') {
      const prepared = await tools.prepare(state.call, state.effect, scope);
      if (!prepared.ok) throw new Error(prepared.error.message);
      run = await tools.perform(prepared.value, { effectId: 'e', epoch: 1, signal: new AbortController().signal });
      steps[at] = { output: run.output };
      outcomes[at] = run.outcome.kind === 'success' ? 'success' : `${run.outcome.kind}:${run.outcome.code}`;
    }
    const { outcome } = run;
    const result = outcome.kind === 'failure' ? { kind: outcome.kind, class: outcome.class } : { kind: outcome.kind };
    const next = nextState(state, result, { input, steps, run: { id: RUN_ID } });
    if (!next.ok) throw new Error(next.error);
    if (next.value === null) return outcomes;
    at = next.value;
  }
  throw new Error('It never ends.');
}

describe.skipIf(process.platform === 'win32')('a sample does something else than it says', () => {
  test('practice: it must end unclear although the message was delivered', async () => {
    const outcomes = await walk(load('practice.yaml'));
    expect(outcomes).toEqual({ note: 'success', deliver: 'unclear:timeout', end: 'stopped-here' });
    const folder = path.join(home, 'Fencepost/practice');
    expect(readFileSync(path.join(folder, 'outbox.txt'), 'utf8')).toBe(`delivered by run ${RUN_ID}\n`);
  });

  test('tidy-folder: it must not remove what came in after the archive', async () => {
    const folder = path.join(home, 'Fencepost/tidy');
    mkdirSync(path.join(folder, 'inbox/sub'), { recursive: true });
    writeFileSync(path.join(folder, 'inbox/sub/old one.txt'), 'old');
    const outcomes = await walk(load('tidy-folder.yaml'), (stateId) => {
      if (stateId === 'remove') writeFileSync(path.join(folder, 'inbox/late.txt'), 'late');
    });
    expect(outcomes).toMatchObject({ archive: 'success', remove: 'success', end: 'tidied' });
    expect(new Set(readdirSync(path.join(folder, 'inbox'), { recursive: true, encoding: 'utf8' }))).toEqual(
      new Set(['late.txt', 'sub']),
    );
    expect(readdirSync(folder)).toContain(`inbox-${RUN_ID}.tar.gz`);
    expect(readFileSync(path.join(folder, 'report.md'), 'utf8')).toContain('inbox/sub/old one.txt');
  });

  test('loopback-summary: a file name must not break out of the body', async () => {
    let body = '';
    const server = http.createServer((request, response) => {
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => response.end('thanks'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const folder = path.join(home, 'Fencepost/summary');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'a", "run": "evil'), '');
    const outcomes = await walk(load('loopback-summary.yaml', (text) => text.replaceAll('127.0.0.1:8787', host)));
    server.close();
    expect(outcomes).toMatchObject({ post: 'success', end: 'sent' });
    expect(JSON.parse(body)).toMatchObject({ run: RUN_ID, listing: { exitCode: 0 } });
    expect(readFileSync(path.join(folder, 'last-answer.txt'), 'utf8')).toContain('200\nthanks');
  });
});
