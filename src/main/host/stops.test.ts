import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../test/harness/receiver.ts';
import type { AgentId, RunId } from '../../shared/contract/identifiers.ts';
import { keepBusy } from '../store/testing/busy-database.ts';
import { useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import type { CrashPoint } from './crash-points.ts';
import { HostBench, twoSteps } from './testing/host-bench.ts';

const newFolder = useTemporaryFolders();
/** Longer than a tick of the loop while a run is open, ms: what was going to leave would have left. */
const QUIET_MS = 900;

function quietly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, QUIET_MS));
}

/** Every named place of the ten steps with the embedded register and with one of its own, and how much has left there. */
const PLACES: readonly { readonly point: CrashPoint; readonly first: number; readonly isRemote?: boolean }[] = [
  { point: 'after-trigger', first: 0 },
  { point: 'after-acquire', first: 0 },
  { point: 'before-intent', first: 0 },
  { point: 'after-announce', first: 0, isRemote: true },
  { point: 'after-in-flight', first: 0 },
  { point: 'after-in-flight', first: 0, isRemote: true },
  { point: 'before-effect', first: 1 },
  { point: 'after-effect', first: 1 },
  { point: 'after-settle', first: 1 },
  { point: 'after-settle-tail', first: 1, isRemote: true },
];

describe('a stop', { timeout: 60_000 }, () => {
  let receiver: Receiver;
  let bench: HostBench;
  let folder: string;
  beforeEach(async () => {
    receiver = await Receiver.start();
    folder = newFolder();
  });
  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  function start(isRemote = false): Promise<HostBench> {
    return HostBench.start(folder, isRemote ? join(newFolder(), 'register.sqlite') : undefined);
  }

  it.each(PLACES)(
    'pressed at $point (register of its own: $isRemote) lets $first effects leave, not more, and follows them to the end',
    async ({ point, first, isRemote = false }) => {
      bench = await start(isRemote);
      const agentId = await bench.agent(twoSteps('stopped', receiver.origin));
      bench.at(point, () => {
        const [run] = bench.rows<{ run_id: RunId }>('SELECT run_id FROM runs');
        if (run !== undefined) void bench.host.control.stopRun(run.run_id, 'Test');
      });
      const runId = await bench.run(agentId);
      expect(await bench.ended(runId)).toBe('stopped');
      await quietly();
      expect(receiver.hits('/stopped/first')).toBe(first);
      expect(receiver.hits('/stopped/second')).toBe(0);
      expect(bench.rows(`SELECT 1 FROM attempts WHERE progress <> 'settled'`)).toEqual([]);
      expect(bench.rows(`SELECT outcome FROM attempts WHERE outcome LIKE '%success%'`)).toHaveLength(first);
    },
  );

  it.each(PLACES.filter(({ first, isRemote }) => first === 0 && isRemote !== true))(
    'that takes the permission back at $point comes after the effect has left',
    async ({ point }) => {
      bench = await start();
      const agentId = await bench.agent(twoSteps('revoked', receiver.origin));
      bench.at(point, () => void bench.host.control.revoke(agentId, 'Test'));
      const runId = await bench.run(agentId);
      await bench.until('it is refused', () => bench.refusals().includes('gate: authority-missing'));
      await quietly();
      expect(receiver.hits('/revoked/first')).toBe(0);
      expect(bench.look(runId)).toMatchObject({ ending: null });
      const [fact] = bench.rows<{ facts: string }>(`SELECT facts FROM refusals WHERE reason = 'authority-missing'`);
      expect(JSON.parse(fact?.facts ?? '{}')).toMatchObject({ permission: { kind: 'revoked' } });
      await bench.authorise(agentId);
      expect(await bench.ended(runId)).toBe('done');
      expect(receiver.hits('/revoked/first')).toBe(1);
    },
  );

  it('waits for the record: while another program has the database, the effect leaves, and the stop is forgotten', async () => {
    bench = await start();
    const agentId = await bench.agent(twoSteps('busy', receiver.origin));
    let giveBack = (): void => undefined;
    const answers: Promise<unknown>[] = [];
    bench.at('after-in-flight', () => {
      // From here on nothing can be written: the stop is pressed with the effect one look away from leaving.
      giveBack = keepBusy(join(folder, 'fencepost.sqlite'));
      const [run] = bench.rows<{ run_id: RunId }>('SELECT run_id FROM runs');
      if (run !== undefined) answers.push(bench.host.control.stopRun(run.run_id, 'Test'));
    });
    const runId = await bench.run(agentId);
    await bench.until('the stop is pressed', () => answers.length === 1);
    expect(await answers[0]).toMatchObject({ ok: false, error: { message: expect.stringContaining('in force now') } });
    expect(receiver.hits('/busy/first')).toBe(0);
    expect(bench.count('run.stop-requested')).toBe(0);
    giveBack();
    await bench.until('it is recorded after all', () => bench.count('run.stop-requested') === 1);
    // That it was withheld is written down as well, so nobody has to be asked whether it left.
    expect(await bench.ended(runId)).toBe('stopped');
    await quietly();
    expect(receiver.hits('/busy/first')).toBe(0);
    expect(bench.refusals()).toContain('fence: stop-requested');
  });

  it('of an agent leaves a run of it going, reaches another agent, or lets anything start without a new permission', async () => {
    bench = await start();
    receiver.behaviour = () => 'hang';
    const [one, other] = [
      await bench.agent(twoSteps('one', receiver.origin)),
      await bench.agent(twoSteps('other', receiver.origin)),
    ];
    const runs = [await bench.run(one, 'press 1'), await bench.run(one, 'press 2')];
    await bench.until('both are on their way', () => receiver.received.length === 2);
    receiver.behaviour = () => 'answer';
    const stopped = await bench.host.control.stopAgents(one, 'Test');
    expect(stopped).toMatchObject({ ok: true, value: { inFlight: 2 } });
    expect(bench.rows('SELECT stop_requested FROM runs')).toEqual([{ stop_requested: 1 }, { stop_requested: 1 }]);
    const refused = await bench.host.control.startRun({
      agentId: one,
      requestId: 'press three',
      input: {},
      by: 'Test',
    });
    expect(refused).toMatchObject({ ok: false, error: { code: 'grant-missing' } });
    const free = await bench.run(other, 'press other');
    expect(await bench.ended(free)).toBe('done');
    expect(receiver.hits('/one/second')).toBe(0);
    // What is in flight is followed: nobody aborts it, and nobody calls the runs ended before that.
    expect(runs.map((runId) => bench.look(runId)?.ending ?? null)).toEqual([null, null]);
  });

  it('of everything leaves an agent going, or is taken back by a new permission', async () => {
    bench = await start();
    const agents = [
      await bench.agent(twoSteps('one', receiver.origin)),
      await bench.agent(twoSteps('other', receiver.origin)),
    ];
    bench.at('before-intent', () => void bench.host.control.stopAgents(null, 'Test'));
    const runs: RunId[] = [];
    for (const agentId of agents) {
      const run = await bench.host.control.startRun({ agentId, requestId: 'press once', input: {}, by: 'Test' });
      if (run.ok) runs.push(run.value.runId);
    }
    for (const runId of runs) expect(await bench.ended(runId)).toBe('stopped');
    for (const agentId of agents) await bench.authorise(agentId);
    await quietly();
    expect(receiver.received).toHaveLength(0);
    expect(runs.map((runId) => bench.look(runId)?.ending)).toEqual(runs.map(() => 'stopped'));
    expect(bench.count('grant.revoked')).toBe(2);
  });
});

describe('a pause', { timeout: 60_000 }, () => {
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

  it.each(['agent', 'everything'] as const)(
    'of %s lets the next step go, forgets a run that starts meanwhile, or loses one when it is over',
    async (what) => {
      const agentId = await bench.agent(twoSteps('held', receiver.origin));
      const held: AgentId | null = what === 'agent' ? agentId : null;
      bench.at('before-effect', () => void bench.host.control.pauseAgents(held, 'Test'));
      const first = await bench.run(agentId, 'press 1');
      await bench.until('the first step is settled', () => bench.count('settle.recorded') === 1);
      const second = await bench.run(agentId, 'press 2');
      await quietly();
      expect(receiver.received.map((each) => each.path)).toEqual(['/held/first']);
      expect(bench.look(second)).toMatchObject({ ending: null, state_id: 'first' });
      expect(bench.refusals()).toEqual(['successor: barrier-active']);
      const resumed = await bench.host.control.resumeAgents(held, 'Test');
      expect(resumed).toEqual({ ok: true, value: null });
      expect([await bench.ended(first), await bench.ended(second)]).toEqual(['done', 'done']);
      expect([receiver.hits('/held/first'), receiver.hits('/held/second')]).toEqual([2, 2]);
    },
  );

  it('of a run and of its agent are taken back together', async () => {
    const agentId = await bench.agent(twoSteps('both', receiver.origin));
    const { control } = bench.host;
    bench.at('before-effect', () => void control.pauseAgents(agentId, 'Test'));
    const runId = await bench.run(agentId);
    await bench.until('the first step is settled', () => bench.count('settle.recorded') === 1);
    await control.pauseRun(runId, 'Test');
    await control.resumeRun(runId, 'Test');
    await quietly();
    expect(receiver.hits('/both/second')).toBe(0);
    await control.pauseRun(runId, 'Test');
    await control.resumeAgents(agentId, 'Test');
    await quietly();
    expect(receiver.hits('/both/second')).toBe(0);
    await control.resumeRun(runId, 'Test');
    expect(await bench.ended(runId)).toBe('done');
    expect(receiver.hits('/both/second')).toBe(1);
  });
});
