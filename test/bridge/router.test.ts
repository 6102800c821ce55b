import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRouter, CALLS_UNDER_WAY_MAX } from '../../src/main/bridge/router.ts';
import { CALLS_BURST } from '../../src/main/bridge/rate-limit.ts';
import { REQUEST_MAX_SIZE } from '../../src/main/bridge/measure-request.ts';
import type { Answer, Route } from '../../src/shared/contract/api.ts';
import { createFakeApplication, createMemoryLog } from './fake-application.ts';

const caller = { surface: 'browser', name: 'browser-1' } as const;
const digest = 'a'.repeat(64);

function setUp(overrides: Parameters<typeof createFakeApplication>[0] = {}) {
  const application = createFakeApplication(overrides);
  const log = createMemoryLog();
  let now = 0;
  const router = createRouter(application, { log, nowMs: () => now });
  return { application, log, router, pass: (ms: number) => (now += ms) };
}

function codeOf(answer: Answer<Route>): string | null {
  return answer.ok ? null : answer.error.code;
}

describe('routes that nobody offered', () => {
  const forged = [
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'valueOf',
    '',
    ' runs.get',
    'runs.get\u0000',
    'RUNS.GET',
    'runs',
    42,
    null,
    undefined,
    {},
    ['runs.get'],
    { toString: () => 'text.get' },
  ];
  it.each(forged.map((route) => [route]))('%j reaches no handler', async (route) => {
    const { application, router } = setUp();
    expect(codeOf(await router.dispatch(route, {}, caller))).toBe('input-invalid');
    expect(application.calls).toEqual([]);
  });
});

describe('requests that are not what the schema says', () => {
  it('passes a good one on with its defaults and the caller', async () => {
    const { application, router } = setUp();
    await router.dispatch('runs.list', {}, caller);
    expect(application.calls).toEqual([
      { route: 'runs.list', request: { search: '', statuses: [], offset: 0, limit: 200 }, caller },
    ]);
  });

  it.each([
    ['an identifier with a control character', 'runs.get', { runId: 'a\u0000b' }, 'identifier-invalid', 'runId'],
    ['a digest that is none', 'text.get', { digest: 'x' }, 'identifier-invalid', 'digest'],
    ['a missing field', 'runs.get', {}, 'identifier-invalid', 'runId'],
    ['an extra field', 'runs.get', { runId: 'r', isAdmin: true }, 'input-invalid', 'isAdmin'],
    ['a page that is too large', 'runs.list', { limit: 501 }, 'input-invalid', 'limit'],
    ['a choice that was not offered', 'settings.set', { theme: 'pink' }, 'input-invalid', 'theme'],
    ['nothing at all', 'runs.get', undefined, 'input-invalid', ''],
  ])('%s is refused in one sentence that names the field', async (_name, route, request, code, field) => {
    const { application, router } = setUp();
    const answer = await router.dispatch(route, request, caller);
    expect(codeOf(answer)).toBe(code);
    if (!answer.ok) {
      expect(answer.error.message).toMatch(field === '' ? /^The request .*\.$/u : new RegExp(`“${field}”.*\\.$`, 'u'));
      expect(answer.error.message).not.toMatch(/expected|received|Invalid input/u);
    }
    expect(application.calls).toEqual([]);
  });

  it('does not repeat a refused value: it may be a secret', async () => {
    const { router, log } = setUp();
    const answer = await router.dispatch('text.get', { digest: 'hunter2' }, caller);
    expect(JSON.stringify([answer, log.lines])).not.toContain('hunter2');
  });

  it('does not let a field name smuggle hidden characters into the sentence', async () => {
    const { router } = setUp();
    const answer = await router.dispatch('overview.get', { [`x\u202E\u0007${'y'.repeat(500)}`]: 1 }, caller);
    expect(answer.ok ? '' : answer.error.message).not.toMatch(/\p{Cc}|\p{Cf}|y{100}/u);
  });
});

describe('requests that cost too much to look at', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  it.each([
    ['too much text', { fileName: 'a.yaml', source: 'x'.repeat(REQUEST_MAX_SIZE + 1) }],
    ['many small values', { input: Array.from({ length: 400_000 }, () => 1) }],
    ['many long names', Object.fromEntries(Array.from({ length: 300 }, (_, at) => ['k'.repeat(9_000) + at, 1]))],
    ['a thousand levels', deep(1_000)],
    ['a circle', circle],
    ['a map', { runId: new Map() }],
    ['a buffer', new ArrayBuffer(8)],
    ['an own __proto__ key', JSON.parse('{"runId":"r","__proto__":{"isAdmin":true}}')],
    ['a date', new Date(0)],
    ['a big integer', { runId: 1n }],
  ])('%s is refused before the schema', async (_name, request) => {
    const { application, router } = setUp();
    expect(codeOf(await router.dispatch('agents.save', request, caller))).toBe('input-invalid');
    expect(application.calls).toEqual([]);
  });

  it('takes the largest strategy that the contract allows', async () => {
    const { application, router } = setUp();
    await router.dispatch('agents.save', { fileName: 'a.yaml', source: 'x'.repeat(1_048_576) }, caller);
    expect(application.calls).toHaveLength(1);
  });
});

describe('handlers with a bug', () => {
  it.each([
    ['throws', () => Promise.reject(new Error('boom'))],
    ['throws what is no error', () => Promise.reject('boom')],
    [
      'throws before it returns',
      () => {
        throw new TypeError('boom');
      },
    ],
  ])('one that %s gives a value, and a line in the log without the request', async (_name, handler) => {
    const { log, router } = setUp({ 'text.get': handler });
    const answer = await router.dispatch('text.get', { digest }, caller);
    expect(codeOf(answer)).toBe('internal');
    expect(answer.ok ? '' : answer.error.wayOut).not.toBe('');
    expect(JSON.stringify(answer)).not.toContain('boom');
    expect(log.lines.map((line) => line.event)).toEqual(['handler-threw']);
    expect(JSON.stringify(log.lines)).not.toContain(digest);
  });
});

describe('a caller that asks too much', () => {
  it('is turned away after a burst, alone, and only for a while', async () => {
    const { router, pass } = setUp();
    for (let count = 0; count < CALLS_BURST; count += 1) {
      expect((await router.dispatch('text.get', { digest }, caller)).ok).toBe(true);
    }
    expect(codeOf(await router.dispatch('text.get', { digest }, caller))).toBe('store-busy');
    expect((await router.dispatch('text.get', { digest }, { ...caller, name: 'browser-2' })).ok).toBe(true);
    pass(1_000);
    expect((await router.dispatch('text.get', { digest }, caller)).ok).toBe(true);
  });

  it('cannot have more than so many calls under way', async () => {
    const gate = Promise.withResolvers<{ ok: true; value: unknown }>();
    const { router } = setUp({ 'text.get': () => gate.promise });
    const waiting = Array.from({ length: CALLS_UNDER_WAY_MAX }, () => router.dispatch('text.get', { digest }, caller));
    expect(codeOf(await router.dispatch('text.get', { digest }, caller))).toBe('store-busy');
    gate.resolve({ ok: true, value: {} });
    await Promise.all(waiting);
    expect((await router.dispatch('text.get', { digest }, caller)).ok).toBe(true);
  });
});

it('answers whatever it is given with a value', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.anything(),
      fc.anything({ withMap: true, withDate: true, withTypedArray: true }),
      async (route, request) => {
        const { router } = setUp();
        for (const one of [route, 'runs.start', 'recovery.resolve']) {
          const answer = await router.dispatch(one, request, caller);
          expect(typeof answer.ok).toBe('boolean');
        }
      },
    ),
    { numRuns: 500 },
  );
});
