import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../test/harness/receiver.ts';
import { requestSchemas } from '../../shared/contract/api.ts';
import type { RequestOf } from '../../shared/contract/api.ts';
import type { RunDetailView } from '../../shared/contract/views.ts';
import type { RunId, StateId } from '../../shared/contract/identifiers.ts';
import { HostBench } from '../host/testing/host-bench.ts';
import { useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { branchesView } from './branches.ts';
import { needsYouCount, needsYouView } from './needs-you.ts';
import { runDetailView } from './run-detail.ts';
import { openRunCounts, runsView } from './runs.ts';
import { viewSource } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

const newFolder = useTemporaryFolders();

/** Three items, each of which asks before it is sent; the last step is for the run itself. */
function agentText(origin: string): string {
  const call = `{ tool: http.request, method: POST, url: '${origin}/items/{{ item }}' }`;
  return `fencepost: 1
id: fruit
name: Fruit
scope: { hosts: ['${new URL(origin).host}'] }
start: each
states:
  each: { type: workset, title: Each fruit, items: '["apple", "pear", "plum"]', do: ask, onSuccess: finish }
  ask: { type: approve, question: Send it?, of: send, onSuccess: send, onFailure: finish }
  send: { type: tool, title: Send it, call: ${call}, onSuccess: finish }
  never: { type: wait, forMs: 1000, onSuccess: finish }
  finish: { type: done }
`;
}

describe('a run that goes on in branches', { timeout: 30_000 }, () => {
  let receiver: Receiver;
  let bench: HostBench;
  let runId: RunId;
  beforeEach(async () => {
    receiver = await Receiver.start();
    bench = await HostBench.start(newFolder());
    runId = await bench.run(await bench.agent(agentText(receiver.origin)));
    await bench.until('all three ask', () => bench.count('approval.requested') === 3);
  });
  afterEach(async () => {
    await receiver.close();
    await bench.close();
  });

  function source(): ViewSource {
    const found = viewSource(bench.host.control);
    if (found === null) throw new Error('The record is not open.');
    return found;
  }
  const list = (request: RequestOf<'runs.list'> = {}) => runsView(source(), requestSchemas['runs.list'].parse(request));
  function detail(of: string = runId): RunDetailView {
    const view = runDetailView(source(), of);
    if (view === null) throw new Error('There is no such run.');
    return view;
  }
  const branches = () => branchesView(source(), { runId, stateId: 'each' as StateId, stateVisit: 1 })?.rows ?? [];
  const standing = (stateId: string) => detail().nodes.find((node) => node.stateId === stateId);

  async function answer(branch: string, isAllowed: boolean): Promise<void> {
    const [asked] = bench.rows<{ approval_id: string; input_digest: never }>(
      'SELECT approval_id, input_digest FROM approvals JOIN runs USING (run_id) WHERE branch = ?',
      branch,
    );
    if (asked === undefined) throw new Error('Nobody was asked.');
    await bench.host.control.decideApproval({
      approvalId: asked.approval_id,
      inputDigest: asked.input_digest,
      isAllowed,
      by: 'Test',
      reason: '',
    });
  }

  it('fills the list with its items, or hides that one of them needs a person', () => {
    const view = list();
    expect(view).toMatchObject({ total: 1, shown: 1, counts: { 'needs-approval': 1 } });
    expect(view.rows).toMatchObject([{ runId, status: 'needs-approval', lastEvent: '0 of 3 items have ended' }]);
    expect(list({ statuses: ['needs-approval'] }).rows).toHaveLength(1);
    expect(list({ statuses: ['running-here'] }).rows).toEqual([]);
    expect(openRunCounts(source())).toMatchObject({ open: 1 });
    expect(needsYouCount(source())).toBe(3);
  });

  it('cannot be found by what is inside it', async () => {
    expect(list({ search: 'pear' }).rows.map((row) => row.runId)).toEqual([runId]);
    expect(list({ search: 'cherry' }).rows).toEqual([]);
    const [branch] = branches();
    expect(list({ search: String(branch?.number) }).rows.map((row) => row.runId)).toEqual([runId]);
    for (const each of ['apple', 'pear', 'plum']) await answer(each, true);
    expect(await bench.ended(runId)).toBe('done');
    expect(list({ search: 'pear' }).rows).toMatchObject([{ runId, status: 'done' }]);
    expect(needsYouView(source()).finishedSinceYesterday).toBe(1);
  });

  it('does not say which of its items wait, or leads to no question', async () => {
    expect(detail().approvalId).not.toBeNull();
    expect(detail().stateSentence).toBe(
      'Needs you: approve. Nothing is sent until you answer. 0 of 3 items done, 3 need you.',
    );
    expect(standing('ask')).toMatchObject({ standing: 'needs-approval', standingText: 'Needs you: approve: 3 of 3' });
    await answer('pear', true);
    await bench.until('pear is done', () => branches()[1]?.status === 'done');
    expect(branches()).toMatchObject([
      { branch: 'apple', status: 'needs-approval', stepTitle: 'ask' },
      { branch: 'pear', status: 'done' },
      { branch: 'plum', status: 'needs-approval' },
    ]);
    expect(detail().branchings).toMatchObject([
      { stateId: 'each', kind: 'workset', total: 3, counts: { 'needs-approval': 2, done: 1 } },
    ]);
    expect(standing('ask')).toMatchObject({ standingText: 'Needs you: approve: 2 of 3' });
    expect(standing('send')).toMatchObject({ standing: 'done', standingText: 'Done' });
    expect(standing('each')).toMatchObject({
      standing: 'needs-approval',
      standingText: '1 of 3 items done, 2 need you',
      mark: 'needs',
    });
    expect(standing('never')).toMatchObject({ standing: 'not-reached', standingText: 'Not reached' });
  });

  it('ends without a word about the item that was not sent', async () => {
    await answer('pear', false);
    await answer('apple', true);
    await answer('plum', true);
    expect(await bench.ended(runId)).toBe('done');
    expect(branches().map((branch) => branch.status)).toEqual(['done', 'done', 'done']);
    const words = detail().timeline.map((row) => `${row.word}: ${row.sentence}`);
    expect(words).toContain('successor: Each fruit: 3 branches begin, each as a run of its own');
    expect(words).toContain('settle: Each fruit: 3 of 3 items are done');
    expect(detail().steps[0]).toMatchObject({ title: 'Each fruit', status: 'done', summary: '3 of 3 items done' });
  });

  it('leaves somebody who opened an item without the way back', () => {
    const pear = branches()[1];
    const view = detail(pear?.runId);
    expect(view).toMatchObject({ branch: 'pear', within: [{ runId, number: 1 }] });
    expect(view.timeline[0]).toMatchObject({ word: 'trigger', sentence: 'Started as item “pear”' });
    expect(view.row).toMatchObject({ stepsDone: 0, stepsTotal: 1 });
    expect(view.steps.map((step) => step.title)).toEqual(['ask', 'Send it', 'finish']);
  });
});
