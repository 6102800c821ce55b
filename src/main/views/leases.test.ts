import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestSchemas } from '../../shared/contract/api.ts';
import type { RequestOf } from '../../shared/contract/api.ts';
import type { StateId } from '../../shared/contract/identifiers.ts';
import { leasesView } from './leases.ts';
import { needsYouView } from './needs-you.ts';
import { AGENT, createViewBench, identity, OTHER_DEVICE, RUN } from './testing/view-bench.ts';
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

const list = (request: RequestOf<'leases.list'>) =>
  leasesView(bench.source, requestSchemas['leases.list'].parse(request));
const waits = () => leasesView(bench.source, {}).leases.map((lease) => lease.waits);

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

  it('shows the rights of another device than the one that was chosen, or forgets the others altogether', () => {
    const own = { kind: 'device', deviceId: bench.source.device.deviceId, name: bench.source.device.name };
    const elsewhere = { kind: 'device', deviceId: OTHER_DEVICE, name: 'Another device' };
    expect(list({}).owners).toEqual([{ holder: { kind: 'nobody' }, count: 1 }]);
    const lease = { agentId: AGENT, holder: OTHER_DEVICE, epoch: 5, nonce: 'n', ttlMs: 15_000 };
    const coordinator = { coordinatorId: 'r', incarnation: 'i' };
    const view = { coordinator, lease, epoch: 5, remainingMs: 9_000, tail: [], frontier: {} };
    bench.lease = { agentId: AGENT, held: null, state: 'ready', view };
    expect(list({ deviceId: OTHER_DEVICE })).toMatchObject({ total: 1, leases: [{ holder: elsewhere }] });
    expect(list({ deviceId: own.deviceId })).toMatchObject({
      total: 1,
      leases: [],
      owners: [{ holder: elsewhere, count: 1 }],
    });
  });

  it('does not say that nobody has a right where it only cannot tell, or that somebody has one that ran out', () => {
    const lease = { agentId: AGENT, holder: OTHER_DEVICE, epoch: 5, nonce: 'n', ttlMs: 15_000 };
    const coordinator = { coordinatorId: 'r', incarnation: 'i' };
    const view = { coordinator, lease, epoch: 5, remainingMs: 0, tail: [], frontier: {} };
    for (const state of ['went-back', 'elsewhere', 'unreachable'] as const) {
      bench.lease = { agentId: AGENT, held: null, state, view };
      expect(list({}).leases).toMatchObject([{ holder: { kind: 'unknown' } }]);
    }
    for (const seen of [view, { ...view, takeover: 'by-person' } as const]) {
      bench.lease = { agentId: AGENT, held: null, state: 'ready', view: seen };
      expect(list({}).leases).toMatchObject([{ holder: { kind: 'nobody' } }]);
    }
  });
});
