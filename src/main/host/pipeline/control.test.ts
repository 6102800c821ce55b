import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../../test/harness/receiver.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { sha256 } from '../../store/connection.ts';
import { useTemporaryFolders } from '../../store/testing/temporary-folder.ts';
import { HostBench, twoSteps } from '../testing/host-bench.ts';

const newFolder = useTemporaryFolders();
/** Longer than a tick of the loop while a run is open, ms: what was going to leave would have left. */
const QUIET_MS = 900;

function quietly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, QUIET_MS));
}

describe('a person who steps in', { timeout: 30_000 }, () => {
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

  it('stop while an effect is in flight: its outcome is kept, nothing further leaves, the run ends as stopped', async () => {
    const agentId = await bench.agent(twoSteps('stopped', receiver.origin));
    const answers: Promise<Result<{ wasInFlight: boolean }, Problem>>[] = [];
    bench.at('before-effect', () => {
      const [run] = bench.rows<{ run_id: never }>('SELECT run_id FROM runs');
      if (run !== undefined) answers.push(bench.host.control.stopRun(run.run_id, 'Test'));
    });
    const runId = await bench.run(agentId);
    expect(await bench.ended(runId)).toBe('stopped');
    expect(await Promise.all(answers)).toEqual([{ ok: true, value: { wasInFlight: true } }]);
    await quietly();
    expect(bench.rows('SELECT progress, outcome FROM attempts')).toEqual([
      { progress: 'settled', outcome: '{"kind":"success"}' },
    ]);
    expect(receiver.hits('/stopped/first')).toBe(1);
    expect(receiver.hits('/stopped/second')).toBe(0);
    expect(await bench.host.control.stopRun(runId, 'Test')).toMatchObject({ ok: false, error: { code: 'run-ended' } });
  });

  it('pause while an effect is in flight: what follows is held back, and resume lets it go once', async () => {
    const agentId = await bench.agent(twoSteps('paused', receiver.origin));
    bench.at('before-effect', () => {
      const [run] = bench.rows<{ run_id: never }>('SELECT run_id FROM runs');
      if (run !== undefined) void bench.host.control.pauseRun(run.run_id, 'Test');
    });
    const runId = await bench.run(agentId);
    await bench.until('the first step is settled', () => bench.count('settle.recorded') === 1);
    await quietly();
    expect(bench.count('successor.refused')).toBe(1);
    expect(bench.count('successor.released')).toBe(0);
    expect(receiver.hits('/paused/second')).toBe(0);
    const resumed = await Promise.all([
      bench.host.control.resumeRun(runId, 'Test'),
      bench.host.control.resumeRun(runId, 'Test'),
    ]);
    expect(resumed.every((each) => each.ok)).toBe(true);
    expect(await bench.ended(runId)).toBe('done');
    expect(bench.count('run.resumed')).toBe(1);
    expect(receiver.hits('/paused/second')).toBe(1);
  });

  it('a permission that is taken back before an effect stops it, and a new one lets the same run go on', async () => {
    const agentId = await bench.agent(twoSteps('revoked', receiver.origin));
    bench.at('after-settle', () => void bench.host.control.revoke(agentId, 'Test'));
    const runId = await bench.run(agentId);
    await bench.until('it is refused', () => bench.refusals().length > 0);
    await quietly();
    expect(new Set(bench.refusals())).toEqual(new Set(['gate: authority-missing']));
    expect(receiver.hits('/revoked/second')).toBe(0);
    expect(bench.look(runId)).toMatchObject({ ending: null, state_id: 'second' });
    await bench.authorise(agentId);
    expect(await bench.ended(runId)).toBe('done');
    expect(receiver.hits('/revoked/first')).toBe(1);
    expect(receiver.hits('/revoked/second')).toBe(1);
  });

  it('two presses with the same request are one run, and another request is another run', async () => {
    const agentId = await bench.agent(twoSteps('twice', receiver.origin));
    const [one, other] = await Promise.all([bench.run(agentId), bench.run(agentId)]);
    expect(other).toBe(one);
    expect(await bench.ended(one)).toBe('done');
    expect(await bench.run(agentId)).toBe(one);
    await quietly();
    expect(bench.count('trigger.fired')).toBe(1);
    expect(receiver.hits('/twice/first')).toBe(1);
    const third = await bench.run(agentId, 'another press');
    expect(third).not.toBe(one);
    expect(await bench.ended(third)).toBe('done');
  });

  it('five megabytes of output are kept whole by digest, and stay out of the journal', async () => {
    const bytes = 5 * 1_048_576;
    const folder = newFolder();
    const program = JSON.stringify(`process.stdout.write('x'.repeat(${bytes}))`);
    const agentId = await bench.agent(`fencepost: 1
id: loud
name: Loud
scope: { folders: ['${folder}'], programs: ['${process.execPath}'] }
start: shout
states:
  shout: { type: tool, call: { tool: shell, argv: ['${process.execPath}', '-e', ${program}], cwd: '${folder}' }, onSuccess: finish }
  finish: { type: done }
`);
    const runId = await bench.run(agentId);
    expect(await bench.ended(runId)).toBe('done');
    const [row] = bench.rows<{ payload: string }>(`SELECT payload FROM ops WHERE kind = 'settle.recorded'`);
    const { output } = JSON.parse(row?.payload ?? '{}') as {
      output: { digest: string; bytes: number; inline: string | null };
    };
    expect(output.inline).toBeNull();
    expect(output.bytes).toBeGreaterThan(bytes);
    const [blob] = bench.rows<{ body: string }>('SELECT body FROM blobs WHERE digest = ?', output.digest);
    expect(sha256(blob?.body ?? '')).toBe(output.digest);
    expect(JSON.parse(blob?.body ?? '{}')).toMatchObject({ exitCode: 0, stdout: 'x'.repeat(bytes) });
    expect(row?.payload.length).toBeLessThan(4_096);
  });
});
