import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../test/harness/receiver.ts';
import type { AgentId, RunId } from '../../shared/contract/identifiers.ts';
import { must, useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { OPEN_TERMS } from '../store/transactions/give-grant.ts';
import type { GrantTerms } from '../store/transactions/give-grant.ts';
import { HostBench, twoSteps } from './testing/host-bench.ts';

const newFolder = useTemporaryFolders();
const HOUR_MS = 3_600_000;

describe('a run that was refused', { timeout: 60_000 }, () => {
  let receiver: Receiver;
  let bench: HostBench;
  let folder: string;
  let presses = 0;
  beforeEach(async () => {
    receiver = await Receiver.start();
    folder = newFolder();
    bench = await HostBench.start(folder);
  });
  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  async function authorise(agentId: AgentId, terms: Partial<GrantTerms> = {}): Promise<void> {
    const { control } = bench.host;
    const given = { ...OPEN_TERMS, ...terms };
    must(await control.authorise(agentId, must(control.previewGrant(agentId, given)).previewDigest, 'Test', given));
  }

  /** Its permission runs out after its first step, so its second one is refused. */
  async function refusedRun(agentId: AgentId): Promise<RunId> {
    await authorise(agentId, { expiresAtMs: bench.clock.read().wallMs + HOUR_MS });
    bench.at('after-settle', () => bench.clock.shift({ wallMs: HOUR_MS, monotonicMs: HOUR_MS, bootMs: HOUR_MS }));
    const runId = await bench.run(agentId);
    await bench.until('it is refused', () => gateRefusals(runId) > 0);
    return runId;
  }

  /** Something that comes from outside, past the host. */
  function change(sql: string, ...parameters: readonly string[]): void {
    bench.host.control
      .connection()
      ?.db.prepare(sql)
      .run(...parameters);
  }

  function gateRefusals(runId: RunId): number {
    return bench.rows(`SELECT 1 FROM refusals WHERE run_id = ? AND word = 'gate'`, runId).length;
  }

  function attempts(runId: RunId): number {
    return bench.rows('SELECT 1 FROM attempts WHERE run_id = ?', runId).length;
  }

  /** Each run of another agent wakes the loop more than once, and every open run is looked at each time. */
  async function wakeOften(other: AgentId): Promise<void> {
    for (let count = 0; count < 3; count += 1) {
      presses += 1;
      expect(await bench.ended(await bench.run(other, `press ${presses}`))).toBe('done');
    }
  }

  it('fills the record with the same refusal at every wake, or after a restart', async () => {
    const agentId = await bench.agent(twoSteps('held', receiver.origin));
    const other = await bench.agent(twoSteps('other', receiver.origin));
    const runId = await refusedRun(agentId);
    await wakeOften(other);
    expect({ refusals: gateRefusals(runId), attempts: attempts(runId) }).toEqual({ refusals: 1, attempts: 2 });
    await bench.close();
    bench = await HostBench.start(folder, undefined, { wallMs: Date.now() + 2 * HOUR_MS });
    await wakeOften(other);
    expect({ refusals: gateRefusals(runId), attempts: attempts(runId) }).toEqual({ refusals: 1, attempts: 2 });
    expect(receiver.hits('/held/second')).toBe(0);
    // Asked again after the restart, for what would change the answer has come.
    await authorise(agentId);
    expect(await bench.ended(runId)).toBe('done');
    expect(receiver.hits('/held/second')).toBe(1);
  });

  it('hides that it is refused for something else now', async () => {
    const agentId = await bench.agent(twoSteps('moved', receiver.origin));
    const runId = await refusedRun(agentId);
    await authorise(agentId, { devices: ['another-device'] });
    await bench.until('the other refusal is written down', () => gateRefusals(runId) === 2);
    const facts = bench.rows<{ facts: string }>(`SELECT facts FROM refusals WHERE word = 'gate' ORDER BY seq`);
    expect(facts.map((row) => (JSON.parse(row.facts) as { permission?: { kind: string } }).permission?.kind)).toEqual([
      'expired',
      'other-device',
    ]);
    await authorise(agentId);
    expect(await bench.ended(runId)).toBe('done');
    expect(receiver.hits('/moved/second')).toBe(1);
  });

  it('fills the record while it lacks what another device wrote, or does not go on once that is here', async () => {
    const agentId = await bench.agent(twoSteps('lacking', receiver.origin));
    const other = await bench.agent(twoSteps('beside', receiver.origin));
    const frontier = JSON.stringify({ 'another-device': 5 });
    bench.at('after-settle', () =>
      change(
        "UPDATE register SET record = json_set(record, '$.frontier', json(?)) WHERE agent_id = ?",
        frontier,
        agentId,
      ),
    );
    const runId = await bench.run(agentId);
    await bench.until('it is refused', () => bench.refusals().includes('fence: behind'));
    await wakeOften(other);
    expect(bench.refusals()).toEqual(['fence: behind']);
    const arrived = "INSERT INTO journals VALUES ('another-device', 5, 'an operation', 1, 1)";
    change(arrived);
    expect(await bench.ended(runId)).toBe('done');
    expect(receiver.hits('/lacking/second')).toBe(1);
  });

  it('waits on after a person has stopped it', async () => {
    const agentId = await bench.agent(twoSteps('ended', receiver.origin));
    const runId = await refusedRun(agentId);
    must(await bench.host.control.stopRun(runId, 'Test'));
    expect(await bench.ended(runId)).toBe('stopped');
    expect(gateRefusals(runId)).toBe(1);
    expect(receiver.hits('/ended/second')).toBe(0);
  });
});
