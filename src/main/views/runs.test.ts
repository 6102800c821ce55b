import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestSchemas } from '../../shared/contract/api.ts';
import type { RequestOf } from '../../shared/contract/api.ts';
import type { RunId } from '../../shared/contract/identifiers.ts';
import { runsView } from './runs.ts';
import { AGENT, createViewBench, OTHER_DEVICE } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench();
});
afterEach(() => bench.remove());

const list = (request: RequestOf<'runs.list'> = {}) =>
  runsView(bench.source, requestSchemas['runs.list'].parse(request));
const ids = (request: RequestOf<'runs.list'> = {}) => list(request).rows.map((row) => row.runId);

function runs(...names: string[]): void {
  for (const name of names) bench.startRun(name as RunId);
}

function end(name: string): void {
  bench.append('run.ended', { agentId: AGENT, runId: name as RunId, ending: 'done', summary: `Ended 100%_${name}` });
}

describe('the list of runs', () => {
  it('buries the run that needs a person', () => {
    runs('run-1', 'run-2', 'run-3');
    bench.send();
    bench.doubt();
    expect(ids()).toEqual(['run-1', 'run-3', 'run-2']);
    expect(ids({ offset: 0, limit: 2 })).toEqual(['run-1', 'run-3']);
    expect(ids({ offset: 1, limit: 2 })).toEqual(['run-3', 'run-2']);
    expect(ids({ offset: 2, limit: 2 })).toEqual(['run-2']);
  });

  it('counts what a page shows instead of what there is', () => {
    runs('run-1', 'run-2', 'run-3');
    end('run-2');
    const view = list({ limit: 1 });
    expect(view).toMatchObject({ total: 3, shown: 3, counts: { waiting: 2, done: 1 } });
    const done = list({ statuses: ['done'] });
    expect(done).toMatchObject({ total: 3, shown: 1, counts: { waiting: 2, done: 1 } });
    expect(done.rows.map((row) => row.status)).toEqual(['done']);
    expect(ids({ statuses: ['waiting'] })).toEqual(['run-3', 'run-1']);
    expect(ids({ statuses: ['missed'] })).toEqual([]);
  });

  it('shows runs that were not among the chosen ones, or does not say that one of them has ended', () => {
    runs('run-1', 'run-2', 'run-3');
    end('run-2');
    const view = list({ runIds: ['run-1', 'run-2', 'run-9'] as RunId[] });
    expect(view).toMatchObject({ shown: 2, counts: { waiting: 1, done: 1 } });
    expect(view.rows.map((row) => row.runId)).toEqual(['run-2', 'run-1']);
    expect(ids({ runIds: [] })).toEqual([]);
  });

  it('takes a percent sign for a wildcard, or cannot find a run by its number or agent', () => {
    runs('run-1', 'run-2');
    end('run-2');
    expect(ids({ search: '100%_' })).toEqual(['run-2']);
    expect(ids({ search: '100_%' })).toEqual([]);
    expect(ids({ search: '0001' })).toEqual(['run-1']);
    expect(ids({ search: 'poster' })).toHaveLength(2);
  });

  it('calls a run of another device its own', () => {
    runs('run-1');
    const coordinator = { coordinatorId: 'r', incarnation: 'i' };
    const lease = { agentId: AGENT, holder: OTHER_DEVICE, epoch: 5, nonce: 'n', ttlMs: 15_000 };
    bench.lease = {
      agentId: AGENT,
      held: null,
      state: 'ready',
      view: { coordinator, lease, epoch: 5, remainingMs: 9_000, tail: [], frontier: {} },
    };
    expect(list().rows[0]).toMatchObject({ status: 'running-elsewhere', deviceName: 'Another device' });
    expect(ids({ statuses: ['running-elsewhere'] })).toEqual(['run-1']);
  });
});
