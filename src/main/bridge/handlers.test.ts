import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestSchemas } from '../../shared/contract/api.ts';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import { AGENT, createViewBench, RUN } from '../views/testing/view-bench.ts';
import type { ViewBench } from '../views/testing/view-bench.ts';
import { createHandlers } from './handlers.ts';
import { createRouter } from './router.ts';
import { MIGRATIONS } from '../store/migrations/migrations.ts';

const INFO = {
  profileFolder: '/profile',
  surface: 'window',
  version: '0.1.0',
  electronVersion: null,
  platform: 'linux',
} as const;
const CALLER = { surface: 'window', name: 'You' } as const;
let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench();
  bench.startRun();
});
afterEach(() => bench.remove());

describe('the handlers', () => {
  it('a route has no handler', () => {
    expect(Object.keys(createHandlers(bench.control, INFO)).toSorted()).toEqual(Object.keys(requestSchemas).toSorted());
  });

  it('a read while the record is opened again throws', async () => {
    const handlers = createHandlers({ ...bench.control, connection: () => null }, INFO);
    for (const answer of [
      await handlers['overview.get']({}, CALLER),
      await handlers['runs.get']({ runId: RUN }, CALLER),
      await handlers['agents.get']({ agentId: AGENT }, CALLER),
    ]) {
      expect(answer).toMatchObject({ ok: false, error: { code: 'store-unsure' } });
    }
  });

  it('the first start is shown again after it was left', async () => {
    const handlers = createHandlers(bench.control, INFO);
    expect(await handlers['overview.get']({}, CALLER)).toMatchObject({
      ok: true,
      value: { isFirstStart: true, agents: 1, mayActFor: 1, needsYou: 0, device: { deviceId: 'laptop' as DeviceId } },
    });
    expect(
      await handlers['settings.set']({ isOnboarded: true, theme: 'dark', contrast: 'high' }, CALLER),
    ).toMatchObject({
      ok: true,
      value: { theme: 'dark', contrast: 'high', schemaVersion: MIGRATIONS.at(-1)?.version ?? 0 },
    });
    expect(await handlers['overview.get']({}, CALLER)).toMatchObject({ value: { isFirstStart: false } });
  });

  it('a search is taken without a limit, or its words for a pattern', async () => {
    const router = createRouter({ handlers: createHandlers(bench.control, INFO) }, { log: { write: () => undefined } });
    const found = await router.dispatch('search.list', { query: 'post the' }, CALLER);
    expect(found).toMatchObject({ ok: true, value: { groups: [{ kind: 'run', hits: [{ runId: RUN }], next: null }] } });
    expect(await router.dispatch('search.list', { query: '%' }, CALLER)).toMatchObject({ value: { groups: [] } });
    for (const request of [{}, { query: 'x'.repeat(201) }, { query: 'x', limit: 101 }, { query: 'x', kind: 'secret' }])
      expect(await router.dispatch('search.list', request, CALLER)).toMatchObject({ ok: false });
    const closed = createHandlers({ ...bench.control, connection: () => null }, INFO);
    expect(await closed['search.list']({ query: 'post', limit: 20 }, CALLER)).toMatchObject({ ok: false });
  });

  it('something that is not there counts as found', async () => {
    const handlers = createHandlers(bench.control, INFO);
    expect(await handlers['runs.get']({ runId: 'no' as never }, CALLER)).toMatchObject({
      ok: false,
      error: { code: 'not-found' },
    });
    const exported = await handlers['runs.export']({ runId: RUN }, CALLER);
    expect(exported).toMatchObject({ ok: true, value: { fileName: 'run-0001.json' } });
  });
});
