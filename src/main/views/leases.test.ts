import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StateId } from '../../shared/contract/identifiers.ts';
import { leasesView } from './leases.ts';
import { needsYouView } from './needs-you.ts';
import { AGENT, createViewBench, identity, RUN } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench();
  bench.startRun();
});
afterEach(() => bench.remove());

function ask(approvalId: string): void {
  const input = bench.connection.journal.keep('{}');
  bench.append('approval.requested', {
    agentId: AGENT,
    runId: RUN,
    approvalId,
    stateId: 'ask' as StateId,
    stateVisit: 1,
    ofStateId: 'post' as StateId,
    inputDigest: input.digest,
    input,
    question: 'Post it?',
    title: 'Post',
    target: 'POST https://api.example.com/x',
    effectKind: 'blind',
    tool: 'http.request',
    expiresAtMs: bench.nowMs + 60_000,
  });
}

const waits = () => leasesView(bench.source).leases.map((lease) => lease.waits);

describe('the list of rights', () => {
  it('tells who may act and hides that a person is waited for', () => {
    expect(waits()).toEqual([null]);
    ask('approval-1');
    expect(waits()).toEqual([{ kind: 'approve', sentence: 'Waits for your approval' }]);
    ask('approval-2');
    expect(waits()).toEqual([{ kind: 'approve', sentence: '2 questions wait for your approval' }]);
    bench.send();
    bench.doubt();
    expect(waits()).toEqual([{ kind: 'unclear', sentence: '1 unclear step and 2 questions wait for you' }]);
  });

  it('calls for a person where none is needed any more, or by another count than the queue', () => {
    bench.send();
    bench.doubt();
    expect(waits()).toEqual([{ kind: 'unclear', sentence: '1 unclear step waits for you' }]);
    expect(needsYouView(bench.source).unclear).toHaveLength(1);
    bench.append('recovery.decided', { ...identity(), choice: 'stop-here', by: 'Ana', reason: '', epoch: 3 });
    expect(waits()).toEqual([null]);
  });
});
