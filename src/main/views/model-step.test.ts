import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AttemptToken, EffectKey, StateId } from '../../shared/contract/identifiers.ts';
import { sha256 } from '../store/connection.ts';
import { runDetailView } from './run-detail.ts';
import { AGENT, createViewBench, RUN } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

const STRATEGY = `fencepost: 1
id: poster
name: Poster
scope:
  hosts: [a.example]
  models:
    main: { provider: openai, model: small, inputPricePerMillion: 10, outputPricePerMillion: 30 }
start: post
states:
  post:
    type: model
    title: Plan it
    model: main
    prompt: Plan it
    retry: { attempts: 3 }
    tools:
      - name: fetch
        description: Reads a page
        parameters: {}
        call: { tool: http.request, url: 'https://a.example/{{ args.page }}' }
    onSuccess: over
  over: { type: done }
`;

const STATE = 'post' as StateId;
let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench(STRATEGY);
  bench.startRun();
});
afterEach(() => bench.remove());

function attempt(part: string, token: string) {
  const effect = { agentId: AGENT, runId: RUN, effectKey: `post#1/${part}` as EffectKey };
  return { effect, attemptToken: token as AttemptToken };
}

function begin(part: string, token: string, attemptNumber = 1): void {
  const tool = part.includes('.') ? 'http.request' : 'model.call';
  bench.intent({ ...attempt(part, token), attemptNumber, tool, effectKind: 'read-only', title: part }, token);
  bench.append('effect.started', { ...attempt(part, token), epoch: 1, idempotencyKey: 'key' });
}

function settle(part: string, token: string, of: { output: unknown; summary: string; isFailure?: boolean }): void {
  const output = bench.connection.journal.keep(JSON.stringify(of.output));
  bench.append('settle.recorded', {
    ...attempt(part, token),
    outcome:
      of.isFailure === true
        ? { kind: 'failure', class: 'transient', code: 'overloaded', wasSent: true }
        : { kind: 'success' },
    outputDigest: sha256(JSON.stringify(of.output)),
    output,
    summary: of.summary,
    settledBy: 'executor',
    tookMs: 5,
  });
}

const answer = (text: string, calls: unknown[]) => ({
  text,
  calls,
  finish: calls.length === 0 ? 'end' : 'tool-calls',
  usage: { inputTokens: 100_000, outputTokens: 10_000 },
});
const call = (id: string, name: string) => ({ id, name, arguments: '{"page":"\u202Eone"}' });

function step() {
  const found = runDetailView(bench.source, RUN)?.steps[0];
  if (found?.model === undefined || found.model === null) throw new Error('There is no model step.');
  return { ...found, model: found.model };
}

describe('a step that asks a model', () => {
  it('hides a turn, a call that was never made, or what it cost', () => {
    begin('1', 'a');
    settle('1', 'a', { output: answer('I look.', [call('c1', 'fetch'), call('c2', 'erase')]), summary: 'It answered' });
    begin('1.c1', 'b');
    settle('1.c1', 'b', { output: { status: 200, body: 'found' }, summary: 'a.example answered 200' });
    begin('2', 'c');
    const { model, status, summary } = step();
    expect(status).toBe('running');
    expect(summary).toBe('2 turns, 110,000 tokens');
    expect(model).toMatchObject({ inputTokens: 100_000, outputTokens: 10_000, cost: 1.3, turnsBefore: 0 });
    expect(model.turns).toMatchObject([
      {
        turn: 1,
        status: 'done',
        answer: { text: 'I look.', isCut: false },
        calls: [
          { callId: 'c1', name: 'fetch', status: 'done', summary: 'a.example answered 200', effectKind: 'read-only' },
          { callId: 'c2', name: 'erase', status: 'refused', result: null },
        ],
      },
      { turn: 2, status: 'running', answer: null, calls: [] },
    ]);
    expect(model.turns[0]?.calls[0]?.result?.text).toBe('{"status":200,"body":"found"}');
    expect(model.turns[0]?.calls[1]?.summary).toMatch(/Nothing was sent\.$/u);
  });

  it('calls a step done that gave up, or running that has ended', () => {
    begin('1', 'a');
    settle('1', 'a', { output: answer('', [call('c1', 'fetch')]), summary: 'It answered' });
    bench.append('intent.refused', {
      effect: attempt('1.c1', 'x').effect,
      stateId: STATE,
      stateVisit: 1,
      message: 'b.example is not in the scope.',
    });
    const place = { agentId: AGENT, runId: RUN };
    const output = bench.connection.journal.keep('{"text":""}');
    const concluded = 'The model had its 1 turns and wanted more';
    bench.append('run.concluded', { ...place, stateId: STATE, stateVisit: 1, output, summary: concluded });
    bench.append('run.ended', { ...place, ending: 'failed-was-sent', summary: concluded });
    const { model, status, summary } = step();
    expect(status).toBe('failed');
    expect(summary).toBe(`${concluded}. 1 turn, 110,000 tokens`);
    expect(model.turns[0]?.calls).toMatchObject([{ status: 'refused', summary: 'b.example is not in the scope.' }]);
    const refused = runDetailView(bench.source, RUN)?.timeline.find((row) => row.mark === 'refused');
    expect(refused).toMatchObject({ word: 'intent', sentence: 'b.example is not in the scope. Nothing was sent.' });
  });

  it('takes an answer that was cut off for a whole one', () => {
    begin('1', 'a');
    settle('1', 'a', { output: { ...answer('It is', []), finish: 'length' }, summary: 'It answered' });
    bench.append('run.ended', { agentId: AGENT, runId: RUN, ending: 'failed-was-sent', summary: 'Cut off' });
    expect(step().status).toBe('failed');
  });

  it('tells a retry from a second question, or forgets how long it waited', () => {
    begin('1', 'a');
    settle('1', 'a', { output: null, summary: 'It was overloaded', isFailure: true });
    const retrying = { stateId: STATE, stateVisit: 1, attemptNumber: 1, delayMs: 2_000, untilMs: bench.nowMs + 2_000 };
    bench.append('run.retrying', { agentId: AGENT, runId: RUN, ...retrying, code: 'overloaded' });
    expect(step().status).toBe('waiting');
    begin('1', 'b', 2);
    settle('1', 'b', { output: answer('Done.', []), summary: 'It answered' });
    const { model, status } = step();
    expect(status).toBe('done');
    expect(model.turns).toHaveLength(1);
    expect(model.turns[0]?.tries).toMatchObject([
      { number: 1, status: 'failed', summary: 'It was overloaded', retryAfterMs: 2_000 },
      { number: 2, status: 'done', summary: 'It answered', retryAfterMs: null },
    ]);
    const retry = runDetailView(bench.source, RUN)?.timeline.find((row) => row.measure.startsWith('after'));
    expect(retry).toMatchObject({
      word: 'successor',
      measure: 'after 2 s',
      sentence: 'Repeating it is safe, so attempt 2 follows',
    });
  });
});
