import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage, strategyText } from './stage.ts';

const TOKEN = 'tok-8e5f\\"1d2c 77';
let stage: Stage;
beforeEach(async () => (stage = await Stage.start({ 'shop-token': TOKEN })));
afterEach(async () => await stage.close());

function request(place: string, more: object = {}): object {
  return {
    tool: 'http.request',
    method: 'POST',
    url: `${stage.receiver.origin}${place}`,
    body: 'for {{ run.id }}',
    ...more,
  };
}

/** One request, after which a run is done. */
function sender(place: string, more: { call?: object; effect?: object; retry?: object } = {}): string {
  const { call = {}, ...rest } = more;
  const send = { type: 'tool', call: request(place, call), onSuccess: 'finish', ...rest };
  return strategyText('sender', { scope: { hosts: stage.hosts }, start: 'send', states: { send } });
}

describe('a receiver that drops, delays and lies', () => {
  test('it is away twice: the request is repeated under another key, or without its body', async () => {
    stage.receiver.behaviour = ({ path: place }) => (stage.receiver.hits(place) <= 2 ? 'refuse' : 'answer');
    const effect = { kind: 'idempotent-by-key', dedupeWindowMs: 600_000 };
    const runId = await stage.start(sender('/keyed/pay', { effect, retry: { attempts: 4, firstDelayMs: 20 } }));
    expect(await stage.bench.ended(runId)).toBe('done');
    const { received } = stage.receiver;
    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ key, body }) => `${key} ${body}`)).size).toBe(1);
    expect(stage.outcomes()).toEqual(['failure: http-503', 'failure: http-503', 'success']);
  });

  test.each([
    ['hang', /^timeout$/u],
    ['cut', /^(?:closed|econnreset)$/u],
  ] as const)(
    'it takes the request and then: %s; that is called failed, or done again without a person',
    async (behaviour, code) => {
      stage.receiver.behaviour = () => (stage.receiver.received.length === 1 ? behaviour : 'answer');
      const retry = { attempts: 4, firstDelayMs: 20 };
      const runId = await stage.start(
        sender('/blind/pay', { effect: { kind: 'blind' }, retry, call: { timeoutMs: 500 } }),
      );
      await stage.bench.reaches(runId, 'needs-recovery');
      expect(stage.receiver.hits('/blind/pay')).toBe(1);
      expect(stage.doubts()).toEqual([expect.stringMatching(code)]);
      await stage.answerUnclear(runId, 'send-again');
      expect(await stage.bench.ended(runId)).toBe('done');
      expect(stage.receiver.hits('/blind/pay')).toBe(2);
    },
  );

  test.each([
    ['it has it', '/verifiable/order'],
    ['it was done, about everything', '/claims/order'],
  ])('a look says that %s: it is sent again, or nobody can see later that only a look said so', async (_, place) => {
    stage.receiver.behaviour = () => 'cut';
    const probe = { tool: 'http.request', method: 'GET', url: `${stage.receiver.origin}${place}` };
    const runId = await stage.start(sender(place, { effect: { kind: 'verifiable', probe } }));
    expect(await stage.bench.ended(runId)).toBe('done');
    expect(stage.receiver.hits(place)).toBe(1);
    expect(stage.receiver.received.map(({ method }) => method)).toEqual(['POST', 'GET']);
    expect(stage.attempts().map((attempt) => attempt.settled_by)).toEqual(['probe']);
    expect(stage.outputOf(runId, 'send')).toEqual({ probed: expect.stringContaining('200') as string });
  });
});

describe('a program with a secret', () => {
  const digest = createHash('sha256').update(TOKEN).digest('hex');
  const source = `
    const { createHash } = require('node:crypto');
    const token = process.env.SHOP_TOKEN ?? 'none';
    require('node:fs').writeFileSync('seen', createHash('sha256').update(token).digest('hex'));
    console.log('the token is ' + token);
    console.error(Buffer.from(token).toString('base64'), JSON.stringify({ token }), encodeURIComponent(token));`;
  const place = { secretEnv: { SHOP_TOKEN: 'shop-token' } };

  test.each([
    ['shell', { tool: 'shell', argv: ['node', '-e', source] }, 'tool'],
    ['script', { tool: 'script', interpreter: 'node', source }, 'script'],
  ])('as %s: it does not get it, or the record does', async (_, call, type) => {
    const act = { type, call: { ...call, ...place, cwd: stage.folder }, onSuccess: 'tell' };
    const tell = {
      type: 'tool',
      call: request('/told', { body: '{{ steps.act.output.stdout }}' }),
      onSuccess: 'finish',
    };
    const scope = { folders: [stage.folder], programs: ['node'], hosts: stage.hosts };
    const runId = await stage.start(strategyText('runs', { scope, start: 'act', states: { act, tell } }));
    expect(await stage.bench.ended(runId)).toBe('done');
    expect(readFileSync(path.join(stage.folder, 'seen'), 'utf8')).toBe(digest);
    const [told] = stage.receiver.received;
    expect(told?.body).toMatch(/^the token is .*shop-token/u);
    const kept = await stage.everythingKept();
    const quoted = JSON.stringify(TOKEN).slice(1, -1);
    for (const form of [TOKEN, quoted, encodeURIComponent(TOKEN), Buffer.from(TOKEN).toString('base64')]) {
      expect(`${kept}${told?.body}`).not.toContain(form);
    }
  });
});

test('a branch that waits for a person holds the other one up, or what follows both happens without it or twice', async () => {
  const step = (place: string, onSuccess: string) => ({ type: 'tool', call: request(place), onSuccess });
  const runId = await stage.start(
    strategyText('both', {
      scope: { hosts: stage.hosts },
      start: 'both',
      states: {
        both: { type: 'fork', branches: { asked: 'ask', free: 'one' }, join: 'together' },
        ask: { type: 'approve', question: 'Pay it?', of: 'pay', onSuccess: 'pay', onFailure: 'together' },
        pay: step('/pay', 'together'),
        one: step('/one', 'two'),
        two: step('/two', 'together'),
        together: { type: 'join', onSuccess: 'last' },
        last: step('/last', 'finish'),
      },
    }),
  );
  const places = () => stage.receiver.received.map(({ path: place }) => place);
  await stage.bench.until('the free branch has come to its end', () => places().length === 2);
  expect([places(), stage.bench.look(runId)?.ending]).toEqual([['/one', '/two'], null]);
  await stage.allow();
  expect(await stage.bench.ended(runId)).toBe('done');
  expect(places()).toEqual(['/one', '/two', '/pay', '/last']);
  expect(stage.questions()).toEqual(['allowed']);
});
