import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StateId } from '../../shared/contract/identifiers.ts';
import { runDetailView } from './run-detail.ts';
import { AGENT, createViewBench, RUN } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench();
  bench.startRun();
});
afterEach(() => bench.remove());

/** The run comes to a state again and again: an entry for each visit. */
function visit(times: number): void {
  const { db, journal } = bench.connection;
  db.transaction(() => {
    for (let stateVisit = 2; stateVisit < 2 + times; stateVisit += 1)
      journal.append('run.entered', { agentId: AGENT, runId: RUN, stateId: 'post' as StateId, stateVisit });
  }).immediate();
}

it('the newest part of a very long run passes for the whole of it', () => {
  expect(runDetailView(bench.source, RUN)?.earlier).toEqual({ timeline: 0, evidence: 0, steps: 0, why: 0 });
  // With the two entries of its beginning.
  visit(1_198);
  const long = runDetailView(bench.source, RUN);
  expect(long?.evidence).toHaveLength(1_000);
  expect(long?.steps.filter((step) => step.stateId === 'post')).toHaveLength(200);
  expect(long?.earlier).toEqual({ timeline: 0, evidence: 200, steps: 999, why: 0 });
  bench.connection.db.transaction(() => {
    for (let index = 0; index < 4_000; index += 1)
      bench.connection.journal.append('run.resumed', { agentId: AGENT, runId: RUN, by: 'you' });
  })();
  const longer = runDetailView(bench.source, RUN);
  expect(longer?.earlier).toMatchObject({ timeline: 200, evidence: 4_200 });
}, 60_000);
