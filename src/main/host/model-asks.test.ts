import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ModelServer } from '../../../test/harness/model-server.ts';
import { Receiver } from '../../../test/harness/receiver.ts';
import type { Digest } from '../../shared/contract/identifiers.ts';
import { must, useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { HostBench } from './testing/host-bench.ts';

const newFolder = useTemporaryFolders();

interface Open {
  readonly approval_id: string;
  readonly input_digest: Digest;
  readonly run_id: string;
}

describe('a call that a model wants to make and a person is asked about', { timeout: 30_000 }, () => {
  let receiver: Receiver;
  let mind: ModelServer;
  let bench: HostBench;
  beforeEach(async () => {
    [receiver, mind] = await Promise.all([Receiver.start(), ModelServer.start()]);
    bench = await HostBench.start(newFolder());
  });
  afterEach(async () => {
    await bench.close();
    await Promise.all([receiver.close(), mind.close()]);
  });

  function text(): string {
    const call = { tool: 'http.request', method: 'POST', url: `${receiver.origin}/pay`, body: '{{ args.amount }}' };
    const pay = { name: 'pay', description: 'Pays.', parameters: { type: 'object' }, call, ask: true };
    const endpoint = { provider: 'openai', baseUrl: mind.openaiBaseUrl, model: 'mind' };
    const ask = { type: 'model', model: 'mind', prompt: 'Pay.', tools: [pay], onSuccess: 'end' };
    const scope = { hosts: [new URL(receiver.origin).host], models: { mind: endpoint } };
    return JSON.stringify({
      fencepost: 1,
      id: 'payer',
      name: 'Payer',
      scope,
      start: 'ask',
      states: { ask, end: { type: 'done' } },
    });
  }

  /** Twice the very same call, then an answer. */
  function payTwice(): void {
    const call = { id: 'one', name: 'pay', arguments: '{"amount":"5"}' };
    mind.script({ calls: [call] }, { calls: [{ ...call, id: 'two' }] }, { text: 'As told.' });
  }

  async function answer(isAllowed: boolean, nth: number): Promise<Open> {
    await bench.until('a person is asked', () => bench.count('approval.requested') === nth);
    const [open] = bench.rows<Open>(`SELECT * FROM approvals WHERE state = 'open'`);
    if (open === undefined) throw new Error('Nobody is asked.');
    const { approval_id: approvalId, input_digest: inputDigest } = open;
    must(
      await bench.host.control.decideApproval({ approvalId, inputDigest, isAllowed, by: 'Test', reason: 'not now' }),
    );
    return open;
  }

  it('leaves before the answer, or a second time with the same one', async () => {
    payTwice();
    const runId = await bench.run(await bench.agent(text()));
    await bench.until('a person is asked', () => bench.count('approval.requested') === 1);
    expect(receiver.received).toHaveLength(0);
    const first = await answer(true, 1);
    await bench.until('the same is asked about again', () => bench.count('approval.requested') === 2);
    expect(receiver.received.map((each) => each.body)).toEqual(['5']);
    const second = await answer(true, 2);
    expect(await bench.ended(runId)).toBe('done');
    expect(first.input_digest).toBe(second.input_digest);
    expect(receiver.received.map((each) => each.body)).toEqual(['5', '5']);
    expect(new Set(receiver.received.map((each) => each.key)).size).toBe(2);
  });

  it('is made although a person said no, or the model does not learn of it', async () => {
    payTwice();
    const runId = await bench.run(await bench.agent(text()));
    await answer(false, 1);
    await answer(true, 2);
    expect(await bench.ended(runId)).toBe('done');
    expect(receiver.received).toHaveLength(1);
    expect(JSON.stringify(mind.requests[1])).toContain('A person did not allow it. not now');
  });
});
