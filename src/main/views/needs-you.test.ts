import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../test/harness/receiver.ts';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import { HostBench } from '../host/testing/host-bench.ts';
import { must, useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { needsYouView } from './needs-you.ts';
import { viewSource } from './view-source.ts';

const newFolder = useTemporaryFolders();

/** Two steps, each asked about first. */
function twoQuestions(agentId: string, origin: string): string {
  const step = (name: string, next: string): string =>
    `  ask-${name}: { type: approve, question: 'Send ${name}?', of: ${name}, onSuccess: ${name} }
  ${name}: { type: tool, call: { tool: http.request, method: POST, url: '${origin}/${agentId}/${name}' }, effect: { kind: blind }, onSuccess: ${next} }`;
  return `fencepost: 1
id: ${agentId}
name: Test ${agentId}
scope: { hosts: ['${new URL(origin).host}'] }
start: ask-first
states:
${step('first', 'ask-second')}
${step('second', 'finish')}
  finish: { type: done }
`;
}

describe('questions that may be answered together', { timeout: 30_000 }, () => {
  let receiver: Receiver;
  let bench: HostBench;
  beforeEach(async () => {
    receiver = await Receiver.start();
    bench = await HostBench.start(newFolder());
  });
  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  function alike(agentId: AgentId): (string | null)[] {
    const source = viewSource(bench.host.control);
    if (source === null) throw new Error('The record is not open.');
    const ofAgent = needsYouView(source).approvals.filter((item) => item.agentName === `Test ${agentId}`);
    return ofAgent.map((item) => item.alike);
  }

  async function ask(agentId: AgentId, presses: readonly string[]): Promise<void> {
    for (const press of presses) await bench.reaches(await bench.run(agentId, press), 'needs-approval');
  }

  it('take in another agent, another step, or an agent that may not act any more', async () => {
    const one = await bench.agent(twoQuestions('one', receiver.origin));
    const other = await bench.agent(twoQuestions('other', receiver.origin));
    await ask(one, ['press one', 'press two', 'press three']);
    await ask(other, ['press four']);
    expect(new Set(alike(one)).size).toBe(1);
    expect(alike(one)[0]).not.toBeNull();
    expect(alike(other)).not.toContain(alike(one)[0]);
    const [first] = bench.rows<{ approval_id: string; input_digest: never }>(
      `SELECT approval_id, input_digest FROM approvals WHERE agent_id = 'one' AND state = 'open'`,
    );
    const { control } = bench.host;
    must(
      await control.decideApproval({
        approvalId: first?.approval_id ?? '',
        inputDigest: first?.input_digest as never,
        isAllowed: true,
        by: 'Test',
        reason: '',
      }),
    );
    await bench.until('its next step asks', () => alike(one).length === 3 && receiver.hits('/one/first') === 1);
    expect(new Set(alike(one)).size).toBe(2);
    must(await control.revoke(one, 'Test'));
    expect(alike(one)).toEqual([null, null, null]);
  });
});
